// The archive as plain arrays: what the server must show of each name after imports and erasures, and which of it may be
// missing where a retention or a limit of size has deleted.
import assert from 'node:assert/strict';
import { type Datatype, formatPrefixed, toTimestamp } from '@telltale/schema';
import { flagsOf } from '../../packages/server/src/archive/records.ts';
import type { PlainRecord } from '../../packages/server/test/query-model.ts';

export interface ArrayRecord extends PlainRecord {
  /** The number of the import that it came with; 0 where everything older is in blocks as well. */
  came: number;
  /** It had expired once, and may have been deleted since. */
  mayBeGone: boolean;
}

export const oldestPlausibleUs = Date.UTC(2000, 0, 1) * 1000;
/** From the server's clock; further ahead, it is a wrong one. */
const farthestAheadUs = 86_400_000_000;
export const weekUs = 7 * 86_400_000_000;

/** All records of a name: those of each datatype that it had, in the order in which it had them, by their time. */
export class NamedArrays {
  readonly kind: 'measurements' | 'commands';
  readonly name: string;
  /** Of new records. */
  datatype: Datatype;
  readonly #parts = new Map<Datatype, Map<number, ArrayRecord>>();

  constructor(kind: 'measurements' | 'commands', name: string, datatype: Datatype) {
    this.kind = kind;
    this.name = name;
    this.datatype = datatype;
  }

  copy(): NamedArrays {
    const copy = new NamedArrays(this.kind, this.name, this.datatype);
    for (const [datatype, records] of this.#parts) copy.#parts.set(datatype, new Map(records));
    return copy;
  }

  become(other: NamedArrays): void {
    this.#parts.clear();
    for (const [datatype, records] of other.#parts) this.#parts.set(datatype, records);
  }

  /** A later record of one time and datatype replaces the earlier one. */
  import(records: readonly ArrayRecord[]): void {
    for (const record of records) {
      const part = this.#parts.getOrInsertComputed(record.datatype, () => new Map());
      part.set(record.time, record);
    }
  }

  erase(sinceUs: number, untilUs: number): void {
    this.#drop(({ time }) => time >= sinceUs && time < untilUs);
  }

  remove(gone: ReadonlySet<ArrayRecord>): void {
    this.#drop((record) => gone.has(record));
  }

  /** In order of time, then of datatypes; without those from 2000 on that are before `cutOffUs`. */
  shown(cutOffUs: number): ArrayRecord[] {
    const all = [...this.#parts.values()].flatMap((records) => [...records.values()]);
    return all.filter(({ time }) => !isExpired(time, cutOffUs)).sort((a, b) => a.time - b.time);
  }

  /** With its flags. */
  written({ datatype, value, time, quality }: PlainRecord): string {
    const fields: unknown[] = [formatPrefixed(datatype, value), toTimestamp(time)];
    if (this.kind === 'measurements') fields.push(quality & 0xff);
    return JSON.stringify([...fields, flagsOf(quality)]);
  }

  #drop(isGone: (record: ArrayRecord) => boolean): void {
    for (const records of this.#parts.values()) {
      for (const [time, record] of records) if (isGone(record)) records.delete(time);
    }
  }
}

export function isExpired(time: number, cutOffUs: number): boolean {
  return time >= oldestPlausibleUs && time < cutOffUs;
}

/** Those of `expected` that `found` does not have; undefined where it has others, or in another order. */
export function missingIn(
  found: readonly string[],
  expected: readonly ArrayRecord[],
  series: NamedArrays,
): ArrayRecord[] | undefined {
  let at = 0;
  const missing = expected.filter((record) => {
    const isFound = found[at] === series.written(record);
    if (isFound) at++;
    return !isFound;
  });
  return at === found.length ? missing : undefined;
}

/**
 * What a limit of size has deleted, of all names, is the oldest: of records that were in blocks by then, up to some time, whole.
 * Whatever came with a later import may have been in memory still. Records of a wrong clock count by when they came, which is
 * after `beganUs`.
 */
export function assertOldest(gone: readonly ArrayRecord[], left: readonly ArrayRecord[], beganUs: number): void {
  const isReported = (time: number) => time >= oldestPlausibleUs && time <= beganUs + farthestAheadUs;
  const countsBy = ({ time }: ArrayRecord) => (isReported(time) ? time : beganUs);
  const byTime = left.filter(({ time }) => time >= oldestPlausibleUs).sort((a, b) => a.time - b.time);
  let [at, oldestCame] = [0, Number.POSITIVE_INFINITY];
  for (const record of gone.toSorted((a, b) => countsBy(a) - countsBy(b))) {
    const { time, came, datatype, value } = record;
    for (; at < byTime.length && (byTime[at] as ArrayRecord).time <= countsBy(record); at++) {
      oldestCame = Math.min(oldestCame, (byTime[at] as ArrayRecord).came);
    }
    const what = () => `${formatPrefixed(datatype, value).slice(0, 40)} at ${time}, import ${came}`;
    assert.ok(oldestCame > came, `${what()}, is gone, while an older one of import ${oldestCame} is shown`);
  }
}
