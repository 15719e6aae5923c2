// A site that sends parcels as real ones do, of random records: live ones, those that were left behind, some of them again, in one
// epoch after another, with series that are renamed and records that are erased.
import fc from 'fast-check';
import { Columns, replaces, type Series, type SeriesKey } from '../src/archive/index.ts';
import { encodeParcel, type Parcel, type Section } from '../src/archive/parcel/index.ts';
import { anyValue, columnsOf, type SampleRecord } from './archive-records.ts';
import { noCounters } from './store-database.ts';

export interface SentRecord {
  /** Position in `sentKeys`. */
  readonly key: number;
  readonly timeUs: number;
  readonly value: number | bigint | string;
  readonly quality: number;
}

/** Each form of a value, two that may get each other's name, and each kind. */
export const sentKeys: readonly SeriesKey[] = [
  { kind: 'measurements', name: 'level', datatype: 'd' },
  { kind: 'measurements', name: 'height', datatype: 'd' },
  { kind: 'measurements', name: 'flow', datatype: 'f' },
  { kind: 'measurements', name: 'count', datatype: 'l' },
  { kind: 'measurements', name: 'state', datatype: 'q' },
  { kind: 'measurements', name: "it's", datatype: 's' },
  { kind: 'commands', name: 'level', datatype: 'b' },
  { kind: 'alarms', name: 'level', datatype: 's' },
];

interface LeftBehind {
  readonly from: number;
  readonly to: number;
  readonly isRepeated: boolean;
  readonly records: readonly SentRecord[];
}

export interface SentParcel {
  readonly epoch: number;
  readonly seq: number;
  readonly bytes: Buffer;
}

export class SentSite {
  readonly id: string;
  #epoch = 0;
  #seq = 0;
  /** A place. */
  #live = 0;
  #series: Series[] = sentKeys.map((key, number) => ({ ...key, number }));
  readonly #declared = new Set<number>();
  readonly #before = new Map<number, { readonly seq: number; readonly declared: readonly number[] }>();
  #renamed: Series[] = [];
  #left: LeftBehind[] = [];
  #recent: SentRecord[] = [];

  constructor(id: string) {
    this.id = id;
  }

  /** What follows is of this one. */
  begin(epoch: number): void {
    this.#before.set(this.#epoch, { seq: this.#seq, declared: [...this.#declared] });
    this.#epoch = epoch;
    const { seq, declared } = this.#before.get(epoch) ?? { seq: 0, declared: [] };
    this.#seq = seq;
    this.#declared.clear();
    for (const number of declared) this.#declared.add(number);
  }

  /** They are sent now; or left behind, so that they come later. */
  record(records: readonly SentRecord[], isLeft: boolean): SentParcel[] {
    const from = this.#live;
    const to = from + records.length;
    this.#live = to;
    this.#recent.push(...records);
    if (!isLeft) return [this.#parcel([sectionOf(from, to, false, records)], [])];
    this.#left.push({ from, to, isRepeated: false, records });
    return [];
  }

  /** Where the site is opened again: what it sent last is sent again later. */
  open(): void {
    const to = this.#live + 1;
    this.#live = to;
    this.#left.push({ from: 0, to, isRepeated: true, records: this.#recent });
    this.#recent = [];
  }

  /** The oldest that were left behind, in so many pieces. */
  catchUp(pieces: number): SentParcel[] {
    const next = this.#left.shift();
    if (next === undefined) return [];
    const { from, to, isRepeated, records } = next;
    const sorted = resolved(records);
    return Array.from({ length: pieces }, (_, piece) => {
      const own = sorted.filter(({ key, timeUs }) => (key + timeUs) % pieces === piece);
      return this.#parcel([sectionOf(from, to, isRepeated, own)], []);
    });
  }

