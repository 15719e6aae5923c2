// Values as batches, tables and the archive store them, and what of another datatype fits into one.
import { type Datatype, form, type Traits, traitsOf } from './datatype.ts';
import { isFitText, type Value } from './value-text.ts';

/** A boolean is 0 or 1. */
export type StoredValue = number | bigint | string;

export function stored(value: Value): StoredValue {
  return typeof value === 'boolean' ? Number(value) : value;
}

export function unstored(datatype: Datatype, value: StoredValue): Value {
  return traitsOf(datatype).isBoolean ? value === 1 : value;
}

/** Whether it is a value of the datatype as it is; a single may have more digits than are stored. */
export function fits({ form: held, precision, lowest, highest }: Traits, value: StoredValue): boolean {
  if (held === form.text) return typeof value === 'string' && isFitText(value);
  if (held === form.long) {
    if (typeof value !== 'bigint') return Number.isSafeInteger(value);
    return value >= (lowest as bigint) && value <= (highest as bigint);
  }
  if (typeof value !== 'number') return false;
  const stored = precision === 'single' ? Math.fround(value) : value;
  if (!(stored >= (lowest as number) && stored <= (highest as number))) return false;
  return precision !== 'whole' || Math.floor(stored) === stored;
}

/**
 * The value in the datatype; undefined where it does not fit. Numbers and texts never turn into each other, nor fractions
 * into whole numbers, and a 64-bit integer must be exact in a double. Only single precision rounds.
 */
export function fitValue(datatype: Datatype, value: Value): Value | undefined {
  const traits = traitsOf(datatype);
  const { form: held, precision, isBoolean } = traits;
  let given = stored(value);
  if (held === form.number && typeof given === 'bigint') {
    if (BigInt(Number(given)) !== given) return undefined;
    given = Number(given);
  }
  if (!fits(traits, given)) return undefined;
  if (typeof given !== 'number') return given;
  if (held === form.long) return BigInt(given);
  if (precision === 'double') return given;
  if (precision === 'single') return Math.fround(given);
  return isBoolean ? given === 1 : given + 0; // no negative zero
}

/** A type of whole numbers of some protocol. */
export type IntegerType<T> = readonly [type: T, lowest: number | bigint, highest: number | bigint];

/** The first type that holds every value of a datatype of whole numbers; undefined where none does. */
export function firstHolding<T>(datatype: Datatype, types: readonly IntegerType<T>[]): T | undefined {
  const { precision, lowest = 0, highest = 0 } = traitsOf(datatype);
  if (precision !== 'whole') return undefined;
  return types.find(([, least, most]) => least <= lowest && most >= highest)?.[0];
}
