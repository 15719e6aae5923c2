// What each aggregate makes of a bucket: its value, or none. SPEC.md has the rules.
import { type Datatype, form, quality, traitsOf } from '@telltale/schema/values';
import type { Aggregate } from '../archive-access.ts';
import type { Columns } from '../records.ts';
import { type Bucket, firstSlot, heldSlot, lastSlot, maxSlot, minSlot } from './bucket.ts';
import { copyRecord } from './record-runs.ts';

/** Those that say something of every bucket, also of one in which nothing was in force. */
const always: ReadonlySet<Aggregate> = new Set([
  'count',
  'transitions',
  'count-good',
  'count-bad',
  'duration-true',
  'duration-false',
  'duration-good',
  'duration-bad',
  'percent-good',
  'worst-quality',
]);

/** Those that texts have as well. */
export const aggregatesOfTexts: ReadonlySet<Aggregate> = new Set([
  'count',
  'first',
  'last',
  'count-good',
  'count-bad',
  'duration-good',
  'duration-bad',
  'percent-good',
  'worst-quality',
]);

export function isAlwaysGiven(aggregate: Aggregate): boolean {
  return always.has(aggregate);
}

export function isOfTexts(aggregate: Aggregate): boolean {
  return aggregatesOfTexts.has(aggregate);
}

/** By the time in the bucket: all of it good, all of it bad, or neither. */
export function qualityOf(bucket: Bucket): number {
  if (bucket.goodUs === bucket.lengthUs) return quality.good;
  return bucket.badUs === bucket.lengthUs ? bucket.heldQuality : quality.uncertain.subnormal;
}

/** Puts the value into the first record of `into`, and answers its datatype; undefined: there is none. */
export function valueInto(into: Columns, aggregate: Aggregate, bucket: Bucket): Datatype | undefined {
  switch (aggregate) {
    case 'first':
      return bucket.hasSound ? slotInto(into, bucket, firstSlot) : undefined;
    case 'last':
      return bucket.hasSound ? slotInto(into, bucket, lastSlot) : undefined;
    case 'min':
      return bucket.hasNumbers ? slotInto(into, bucket, minSlot) : undefined;
    case 'max':
      return bucket.hasNumbers ? slotInto(into, bucket, maxSlot) : undefined;
    case 'count':
      into.longs[0] = BigInt(bucket.count);
      return 'l';
    case 'transitions':
      into.longs[0] = BigInt(bucket.transitions);
      return 'l';
    case 'count-good':
      into.longs[0] = BigInt(bucket.certain);
      return 'l';
    case 'count-bad':
      into.longs[0] = BigInt(bucket.bad);
      return 'l';
    case 'worst-quality':
      into.numbers[0] = bucket.worst;
      return 'i';
    default: {
      const number = numberOf(aggregate, bucket);
      if (number === undefined) return undefined;
      into.numbers[0] = Number.isNaN(number) ? Number.MAX_VALUE : within(number, -Number.MAX_VALUE, Number.MAX_VALUE);
      return 'd';
    }
  }
}

/** The same for a bucket that is all bad: a value that means as little as that of a bad record. */
export function standInInto(into: Columns, aggregate: Aggregate, bucket: Bucket): Datatype {
  if (aggregate === 'first' || aggregate === 'last' || aggregate === 'min' || aggregate === 'max') {
    return slotInto(into, bucket, heldSlot);
  }
  into.numbers[0] = aggregate === 'avg' || aggregate === 'mean' ? Number(valueAt(bucket, heldSlot)) : 0;
  return 'd';
}

type OfNumbers = Exclude<
  Aggregate,
  'first' | 'last' | 'min' | 'max' | 'count' | 'transitions' | 'count-good' | 'count-bad' | 'worst-quality'
>;

function numberOf(aggregate: OfNumbers, bucket: Bucket): number | undefined {
  const { soundUs, count, hasNumbers } = bucket;
  switch (aggregate) {
    case 'avg':
      return soundUs > 0 ? mean(bucket, bucket.integral, bucket.smallIntegral, soundUs) : undefined;
    case 'mean':
      return count > 0 ? mean(bucket, bucket.sum, bucket.smallSum, count) : undefined;
    case 'total':
      return soundUs > 0 ? sumOf(bucket.integral, bucket.smallIntegral, usPerSecond) : undefined;
    case 'range':
      return hasNumbers ? difference(bucket.max, bucket.min) : undefined;
    case 'delta':
      return hasNumbers ? difference(valueAt(bucket, lastSlot), valueAt(bucket, firstSlot)) : undefined;
    case 'stddev':
      return count > 0 ? Math.sqrt(bucket.squares / Math.max(1, count - 1)) : undefined;
    case 'duration-true':
      return bucket.trueUs / usPerSecond;
    case 'duration-false':
      return (soundUs - bucket.trueUs) / usPerSecond;
    case 'duration-good':
      return bucket.goodUs / usPerSecond;
    case 'duration-bad':
      return bucket.badUs / usPerSecond;
    case 'percent-good':
      return (bucket.goodUs / bucket.lengthUs) * 100;
  }
}

const usPerSecond = 1_000_000;
/** By this the small sums are scaled down. */
const large = 2 ** 80;

/** Within the least and the greatest value, whatever was rounded: of one value it is that value. */
function mean({ min, max }: Bucket, sum: number, smallSum: number, weight: number): number {
  return within(sumOf(sum, smallSum, weight), Number(min), Number(max));
}

function sumOf(sum: number, smallSum: number, weight: number): number {
  const plain = sum / weight;
  return Number.isFinite(plain) ? plain : (smallSum / weight) * large;
}

function within(number: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, number));
}

/** Of 64-bit integers exactly, as far as a double can say it. */
function difference(a: number | bigint, b: number | bigint): number {
  return typeof a === 'bigint' && typeof b === 'bigint' ? Number(a - b) : Number(a) - Number(b);
}

function valueAt({ records, datatypes }: Bucket, slot: number): number | bigint {
  const isLong = traitsOf(datatypes[slot] as Datatype).form === form.long;
  return isLong ? (records.longs[slot] as bigint) : (records.numbers[slot] as number);
}

function slotInto(into: Columns, { records, datatypes }: Bucket, slot: number): Datatype {
  const datatype = datatypes[slot] as Datatype;
  copyRecord(datatype, records, slot, into, 0);
  return datatype;
}