  erase(key: number, sinceUs: number, untilUs: number): SentParcel[] {
    const erased = (record: SentRecord) => record.key === key && record.timeUs >= sinceUs && record.timeUs < untilUs;
    this.#left = this.#left.map((left) => ({ ...left, records: left.records.filter((each) => !erased(each)) }));
    this.#recent = this.#recent.filter((each) => !erased(each));
    return [this.#parcel([], [{ series: key, sinceUs, untilUs, place: this.#live }])];
  }

  /** The first two exchange their names. */
  rename(): void {
    const [a, b, ...rest] = this.#series as [Series, Series, ...Series[]];
    this.#series = [{ ...a, name: b.name }, { ...b, name: a.name }, ...rest];
    this.#renamed = this.#series.filter(({ number }) => number < 2 && this.#declared.has(number));
  }

  #parcel(sections: readonly Section[], erasures: Parcel['erasures']): SentParcel {
    const used = new Set([...sections.flatMap(({ series }) => [...series]), ...erasures.map(({ series }) => series)]);
    const added = this.#series.filter(({ number }) => used.has(number) && !this.#declared.has(number));
    const series = [...this.#renamed, ...added];
    this.#renamed = [];
    for (const { number } of added) this.#declared.add(number);
    const [site, epoch, seq] = [this.id, this.#epoch, ++this.#seq];
    const parcel = {
      site,
      epoch,
      seq,
      madeUs: 1,
      position: `at ${seq}`,
      counters: noCounters,
      series,
      erasures,
      sections,
    };
    return { epoch, seq, bytes: encodeParcel(parcel, (number) => (this.#series[number] as Series).datatype) };
  }
}

/** In order of time, without those that another replaces. */
function resolved(records: readonly SentRecord[]): SentRecord[] {
  let kept: SentRecord[] = [];
  for (const record of records) {
    const { key, timeUs, quality } = record;
    if ((quality & replaces) !== 0) kept = kept.filter((old) => old.key !== key || old.timeUs !== timeUs);
    kept.push(record);
  }
  return kept.sort((a, b) => a.key - b.key || a.timeUs - b.timeUs);
}

function sectionOf(from: number, to: number, isRepeated: boolean, records: readonly SentRecord[]): Section {
  const sorted = resolved(records);
  const marked = sorted.map((record, at) => {
    const before = sorted[at - 1];
    const isFirst = before?.key !== record.key || before.timeUs !== record.timeUs;
    return { ...record, series: record.key, quality: record.quality | (isRepeated && isFirst ? replaces : 0) };
  });
  const series = [...new Set(sorted.map(({ key }) => key))];
  const ends = series.map((key) => sorted.findLastIndex((record) => record.key === key) + 1);
  const columns = marked.length === 0 ? new Columns() : columnsOf(marked as SampleRecord[]);
  const superseded = to - from - sorted.length;
  return {
    from,
    to,
    isRepeated,
    superseded: Math.max(0, superseded),
    series: Uint32Array.from(series),
    ends: Uint32Array.from(ends),
    columns,
  };
}

const beginUs = 1_760_000_000_000_000;
const times = [0, 1, 2, 3, 60, 3600, 7200, 8 * 86_400]
  .map((second) => beginUs + 1_000_000 * second)
  .concat(7, beginUs + 1);
export const sentTime = fc.constantFrom(...times);
const odd = fc.constantFrom(-0, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 0.1, 2 ** 52);

export const sentRecord: fc.Arbitrary<SentRecord> = fc.constantFrom(...sentKeys.keys(), 0, 0, 0, 0).chain((key) => {
  const { kind, datatype } = sentKeys[key] as SeriesKey;
  const usual =
    datatype === 'd'
      ? fc.oneof(
          odd,
          anyValue('d'),
          fc.integer({ min: -50, max: 50 }).map((x) => x / 4),
        )
      : anyValue(datatype);
  const quality =
    kind === 'measurements'
      ? fc.constantFrom(0xc0, 0xc0, 0xc0, 0x18, 0x40, 0x1c0, 0x4d8, 0x100)
      : fc.constantFrom(0, 0, 0x100, 0x400);
  return fc.record({ key: fc.constant(key), timeUs: sentTime, value: usual, quality });
});

/** Many of one series, one after the other: from so many seconds after the beginning on, a second apart, or as good as. */
export const sentScan: fc.Arbitrary<SentRecord[]> = fc
  .record({
    key: fc.constantFrom(0, 0, 2, 3, 5),
    since: fc.constantFrom(0, 0, 50, 1000, 4000),
    count: fc.constantFrom(3, 100, 1500),
    jitterUs: fc.constantFrom(0, 0, 700, 100_000_000),
  })
  .map(({ key, since, count, jitterUs }) =>
    Array.from({ length: count }, (_, at): SentRecord => {
      const { datatype } = sentKeys[key] as SeriesKey;
      const number = (at * 37) % 100;
      const value = datatype === 's' ? `x${number}` : datatype === 'l' ? BigInt(number) : number / 4;
      const timeUs = beginUs + 1_000_000 * (since + at) + Math.floor(jitterUs * Math.abs(Math.sin(at)));
      return { key, timeUs, value, quality: 0xc0 };
    }),
  );
