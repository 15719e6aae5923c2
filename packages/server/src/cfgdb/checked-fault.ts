// What is wrong with a configuration: a fault, with the other objects that its message names.
import type { Family, Fault } from '@telltale/schema';

export interface CheckedFault extends Fault {
  readonly named?: Named;
}

/** Other objects that a message names, and what is said to whom these are out of view. */
export interface Named {
  readonly objects: readonly ObjectName[];
  readonly otherwise: string;
}

export interface ObjectName {
  readonly family: Family;
  readonly name: string;
}
