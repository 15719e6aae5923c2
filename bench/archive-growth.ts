// What a record costs to write, and a window to read, as the archive grows to 100 million records.
import type { Batch } from '@telltale/schema';
import { type DataSet, dataSeries, makeData, randomSource, scanUs, startUs } from './archive-data.ts';
import { batchesOf, OurStore } from './archive-ours.ts';
import { atMost, type Benchmark, median } from './measure.ts';

const seriesCount = 1000;
const scansAStep = 1000;
const windowRecords = 1000;
const windows = 100;
/** Steps of which the median counts, at the beginning and at the end. */
const steps = 5;
const repeats = 9;

export const archiveGrowth: Benchmark = {
  name: 'archive-growth',
  title: 'Cost a record of writing, and of reading a window, as the archive grows',
  async run(say, { millions, quick }) {
    const top = quick ? Math.min(millions, 12) : millions;
    const data = makeData(seriesCount, scansAStep, 'shared');
    const batches = batchesOf(data);
    await warmUp(data, batches);
    const store = new OurStore();
    const writes: number[] = [];
    const reads: number[] = [];
    let mergeMs = 0;
    try {
      for (let step = 0; step < top; step++) {
        if (step > 0) shift(batches);
        writes.push((1e6 * store.write(data.series, batches)) / data.records);
        mergeMs += store.merge(false);
        if (step < steps || step >= top - steps) reads.push(readWindows(store, (step + 1) * scansAStep));
        if (step === 0 || (step + 1) % 10 === 0) {
          say(
            `${step + 1} million: writing ${writes.at(-1)?.toFixed(0)} ns a record, ${await bytes(store, step)} B a record`,
          );
        }
      }
      const ends = (figures: readonly number[]) =>
        [median(figures.slice(0, steps)), median(figures.slice(-steps))] as const;
      const [[firstWrite, lastWrite], [firstRead, lastRead]] = [ends(writes), ends(reads)];
      say(
        `writing ${firstWrite.toFixed(0)} and ${lastWrite.toFixed(0)} ns a record, merging ${((1e6 * mergeMs) / (top * data.records)).toFixed(0)} ns`,
      );
      say(`${windows} windows ${firstRead.toFixed(1)} and ${lastRead.toFixed(1)} ms`);
      return [
        atMost(`writing a record, ${top} million / 1 to ${steps} million`, lastWrite / firstWrite, 1.2),
        atMost(`reading a window, ${top} million / 1 to ${steps} million`, lastRead / firstRead, 1.2),
      ];
    } finally {
      await store.stop();
    }
  },
};

/** The compiler has seen everything before the first figure. */
async function warmUp(data: DataSet, batches: readonly Batch[]): Promise<void> {
  const store = new OurStore();
  try {
    for (let step = 0; step < 3; step++) {
      store.write(data.series, batches);
      shift(batches);
    }
    store.merge(false);
    readWindows(store, scansAStep);
  } finally {
    for (let step = 0; step < 3; step++) shift(batches, -1);
    await store.stop();
  }
}

/** The same values again, later. */
function shift(batches: readonly Batch[], times = 1): void {
  const byUs = times * scansAStep * scanUs;
  for (const { times: column, count } of batches) {
    for (let at = 0; at < count; at++) column[at] = (column[at] as number) + byUs;
  }
}

/** Milliseconds of windows at random in all that there is: the median of some repetitions. */
function readWindows(store: OurStore, scans: number): number {
  const series = dataSeries(seriesCount);
  const figures = Array.from({ length: repeats }, (_, repeat) => {
    const random = randomSource(repeat);
    const start = performance.now();
    for (let window = 0; window < windows; window++) {
      const sinceUs = startUs + (random() % (scans - windowRecords + 1)) * scanUs;
      const count = store.readNow(
        series[random() % seriesCount]?.name ?? '',
        sinceUs,
        sinceUs + windowRecords * scanUs,
      );
      if (count !== windowRecords) throw new Error(`${count} of ${windowRecords} records`);
    }
    return performance.now() - start;
  });
  return median(figures);
}

async function bytes(store: OurStore, step: number): Promise<string> {
  return ((await store.bytes()) / ((step + 1) * seriesCount * scansAStep)).toFixed(2);
}
