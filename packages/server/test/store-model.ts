// A plain archive that the real one is compared with, and a plain reader of what the real one has.
import assert from 'node:assert/strict';
import { Batch, form, type StoredValue, traitsOf, unstored, type Value } from '@telltale/schema';
import { BlockFile } from '../src/archive/files/block-file.ts';
import { Columns, oldestPlausibleUs, replaces, type Series, type SeriesKey } from '../src/archive/records.ts';
import type { ArchiveStore } from '../src/archive/store/archive-store.ts';
import { columnsOf, type SeriesSnapshot } from '../src/archive/store/snapshot.ts';

export interface PlainRecord {
  readonly time: number;
  readonly value: Value;
  readonly quality: number;
}

/** A record of the series at this place in `keys`. */
export interface ModelRecord extends PlainRecord {
  readonly key: number;
  readonly isReplacing?: boolean;
  /** The time of day when it came. */
  readonly cameUs?: number;
}

/** Every form of a value; two series of one name; a name that is also one of every object. */
export const keys: readonly SeriesKey[] = [
  { kind: 'measurements', name: 'level', datatype: 'd' },
  { kind: 'measurements', name: 'level', datatype: 'l' },
  { kind: 'measurements', name: '__proto__', datatype: 's' },
  { kind: 'commands', name: 'level', datatype: 'b' },
];

/** What the archive has to have: each record that was committed, until it is erased or replaced. */
export class StoreModel {
  #records: ModelRecord[] = [];
  #pending: ModelRecord[] = [];

  append(records: readonly ModelRecord[]): void {
    this.#pending.push(...records);
  }

  commit(): void {
    for (const record of this.#pending) {
      const { key, time, isReplacing } = record;
      if (isReplacing) this.#records = this.#records.filter((old) => old.key !== key || old.time !== time);
      this.#records.push(record);
    }
    this.#pending = [];
  }

  /** Of all series of the name, as the archive does. */
  erase({ kind, name }: SeriesKey, sinceUs: number, untilUs: number): void {
    this.commit();
    this.#records = this.#records.filter(({ key, time }) => {
      const erased = keys[key] as SeriesKey;
      return erased.kind !== kind || erased.name !== name || time < sinceUs || time >= untilUs;
    });
  }

  /** What was not committed is gone. */
  crash(): void {
    this.#pending = [];
  }

  copy(): StoreModel {
    const copy = new StoreModel();
    copy.#records = [...this.#records];
    copy.#pending = [...this.#pending];
    return copy;
  }

  /** What is not hidden, in order of time, then arrival. */
  shown(key: number, cutOffUs: number): ModelRecord[] {
    return this.#records
      .filter((record) => record.key === key && isShown(record.time, cutOffUs))
      .sort((a, b) => a.time - b.time);
  }
}

export function isShown(time: number, cutOffUs: number): boolean {
  return time < oldestPlausibleUs || time >= cutOffUs;
}

export function plainOf({ time, value, quality }: PlainRecord): PlainRecord {
  return { time, value, quality };
}

/**
 * Of records in order of time those in [sinceUs, untilUs); with `needsHead`, from the newest record before on, unless
 * those that have expired stand between.
 */
export function within(
  sorted: readonly PlainRecord[],
  { sinceUs, untilUs, needsHead, cutOffUs }: Window,
): PlainRecord[] {
  const inside = sorted.filter(({ time }) => time >= sinceUs && time < untilUs);
  const head = needsHead ? sorted.findLast(({ time }) => time < sinceUs) : undefined;
  const isInForce = head !== undefined && (sinceUs < oldestPlausibleUs || head.time >= cutOffUs);
  return isInForce ? [head, ...inside] : inside;
}

interface Window {
  readonly sinceUs: number;
  readonly untilUs: number;
  readonly needsHead: boolean;
  readonly cutOffUs: number;
}

/** Appends records, of any series, in their order. */
export function append(store: ArchiveStore, records: readonly ModelRecord[]): void {
  const numbers = Uint32Array.from(keys, (key) => store.seriesOf(key).number);
  const batch = new Batch();
  for (const { key, time, value, quality, isReplacing } of records) {
    batch.value(key, value, quality | (isReplacing ? replaces : 0), time);
  }
  store.append(batch, numbers);
}

/** What the archive has of a series. */
export function read(
  store: ArchiveStore,
  key: number,
  sinceUs = 0,
  untilUs = 2 ** 53,
  needsHead = false,
): PlainRecord[] {
  const { kind, name, datatype } = keys[key] as SeriesKey;
  const series = store.find(kind, name).filter((each) => each.datatype === datatype);
  const [snapshot] = store.snapshot(series, sinceUs, untilUs, needsHead).series;
  return snapshot === undefined ? [] : readSnapshot(snapshot, sinceUs, untilUs, needsHead);
}

function readSnapshot(snapshot: SeriesSnapshot, sinceUs: number, untilUs: number, needsHead: boolean): PlainRecord[] {
  const { series, tail, blocks, tombstones, cutOffUs } = snapshot;
  const all = new Map<number, PlainRecord[]>();
  const take = (records: readonly PlainRecord[]) => {
    for (const [at, { time, value, quality }] of records.entries()) {
      if ((quality & replaces) !== 0) {
        assert.notEqual(records[at - 1]?.time, time, 'a record is left that another one of the same source replaces');
        all.delete(time);
      }
      all.set(time, [...(all.get(time) ?? []), { time, value, quality: quality & ~replaces }]);
    }
  };
  for (const { path } of blocks) {
    const file = BlockFile.open(path);
    const applied = tombstones.filter(({ seq }) => seq > file.header.tombstonesApplied);
    const isErased = (time: number) => applied.some((erased) => time >= erased.sinceUs && time < erased.untilUs);
    take(recordsOf(file, series).filter(({ time }) => !isErased(time)));
    file.close();
  }
  if (tail !== undefined) take(plain(columnsOf(tail), series));
  const times = [...all.keys()].filter((time) => isShown(time, cutOffUs)).sort((a, b) => a - b);
  const sorted = times.flatMap((time) => all.get(time) as PlainRecord[]);
  return within(sorted, { sinceUs, untilUs, needsHead, cutOffUs });
}

/** Everything that a block has of a series. */
export function recordsOf(file: BlockFile, series: Series): PlainRecord[] {
  const columns = new Columns();
  for (const chunk of file.chunksOf(series.number)) file.read(series, chunk, columns);
  return plain(columns, series);
}

function plain({ count, times, numbers, longs, qualities, texts }: Columns, { datatype }: Series): PlainRecord[] {
  return Array.from({ length: count }, (_, at) => {
    const { form: held } = traitsOf(datatype);
    const column = held === form.text ? texts : held === form.long ? longs : numbers;
    const value = unstored(datatype, column[at] as StoredValue);
    return { time: times[at] as number, value, quality: qualities[at] as number };
  });
}
