// The process model that a stack may add to the simulator: its tags are read and written by `model(tag)`. What runs it is
// the device; what a stack declares is for checks and documents.
import type { Datatype, Value } from '@telltale/schema';
import type { PointKind } from '@telltale/stack-kit';

export { type Random, randomOf } from './random.ts';

export interface ModelDeclaration {
  /** Markdown that lists the tags. */
  doc(kind: PointKind): string;
  /** What is wrong with a point of this raw datatype at the tag; undefined where nothing is. */
  check(kind: PointKind, tag: string, datatype: Datatype): string | undefined;
  readonly examples: Readonly<Record<PointKind, readonly { address: string; meaning: string }[]>>;
}

/** A running model. Its device makes it when a point first asks for it. */
export interface Model {
  /** Goes on by so many simulated seconds. Returns those that were too many for one call, which are left out. */
  advance(seconds: number): number;
  /** Undefined where there is no such tag. */
  reader(tag: string): (() => number | string) | undefined;
  /** Throws `Refused` where the tag does not take it. */
  write(tag: string, value: Value): void;
  /** The value that a command shows is what the tag begins with. Throws `Refused` where it cannot. */
  begin(tag: string, value: Value): void;
}

/** `startSeconds` are simulated, of the time of day. */
export type CreateModel = (seed: number, startSeconds: number) => Model;
