// Parcels as a query reads them, against the plain store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unstored } from '@telltale/schema';
import fc from 'fast-check';
import { anyValue, recordAt, type SampleRecord, sampleSeries } from '../../../test/archive-records.ts';
import { PlainStore } from '../../../test/plain-store.ts';
import type { PlainRecord } from '../../../test/store-model.ts';
import { encodeParcel, liveSection, type Parcel, replaces, type Section, type Series } from '../../archive/index.ts';
import { NameSnapshot } from '../../archive/query/name-snapshot.ts';
import type { NameContext } from '../../archive/query/record-cursor.ts';
import { RecordMerge } from '../../archive/query/record-merge.ts';
import { atEnd, atRun } from '../../archive/query/record-runs.ts';
import { ColumnsBlock } from './columns-block.ts';
import { layersOf } from './section-layers.ts';
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

function query(parcels: UnsealedParcels, series: Series): PlainRecord[] {
  const numbers = new Map([1, 2].map((epoch) => [epoch, series.number]));
  const layers = layersOf(series.datatype, parcels.sectionsOf(numbers), parcels.erasuresOf(numbers));
  const blocks = new Map(layers.map(({ columns }, at) => [String(at), new ColumnsBlock(columns)]));
  const context: NameContext = {
    blockOf: (path) => blocks.get(path),
    chunksIn: (block) => block?.chunksOf(series.number, 0, 0) as never,
    read(block, _series, chunk, into) {
      into.clear();
      return block.read(series, chunk, into) === undefined;
    },
  };
  const located = layers.map(({ columns: { times, count } }, at) => {
    return { path: String(at), firstUs: times[0] as number, lastUs: times[count - 1] as number };
  });
  const part = { series, tail: undefined, blocks: located, tombstones: [], cutOffUs: 0 };
  const merge = new RecordMerge(new NameSnapshot([part], context).cursors({ sinceUs: 0, untilUs: 2 ** 53 }), false);
  const records: PlainRecord[] = [];
  for (let step = merge.next(); step !== atEnd; step = merge.next()) {
    if (step !== atRun) continue;
    for (let at = merge.from; at < merge.to; at++) records.push(plain(series, recordAt(series, merge.columns, at)));
  }
  return records;
}

function plain({ datatype }: Series, { timeUs, value, quality }: SampleRecord): PlainRecord {
  return { time: timeUs, value: unstored(datatype, value), quality: quality & ~replaces };
}

test('parcels in any order of their places give each record that nothing of a higher place hides, in the order of places', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aParcel, { maxLength: 8 }), async (some) => {
      const parcels = numbered(some);
      const store = new PlainStore();
      await store.claim();
      await store.claim();
      for (const parcel of parcels) {
        const bytes = encodeParcel(parcel, (number) => (sampleSeries[number] as Series).datatype);
        await store.send('here', parcel.epoch, parcel.seq, bytes);
      }
      const unsealed = new UnsealedParcels(parcels);
      for (const series of sampleSeries) assert.deepEqual(query(unsealed, series), store.read(series), series.name);
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
