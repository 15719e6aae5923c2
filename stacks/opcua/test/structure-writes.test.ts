// Commands that write parts of structures and arrays, by path.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Datatype, Value } from '@telltale/schema';
import stack from '../src/stack.ts';
import { part, parts as readParts } from './structure-parts.ts';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

describe('a command with a path', () => {
  let device: UaDevice;
  let bench: UaBench;
  const parts = {
    ...readParts,
    first: part('Motor#Currents[0]', 'f'),
    other: part('Motor#States[0].Text', 's'),
    neighbour: part('Motors#[0].State.Text', 's'),
    ofStubborn: part('Stubborn#[1].State.Text', 's'),
  };
  before(async () => {
    device = await UaDevice.start();
    bench = new UaBench(device);
    bench.setPoints(parts);
    await bench.start();
  });
  after(async () => {
    assert.equal(await bench.stop(), undefined);
    await device.stop();
  });

  const write = (name: keyof typeof parts, value: Value) => bench.write(parts[name].node, parts[name].datatype, value);

  test('is accepted where the path is one', () => {
    const check = (address: string) =>
      stack.connector?.checkAddress('command', address, { datatype: 'd', properties: {} });
    assert.equal(check('ns=2;s=Motor1#State.Currents[2]'), undefined);
    assert.match(check('ns=2;s=Motor1#State..Currents') ?? '', /is a path/);
  });

  test('writes that part, and leaves all others as they were', async () => {
    await write('speed', 7.25);
    await bench.reads('speed', 7.25);
    await write('running', false);
    await bench.reads('running', 0);
    await write('total', 9_007_199_254_740_993n);
    await bench.reads('total', 9_007_199_254_740_993n);
    await write('current', 33.5);
    await bench.reads('current', 33.5);
    await write('nested', 'ünder');
    await bench.reads('nested', 'ünder');
    await bench.reads('text', 'state 1');
    await bench.reads('first', 1);
    await bench.reads('other', 'state 11');
    await bench.reads('speed', 7.25);
    await bench.reads('total', 9_007_199_254_740_993n);
  });

  test('writes elements of arrays, and parts of structures in them, by the range of indexes', async () => {
    await write('element', 20.5);
    await bench.reads('element', 20.5);
    await write('ofMatrix', 44);
    await bench.reads('ofMatrix', 44);
    await write('ofArray', 'changed');
    await bench.reads('ofArray', 'changed');
    await bench.reads('neighbour', 'state 2');
  });

  test('writes the whole array where the server picks no elements', async () => {
    await write('ofStubborn', 'anyway');
    await bench.reads('ofStubborn', 'anyway');
  });

  test('waits for others of the same node, so that none is lost', async () => {
    await Promise.all([write('speed', 1), write('text', 'two'), write('running', true), write('current', 4)]);
    await bench.reads('speed', 1);
    await bench.reads('text', 'two');
    await bench.reads('running', 1);
    await bench.reads('current', 4);
  });

  test('is refused, without being sent, where the part does not exist or the value does not fit', async () => {
    const refused = (node: string, datatype: Datatype, value: Value, message: RegExp) =>
      assert.rejects(bench.write(node, datatype, value), { name: 'refused', message });
    await refused('Motor#State.Nothing', 'd', 1, /there is no field Nothing: StateType has Running, Total, Text/);
    await refused('Motor#__proto__', 's', 'x', /there is no field __proto__/);
    await refused('Motor#Currents[3]', 'd', 1, /there is no element \[3\]: its size is \[3\]/);
    await refused('Motor#Currents', 'd', 1, /is an array: name an element/);
    await refused('Motor#State', 'd', 1, /is a structure: name a field/);
    await refused('Motor#State.Running', 's', 'yes', /Boolean and takes true or false/);
    await refused('Motors#[7].Speed', 'd', 1, /there is no element \[7\]: its size is \[2\]/);
    await refused('Flow#Speed', 'd', 1, /Double is no structure/);
    await refused('Nowhere#Speed', 'd', 1, /BadNodeIdUnknown/);
    await device.order({ kind: 'status', node: UaDevice.address('Motor'), value: 'BadDeviceFailure' });
    await refused('Motor#Speed', 'd', 1, /BadDeviceFailure: the node has no value/);
    await device.order({ kind: 'status', node: UaDevice.address('Motor'), value: 'Good' });
    await bench.reads('speed', 1);
  });

  test('that is stopped before its turn was never sent', async () => {
    const controller = new AbortController();
    controller.abort();
    const command = {
      id: 0,
      name: 'x',
      address: UaDevice.address('Motor#Speed'),
      datatype: 'd',
      properties: {},
      last: undefined,
    } as const;
    const result = await bench.connector.write(command, 9, controller.signal);
    assert.equal(result?.kind, 'notSent');
    await write('speed', 2);
    await bench.reads('speed', 2);
  });
});
