// What aggregates are held against: buckets of plain arrays, by the words of SPEC.md alone.
import assert from 'node:assert/strict';
import { type Datatype, formatPrefixed, quality as qualities, toTimestamp, type Value } from '@telltale/schema';
import type { Aggregate } from '../src/archive/archive-access.ts';

export interface PlainRecord {
  readonly datatype: Datatype;
  readonly time: number;
  readonly value: Value;
  readonly quality: number;
}

interface Typed {
  readonly datatype: Datatype;
  readonly value: Value;
}

export interface PlainBucket {
  readonly time: number;
  readonly quality: number;
  /** As many as were asked for; undefined: there is none. */
  readonly values: readonly (Typed | undefined)[];
}

export interface Interval {
  readonly sinceUs: number;
  readonly untilUs: number;
}

const statusOf = ({ quality }: Pick<PlainRecord, 'quality'>) => quality & 0xc0;
const isSound = (record: PlainRecord) => statusOf(record) !== 0;
const isTrue = ({ value }: PlainRecord) => Number(value) !== 0;

/** A piece of time with what is in force in it. */
interface Piece {
  readonly record: PlainRecord | undefined;
  readonly us: number;
}

/** `all` is in time order; `edges` are where buckets begin and, the last one, end. */
export function bucketsOf(
  all: readonly PlainRecord[],
  edges: readonly number[],
  aggregates: readonly Aggregate[],
): PlainBucket[] {
  const [sinceUs = 0] = edges;
  const head = all.findLast(({ time }) => time < sinceUs);
  return edges.slice(0, -1).flatMap((time, at) => {
    const bucket = new ModelBucket(all, head, sinceUs, time, edges[at + 1] as number);
    const { quality, isKnown } = bucket;
    const values = aggregates.map((each) => bucket.value(each));
    const isBad = statusOf({ quality }) === 0 && isKnown;
    if (values.every((value) => value === undefined) && !isBad) return [];
    const [only] = aggregates;
    if (values.length === 1 && values[0] === undefined) return [{ time, quality, values: [bucket.standIn(only)] }];
    return [{ time, quality, values }];
  });
}

class ModelBucket {
  readonly isKnown: boolean;
  readonly quality: number;
  readonly #records: readonly PlainRecord[];
  readonly #pieces: readonly Piece[];
  readonly #transitions: number;
  readonly #lengthUs: number;

