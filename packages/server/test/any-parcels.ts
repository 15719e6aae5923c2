// Parcels as a site may send them, in any order of places.
import fc from 'fast-check';
import { replaces, type Series } from '../src/archive/index.ts';
import { liveSection, type Parcel, type Section } from '../src/archive/parcel/index.ts';
import { anyValue, type SampleRecord, sampleSeries } from './archive-records.ts';
import { noCounters } from './store-database.ts';

export type AnyParcel = Pick<Parcel, 'epoch' | 'sections' | 'erasures'>;

/** Of two epochs, with records of these series at these times. */
export function anyParcel(
  series: readonly Series[],
  times: fc.Arbitrary<number>,
  qualities: readonly number[],
  aValue = anyValue,
): fc.Arbitrary<AnyParcel> {
  const place = fc.nat({ max: 5 });
  const record = fc.constantFrom(...series).chain(({ number, datatype }) =>
    fc.record({
      series: fc.constant(number),
      timeUs: times,
      value: aValue(datatype),
      quality: fc.constantFrom(...qualities, ...qualities.map((quality) => quality | replaces)),
    }),
  );
  const section = fc.tuple(place, fc.array(record, { maxLength: 6 })).map(([to, records]) => sectionOf(to, records));
  const erasure = fc.record({
    series: fc.constantFrom(...series.map(({ number }) => number)),
    sinceUs: times,
    untilUs: times,
    place,
  });
  return fc.record({
    epoch: fc.constantFrom(1, 1, 2),
    sections: fc.array(section, { maxLength: 3 }),
    erasures: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(erasure, { maxLength: 2 })),
  });
}

/** As the sender makes it of what is in memory. */
export function sectionOf(to: number, records: readonly SampleRecord[]): Section {
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
export function numberedParcels(some: readonly AnyParcel[], site = 'here'): Parcel[] {
  const seqs = new Map<number, number>();
  const sorted = some.toSorted((a, b) => a.epoch - b.epoch);
  return [1, 2]
    .flatMap((epoch) => [{ epoch, sections: [], erasures: [] }, ...sorted.filter((each) => each.epoch === epoch)])
    .map((each) => {
      const seq = (seqs.get(each.epoch) ?? 0) + 1;
      seqs.set(each.epoch, seq);
      const series = seq === 1 ? sampleSeries : [];
      return { site, seq, madeUs: 0, position: String(seq), counters: noCounters, series, ...each };
    });
}
