// Parcels as a query reads them, against the plain store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unstored } from '@telltale/schema';
import fc from 'fast-check';
import { anyValue, columnsOf, recordAt, type SampleRecord, sampleSeries } from '../../../test/archive-records.ts';
import { PlainStore } from '../../../test/plain-store.ts';
import type { PlainRecord } from '../../../test/store-model.ts';
import {
  Columns,
  encodeParcel,
  liveSection,
  type Parcel,
  replaces,
  type Section,
  type Series,
} from '../../archive/index.ts';
import { appendRecords } from './append-records.ts';
import { comparePlaces, type Place } from './place.ts';
import { layersOf } from './section-layers.ts';
import { readSpanChunk, spanChunks } from './span-chunks.ts';
import type { StoredRow } from './stored-row.ts';
import { UnsealedParcels } from './unsealed-parcels.ts';

const counters = {
  stored: 0,
  dropped: 0,
  discarded: 0,
  discardedSinceUs: 0,
  discardedUntilUs: 0,
  backlog: 0,
  oldestUnsentUs: 0,
};
const sevenTimes = fc.integer({ min: 1, max: 7 });
const aRecord = fc.constantFrom(...sampleSeries).chain(({ number, datatype }) =>
  fc.record({
    series: fc.constant(number),
    timeUs: sevenTimes,
    value: anyValue(datatype),
    quality: fc.constantFrom(0xc0, 0x18, 0xc0 | replaces),
  }),
);
const place = fc.nat({ max: 5 });
const aSection = fc.tuple(place, fc.array(aRecord, { maxLength: 6 })).map(([to, records]) => sectionOf(to, records));
const anErasure = fc.record({
  series: fc.nat({ max: sampleSeries.length - 1 }),
  sinceUs: sevenTimes,
  untilUs: sevenTimes,
  place,
});
const aParcel = fc.record({
  epoch: fc.constantFrom(1, 1, 2),
  sections: fc.array(aSection, { maxLength: 3 }),
  erasures: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(anErasure, { maxLength: 2 })),
});

/** As the sender makes it of what is in memory. */
function sectionOf(to: number, records: readonly SampleRecord[]): Section {
  const texts: string[] = [];
  const numbers = new Float64Array(records.length);
  const longs = new BigInt64Array(numbers.buffer);
  for (const [at, { value }] of records.entries()) {
    if (typeof value === 'bigint') longs[at] = value;
    else if (typeof value === 'number') numbers[at] = value;
    else texts[at] = value;
  }
  const times = Float64Array.from(records, ({ timeUs }) => timeUs);
  const qualities = Uint16Array.from(records, ({ quality }) => quality);
  const series = Uint32Array.from(records, (record) => record.series);
  return liveSection({ from: 0, to, series, times, numbers, qualities, texts, isErased: undefined });
}

/** One after the other in each epoch, of which each knows all series. */
function numbered(some: readonly Pick<Parcel, 'epoch' | 'sections' | 'erasures'>[]): Parcel[] {
  const seqs = new Map<number, number>();
  const sorted = some.toSorted((a, b) => a.epoch - b.epoch);
  return [1, 2]
    .flatMap((epoch) => [{ epoch, sections: [], erasures: [] }, ...sorted.filter((each) => each.epoch === epoch)])
    .map((each) => {
      const seq = (seqs.get(each.epoch) ?? 0) + 1;
      seqs.set(each.epoch, seq);
      const series = seq === 1 ? sampleSeries : [];
      return { site: 'here', seq, madeUs: 0, position: String(seq), counters, series, ...each };
    });
}

interface RankedRecord extends SampleRecord, Place {}

interface FakeRow extends StoredRow {
  readonly records: readonly RankedRecord[];
}

