// What a record costs to write, and a window to read, in an archive of 100 million records, against one that begins:
// the two take turns.
import { makeData, randomSource, scanUs, startUs } from './archive-data.ts';
import { batchesOf, OurStore } from './archive-ours.ts';
import { atMost, type Benchmark, takeTurns } from './measure.ts';

const seriesCount = 1000;
const scansAStep = 1000;
const recordsAStep = seriesCount * scansAStep;
const windowRecords = 1000;
const windows = 100;
/** Millions that each of the two takes while it is measured. */
const steps = 5;
const readRounds = 15;

export const archiveGrowth: Benchmark = {
  name: 'archive-growth',
  title: 'Cost a record of writing, and of reading a window, as the archive grows',
  async run(say, { millions, quick }) {
    const top = Math.max(2 * steps, quick ? Math.min(millions, 12) : millions);
    await using cleanup = new AsyncDisposableStack();
    const [small, large] = [new GrowingArchive(cleanup), new GrowingArchive(cleanup)];
    let mergeMs = 0;
    while (large.millions < top - steps) {
      const writeMs = large.grow();
      mergeMs += large.store.merge(false);
      if (large.millions % 10 === 0) say(await large.summary(writeMs));
    }
    say(`merging has taken ${((1e6 * mergeMs) / (large.millions * recordsAStep)).toFixed(0)} ns a record`);
    const [smallWrite = 1, largeWrite = 0] = await takeTurns(steps, ...[small, large].map((each) => () => each.grow()));
    for (const { store } of [small, large]) store.merge(false);
    const [smallRead = 1, largeRead = 0] = await takeTurns(
      readRounds,
      ...[small, large].map((each) => () => each.readWindows()),
    );
    const ns = (ms: number) => ((1e6 * ms) / recordsAStep).toFixed(0);
    say(`writing ${ns(smallWrite)} and ${ns(largeWrite)} ns a record`);
    say(`${windows} windows ${smallRead.toFixed(1)} and ${largeRead.toFixed(1)} ms`);
    return [
      atMost(`writing a record, at ${top} million / at 1 to ${steps} million`, largeWrite / smallWrite, 1.2),
      atMost(`reading a window, at ${top} million / at ${steps} million`, largeRead / smallRead, 1.2),
    ];
  },
};

class GrowingArchive {
  readonly store: OurStore;
  millions = 0;
  readonly #data = makeData(seriesCount, scansAStep, 'shared');
  readonly #batches = batchesOf(this.#data);
  readonly #random = randomSource(1);

  constructor(cleanup: AsyncDisposableStack) {
    this.store = new OurStore(cleanup);
  }

  /** A million records more, the same values again, later; the milliseconds that it took. */
  grow(): number {
    const elapsed = this.store.write(this.#data.series, this.#batches);
    this.millions++;
    for (const { times, count } of this.#batches) {
      for (let at = 0; at < count; at++) times[at] = (times[at] as number) + scansAStep * scanUs;
    }
    return elapsed;
  }

  /** Milliseconds of windows at random in all that there is. */
  readWindows(): number {
    const [{ series }, random] = [this.#data, this.#random];
    const start = performance.now();
    for (let window = 0; window < windows; window++) {
      const scan = random() % (this.millions * scansAStep - windowRecords + 1);
      const sinceUs = startUs + scan * scanUs;
      const name = series[random() % seriesCount]?.name ?? '';
      const count = this.store.readNow(name, sinceUs, sinceUs + windowRecords * scanUs);
      if (count !== windowRecords) throw new Error(`${count} of ${windowRecords} records`);
    }
    return performance.now() - start;
  }

  async summary(writeMs: number): Promise<string> {
    const records = this.millions * recordsAStep;
    const bytes = (await this.store.bytes()) / records;
    const ns = (1e6 * writeMs) / recordsAStep;
    return `${this.millions} million: writing ${ns.toFixed(0)} ns a record, ${bytes.toFixed(2)} B a record`;
  }
}
