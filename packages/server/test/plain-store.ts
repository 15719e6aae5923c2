// A store in memory, as plain as it can be: what a real one has to come to, whatever order parcels have.
import { form, traitsOf, unstored, type Value } from '@telltale/schema';
import { replaces, type Series, type SeriesKey } from '../src/archive/index.ts';
import { decodeParcel, type Section } from '../src/archive/parcel/index.ts';
import type { Claimed, ParcelStore, Received } from '../src/store/parcel-store.ts';
import type { PlainRecord } from './store-model.ts';

interface StoredRecord extends PlainRecord, Ordered {
  readonly series: SeriesIdentity;
  readonly isReplacing: boolean;
}

interface Ordered {
  readonly epoch: number;
  readonly place: number;
}

/** One that is renamed stays the same. */
interface SeriesIdentity {
  key: SeriesKey;
}

interface Stream {
  readonly parcels: { readonly seq: number; readonly position: string; readonly bytes: Uint8Array }[];
}

const nothing: Received = { seq: 0, position: '' };

export class PlainStore implements ParcelStore {
  /** Of one site, by epoch. */
  readonly #streams = new Map<number, Stream>();
  /** What happens to the next parcels: 0 it is stored, 1 it is refused, 2 its answer is lost. */
  readonly troubles: number[] = [];
  mostBytes: number | undefined;

  /** Every parcel that it has, in the order of epochs and numbers. */
  all(): { readonly epoch: number; readonly bytes: Uint8Array }[] {
    const streams = [...this.#streams].sort(([a], [b]) => a - b);
    return streams.flatMap(([epoch, { parcels }]) => parcels.map(({ bytes }) => ({ epoch, bytes })));
  }

  get parcels(): number {
    return this.#streams.values().reduce((sum, { parcels }) => sum + parcels.length, 0);
  }

  async newest(_site: string, epoch: number): Promise<Received | undefined> {
    const stream = this.#streams.get(epoch);
    return stream && (stream.parcels.at(-1) ?? nothing);
  }

  async claim(_site?: string, given?: number): Promise<Claimed> {
    const isFree = given !== undefined && (this.#streams.get(given)?.parcels.length ?? 0) === 0;
    const epoch = isFree ? given : Math.max(0, ...this.#streams.keys()) + 1;
    this.#streams.set(epoch, { parcels: [] });
    return { epoch, isKnown: this.parcels > 0 };
  }

  async send(_site: string, epoch: number, seq: number, bytes: Uint8Array): Promise<Received> {
    const trouble = this.troubles.shift() ?? 0;
    if (trouble === 1) throw new Error('the store is away');
    const stream = this.#streams.get(epoch);
    if (stream === undefined) throw new Error('the store does not know the epoch');
    const newest = stream.parcels.at(-1);
    if (seq === (newest?.seq ?? 0) + 1) {
      stream.parcels.push({ seq, position: decodeParcel(bytes).position, bytes });
    }
    if (trouble === 2) throw new Error('the answer is lost');
    return stream.parcels.at(-1) ?? nothing;
  }

  /** As it was so many parcels ago. */
  restore(parcels: number): void {
    for (let left = parcels; left > 0 && this.parcels > 0; left--) {
      // An epoch of which nothing is left was claimed after the parcel that goes now.
      for (const [epoch, stream] of [...this.#streams].reverse()) {
        if (stream.parcels.pop() !== undefined) break;
        this.#streams.delete(epoch);
      }
    }
  }

  /** Of a series, in order of time; of equal times in that of their places. */
  read({ kind, name, datatype }: SeriesKey): PlainRecord[] {
    return this.#resolved()
      .filter(({ series: { key } }) => key.kind === kind && key.name === name && key.datatype === datatype)
      .sort((a, b) => a.time - b.time)
      .map(({ time, value, quality }) => ({ time, value, quality }));
  }

  #resolved(): StoredRecord[] {
    const identities: SeriesIdentity[] = [];
    const records: StoredRecord[] = [];
    const erasures: (Ordered & { series: SeriesIdentity; sinceUs: number; untilUs: number })[] = [];
    for (const [epoch, { parcels }] of [...this.#streams].sort(([a], [b]) => a - b)) {
      const byNumber = new Map<number, SeriesIdentity>();
      for (const { bytes } of parcels) {
        const parcel = decodeParcel(bytes);
        for (const series of parcel.series) declare(series, byNumber, identities);
        for (const { series, place, ...times } of parcel.erasures) {
          erasures.push({ epoch, place, series: byNumber.get(series) as SeriesIdentity, ...times });
        }
        for (const section of parcel.sections) records.push(...recordsOf(section, epoch, byNumber));
      }
    }
    // Stable: those of a section stay in their order.
    const sorted = records.sort((a, b) => a.epoch - b.epoch || a.place - b.place);
    const kept = new Map<SeriesIdentity, Map<number, StoredRecord[]>>();
    for (const record of sorted) {
      const ofSeries = kept.get(record.series) ?? new Map<number, StoredRecord[]>();
      kept.set(record.series, ofSeries);
      const before = record.isReplacing ? [] : (ofSeries.get(record.time) ?? []);
      ofSeries.set(record.time, [...before, record]);
    }
    const all = [...kept.values()].flatMap((ofSeries) => [...ofSeries.values()].flat());
    return all.filter((record) => {
      return !erasures.some(({ series, sinceUs, untilUs, epoch, place }) => {
        if (series !== record.series || record.time < sinceUs || record.time >= untilUs) return false;
        return record.epoch < epoch || (record.epoch === epoch && record.place <= place);
      });
    });
  }
}

function declare(series: Series, byNumber: Map<number, SeriesIdentity>, all: SeriesIdentity[]): void {
  const { kind, name, datatype } = series;
  const known = byNumber.get(series.number);
  if (known !== undefined) {
    known.key = { kind, name, datatype };
    return;
  }
  const taken = new Set(byNumber.values());
  const same = all.find((each) => {
    const { key } = each;
    return !taken.has(each) && key.kind === kind && key.name === name && key.datatype === datatype;
  });
  const identity = same ?? { key: { kind, name, datatype } };
  if (same === undefined) all.push(identity);
  byNumber.set(series.number, identity);
}

function recordsOf(section: Section, epoch: number, byNumber: ReadonlyMap<number, SeriesIdentity>): StoredRecord[] {
  const { series: numbers, ends, columns } = section;
  const records: StoredRecord[] = [];
  let at = 0;
  for (const [index, number] of numbers.entries()) {
    const series = byNumber.get(number) as SeriesIdentity;
    for (; at < (ends[index] as number); at++) {
      const quality = columns.qualities[at] as number;
      records.push({
        series,
        epoch,
        place: section.to,
        time: columns.times[at] as number,
        value: valueAt(series.key, section, at),
        quality: quality & ~replaces,
        isReplacing: (quality & replaces) !== 0,
      });
    }
  }
  return records;
}

function valueAt({ datatype }: SeriesKey, { columns }: Section, at: number): Value {
  const { form: held } = traitsOf(datatype);
  if (held === form.text) return unstored(datatype, columns.texts[at] as string);
  return unstored(datatype, held === form.long ? (columns.longs[at] as bigint) : (columns.numbers[at] as number));
}