/** As the sealer does it: of what is hidden among them nothing is left. */
function sealed(parcels: readonly Parcel[], series: Series, size: number): FakeRow[] {
  const unsealed = new UnsealedParcels(parcels);
  const numbers = numbersOf(series);
  let kept: RankedRecord[] = [];
  for (const { epoch, place, columns, from, to } of unsealed.sectionsOf(numbers)) {
    const added = Array.from({ length: to - from }, (_, at) => ({
      epoch,
      place,
      ...recordAt(series, columns, from + at),
    }));
    const replaced = new Set(added.filter(({ quality }) => (quality & replaces) !== 0).map(({ timeUs }) => timeUs));
    kept = [...kept.filter(({ timeUs }) => !replaced.has(timeUs)), ...added];
  }
  kept = kept.filter((record) => {
    return !unsealed.erasuresOf(numbers).some((erased) => {
      return erased.sinceUs <= record.timeUs && record.timeUs < erased.untilUs && comparePlaces(record, erased) <= 0;
    });
  });
  const rows: FakeRow[] = [];
  for (const rank of [...new Set(kept.map(({ epoch, place }) => `${epoch} ${place}`))]) {
    const own = kept.filter(({ epoch, place }) => `${epoch} ${place}` === rank).sort((a, b) => a.timeUs - b.timeUs);
    for (let at = 0; at < own.length; at += size) {
      const records = own.slice(at, at + size);
      const [first, last] = [records[0] as RankedRecord, records.at(-1) as RankedRecord];
      const span = { firstUs: first.timeUs, lastUs: last.timeUs, count: records.length, part: at };
      rows.push({ epoch: first.epoch, place: first.place, ...span, hasSimulated: false, summary: undefined, records });
    }
  }
  return rows.sort((a, b) => comparePlaces(a, b) || a.firstUs - b.firstUs || a.part - b.part);
}

function numbersOf(series: Series): ReadonlyMap<number, number> {
  return new Map([1, 2].map((epoch) => [epoch, series.number]));
}

/** The first so many of them are sealed. */
function query(parcels: readonly Parcel[], series: Series, count: number, size: number): PlainRecord[] {
  const [before, unsealed] = [parcels.slice(0, count), new UnsealedParcels(parcels.slice(count))];
  const numbers = numbersOf(series);
  const rows = sealed(before, series, size);
  const erasures = unsealed.erasuresOf(numbers);
  const erased = [...erasures, ...new UnsealedParcels(before).erasuresOf(numbers)];
  const layers = layersOf(series.datatype, unsealed.sectionsOf(numbers), erased, rows);
  const chunks = spanChunks({ rows, layers, erasures }, 0, 9);
  const records: SampleRecord[] = [];
  let endUs = -1;
  for (const chunk of chunks) {
    assert.ok(chunk.firstUs > endUs || (chunk.firstUs === endUs && layers.length > 0), 'chunks follow each other');
    endUs = chunk.lastUs;
    const into = new Columns();
    readSpanChunk(series.datatype, chunk, (row, to) => appendAll((row as FakeRow).records, to), into);
    if (chunk.count !== undefined) assert.equal(into.count, chunk.count);
    for (let at = 0; at < into.count; at++) records.push(recordAt(series, into, at));
  }
  return records.map((record) => plain(series, record));
}

function appendAll(records: readonly SampleRecord[], into: Columns): void {
  const columns = columnsOf(records);
  appendRecords(columns, 0, columns.count, into);
}

function plain({ datatype }: Series, { timeUs, value, quality }: SampleRecord): PlainRecord {
  return { time: timeUs, value: unstored(datatype, value), quality: quality & ~replaces };
}

test('whatever is sealed, in any order of places each record is read that nothing of a higher place hides, in order', async () => {
  const size = fc.integer({ min: 1, max: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(aParcel, { maxLength: 8 }), fc.nat({ max: 10 }), size, async (some, count, size) => {
      const parcels = numbered(some);
      const store = new PlainStore();
      await store.claim();
      await store.claim();
      for (const parcel of parcels) {
        const bytes = encodeParcel(parcel, (number) => (sampleSeries[number] as Series).datatype);
        await store.send('here', parcel.epoch, parcel.seq, bytes);
      }
      for (const series of sampleSeries) {
        assert.deepEqual(query(parcels, series, count, size), store.read(series), series.name);
      }
    }),
    { numRuns: 500 },
  );
});

test('records that come one after the other are one layer, unless something else is between them', () => {
  const records = [1, 2, 3, 4].map((timeUs): SampleRecord => ({ series: 1, timeUs, value: timeUs, quality: 0xc0 }));
  const sections = records.map((record, at) => {
    const { columns } = sectionOf(at, [record]);
    return { epoch: 1, place: at, columns, from: 0, to: 1 };
  });
  const timesOf = (cuts: readonly number[]) => {
    const layers = layersOf(
      'd',
      sections,
      [],
      cuts.map((place) => ({ epoch: 1, place })),
    );
    return layers.map(({ columns: { times, count } }) => [...times.subarray(0, count)]);
  };
  assert.deepEqual(timesOf([]), [[1, 2, 3, 4]]);
  assert.deepEqual(timesOf([0]), [[1, 2, 3, 4]]);
  assert.deepEqual(timesOf([1, 2]), [[1], [2], [3, 4]]);
  assert.deepEqual(timesOf([9]), [[1, 2, 3, 4]]);
});