  constructor(
    all: readonly PlainRecord[],
    head: PlainRecord | undefined,
    sinceUs: number,
    startUs: number,
    endUs: number,
  ) {
    const before = all.findLast(({ time }) => time < startUs);
    this.#records = all.filter(({ time }) => startUs <= time && time < endUs);
    const ends = [...this.#records.map(({ time }) => time), endUs];
    const pieces = [before, ...this.#records].map((record, at) => {
      return { record, us: (ends[at] as number) - (at === 0 ? startUs : (ends[at - 1] as number)) };
    });
    // What was in force before counts where it is so for some time.
    this.#pieces = pieces.filter(({ us }, at) => at > 0 || us > 0);
    this.#lengthUs = endUs - startUs;
    this.isKnown = pieces.at(-1)?.record !== undefined;
    const isAll = (status: number) =>
      this.#pieces.every(({ record, us }) => us === 0 || statusOf(record ?? none) === status);
    const newest = pieces.at(-1)?.record ?? none;
    this.quality = isAll(0xc0) ? qualities.good : isAll(0) ? newest.quality : qualities.uncertain.subnormal;
    const told = [...(head === undefined ? [] : [head]), ...all.filter(({ time }) => time >= sinceUs)];
    this.#transitions = this.#records.filter(isSound).filter((record) => {
      const previous = told.slice(0, told.indexOf(record)).findLast(isSound);
      if (previous === undefined) return head === undefined;
      return isTrue(previous) !== isTrue(record);
    }).length;
  }

  value(aggregate: Aggregate): Typed | undefined {
    const sound = this.#records.filter(isSound);
    const inForce = this.#pieces.flatMap(({ record }) => (record !== undefined && isSound(record) ? [record] : []));
    const values = sound.map(({ value }) => Number(value));
    const mean = sum(values) / values.length;
    const double = (value: number): Typed => ({ datatype: 'd', value });
    const long = (value: number): Typed => ({ datatype: 'l', value: BigInt(value) });
    const best = (isBetter: (a: Value, b: Value) => boolean) =>
      inForce.length === 0 ? undefined : inForce.reduce((a, b) => (isBetter(b.value, a.value) ? b : a));
    const [min, max] = [best((a, b) => a < b), best((a, b) => a > b)];
    const [first, last] = [inForce[0], inForce.at(-1)];
    const soundUs = this.#us((record) => isSound(record));
    const integral = sum(
      this.#pieces.map(({ record = none, us }) => (isSound(record) ? Number(record.value) * us : 0)),
    );
    switch (aggregate) {
      case 'avg':
        return soundUs > 0 ? double(integral / soundUs) : undefined;
      case 'mean':
        return values.length > 0 ? double(mean) : undefined;
      case 'min':
        return min;
      case 'max':
        return max;
      case 'range':
        return min && max && double(difference(max, min));
      case 'total':
        return soundUs > 0 ? double(integral / 1e6) : undefined;
      case 'count':
        return long(sound.length);
      case 'first':
        return first;
      case 'last':
        return last;
      case 'delta':
        return first && last && double(difference(last, first));
      case 'stddev': {
        const squares = sum(values.map((value) => (value - mean) ** 2));
        return values.length > 0 ? double(Math.sqrt(squares / Math.max(1, values.length - 1))) : undefined;
      }
      case 'duration-true':
        return double(this.#us((record) => isSound(record) && isTrue(record)) / 1e6);
      case 'duration-false':
        return double(this.#us((record) => isSound(record) && !isTrue(record)) / 1e6);
      case 'transitions':
        return long(this.#transitions);
      case 'count-good':
        return long(this.#records.filter((record) => statusOf(record) === 0xc0).length);
      case 'count-bad':
        return long(this.#records.length - sound.length);
      case 'duration-good':
        return double(this.#us((record) => statusOf(record) === 0xc0) / 1e6);
      case 'duration-bad':
        return double(this.#us((record) => !isSound(record)) / 1e6);
      case 'percent-good':
        return double((100 * this.#us((record) => statusOf(record) === 0xc0)) / this.#lengthUs);
      case 'worst-quality':
        return { datatype: 'i', value: this.#worst() };
    }
  }

  /** Of one that is all bad, where one aggregate is asked for. */
  standIn(aggregate: Aggregate | undefined): Typed {
    const newest = this.#pieces.at(-1)?.record as PlainRecord;
    if (['first', 'last', 'min', 'max'].includes(aggregate as string)) return newest;
    return { datatype: 'd', value: aggregate === 'avg' || aggregate === 'mean' ? Number(newest.value) : 0 };
  }

  #us(isCounted: (record: PlainRecord) => boolean): number {
    return sum(this.#pieces.map(({ record = none, us }) => (isCounted(record) ? us : 0)));
  }

  #worst(): number {
    const rank = (record: PlainRecord) => (statusOf(record) === 0 ? 0 : statusOf(record) === 0xc0 ? 2 : 1);
    const records = this.#pieces.map(({ record = none }) => record);
    return records.reduce((worst, record) => (rank(record) < rank(worst) ? record : worst)).quality;
  }
}

/** Where nothing is in force, it is as if this were. */
const none: PlainRecord = { datatype: 'd', time: 0, value: 0, quality: 0 };

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

function difference(a: Typed, b: Typed): number {
  if (typeof a.value === 'bigint' && typeof b.value === 'bigint') return Number(a.value - b.value);
  return Number(a.value) - Number(b.value);
}

/** As JSON has it, alone or as a row. */
export function writtenBucket(
  { time, quality, values }: PlainBucket,
  aggregates: readonly Aggregate[],
  hasQuality = true,
) {
  const texts = values.map((each) => each && formatPrefixed(each.datatype, each.value));
  const t = toTimestamp(time);
  if (texts.length === 1) return JSON.stringify(hasQuality ? [texts[0], t, quality] : [texts[0], t]);
  const members = aggregates.map((aggregate, at) => [aggregate, texts[at] ?? null]);
  return JSON.stringify({ t, ...(hasQuality && { q: quality }), ...Object.fromEntries(members) });
}

/** Of JSON: sums may differ in their last digits with the order of adding. Only doubles are sums. */
export function assertNearly(given: string, wanted: string): void {
  const double = /"d(-?\d+(?:\.\d+)?)"/g;
  const [ours, theirs] = [[...given.matchAll(double)], [...wanted.matchAll(double)]].map((each) =>
    each.map(([, digits]) => Number(digits)),
  ) as [number[], number[]];
  assert.equal(given.replace(double, 'd'), wanted.replace(double, 'd'));
  if (!ours.every((number, at) => isNear(number, theirs[at] as number))) assert.equal(given, wanted);
}

export function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}
