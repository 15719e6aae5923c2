// Parts of the structures and arrays of the device of tests, by path.
import type { Datatype } from '@telltale/schema';

export const part = (node: string, datatype: Datatype) => ({ node, datatype });

export const parts = {
  speed: part('Motor#Speed', 'd'),
  running: part('Motor#State.Running', 'b'),
  total: part('Motor#State.Total', 'l'),
  text: part('Motor#State.Text', 's'),
  current: part('Motor#Currents[2]', 'f'),
  nested: part('Motor#States[1].Text', 's'),
  ofArray: part('Motors#[1].State.Text', 's'),
  element: part('Temperatures#[0]', 'd'),
  ofMatrix: part('Grid#[1,0]', 'd'),
};
