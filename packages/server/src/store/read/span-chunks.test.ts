// Parcels as a query reads them, against the plain store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unstored } from '@telltale/schema';
import fc from 'fast-check';
import { anyParcel, numberedParcels, sectionOf } from '../../../test/any-parcels.ts';
import { columnsOf, recordAt, type SampleRecord, sampleSeries } from '../../../test/archive-records.ts';
import { PlainStore } from '../../../test/plain-store.ts';
import type { PlainRecord } from '../../../test/store-model.ts';
import { Columns, replaces, type Series } from '../../archive/index.ts';
import { encodeParcel, type Parcel } from '../../archive/parcel/index.ts';
import { appendRecords } from './append-records.ts';
import { comparePlaces, type Place } from './place.ts';
import { layersOf } from './section-layers.ts';
import { readSpanChunk, spanChunks } from './span-chunks.ts';
import type { StoredRow } from './stored-row.ts';
import { type SeriesNumbers, UnsealedRecords } from './unsealed-records.ts';
import { UnsealedRoom } from './unsealed-room.ts';

const aParcel = anyParcel(sampleSeries, fc.integer({ min: 1, max: 7 }), [0xc0, 0xc0, 0x18]);

interface RankedRecord extends SampleRecord, Place {}

interface FakeRow extends StoredRow {
  readonly records: readonly RankedRecord[];
}

/** As the sealer does it: of what is hidden among them nothing is left. */
function sealed(parcels: readonly Parcel[], series: Series, size: number): FakeRow[] {
  const unsealed = unsealedOf(parcels, series);
  let kept: RankedRecord[] = [];
  for (const { epoch, place, columns, from, to } of unsealed.sectionsOf(series.number)) {
    const added = Array.from({ length: to - from }, (_, at) => ({
      epoch,
      place,
      ...recordAt(series, columns, from + at),
    }));
    const replaced = new Set(added.filter(({ quality }) => (quality & replaces) !== 0).map(({ timeUs }) => timeUs));
    kept = [...kept.filter(({ timeUs }) => !replaced.has(timeUs)), ...added];
  }
  kept = kept.filter((record) => {
    return !unsealed.erasuresOf(series.number).some((erased) => {
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
      const { epoch, place } = first;
      rows.push({ epoch, place, ...span, version: 0, hasSimulated: false, summary: undefined, records });
    }
  }
  return rows.sort((a, b) => comparePlaces(a, b) || a.firstUs - b.firstUs || a.part - b.part);
}

function unsealedOf(parcels: readonly Parcel[], { number }: Series): UnsealedRecords {
  const numbers: SeriesNumbers = new Map([1, 2].map((epoch) => [epoch, new Map([[number, number]])]));
  const unsealed = new UnsealedRecords(numbers, 0, 9, new UnsealedRoom(2 ** 27));
  for (const parcel of parcels) unsealed.add(parcel);
  return unsealed;
}

/** The first so many of them are sealed. */
function query(parcels: readonly Parcel[], series: Series, count: number, size: number): PlainRecord[] {
  const [before, unsealed] = [parcels.slice(0, count), unsealedOf(parcels.slice(count), series)];
  const rows = sealed(before, series, size);
  const erasures = unsealed.erasuresOf(series.number);
  const erased = [...erasures, ...unsealedOf(before, series).erasuresOf(series.number)];
  const layers = layersOf(series.datatype, unsealed.sectionsOf(series.number), erased, rows);
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
      const parcels = numberedParcels(some);
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
