// A month in 100 buckets: the averages, extremes and qualities of one series with a record a second, against reading it whole.
import type { Aggregate } from '@telltale/schema';
import { startUs } from './archive-data.ts';
import { storeOfOne } from './archive-ours.ts';
import { type Benchmark, takeTurns, timed } from './measure.ts';

const days = 30;
const buckets = 100;
const bound = 0.1;
const rounds = 15;

const asked: readonly (readonly Aggregate[])[] = [
  ['avg'],
  ['min'],
  ['percent-good'],
  ['avg', 'min', 'max', 'stddev', 'percent-good'],
];

export const archiveAggregates: Benchmark = {
  name: 'archive-aggregates',
  title: `Aggregates of ${days} days at 1 s in ${buckets} buckets, against reading it whole`,
  async run(say, { quick }) {
    const scans = (quick ? 1 : days) * 86_400;
    await using cleanup = new AsyncDisposableStack();
    const { store, name, untilUs } = await storeOfOne(cleanup, scans);
    const resampleUs = Math.ceil((untilUs - startUs) / buckets);
    const sides = [{}, ...asked.map((aggregates) => ({ aggregates, resampleUs }))].map(
      (options) => () => timed(() => store.readPages(name, startUs, untilUs, options)),
    );
    await takeTurns(2, ...sides);
    const [wholeMs = 1, ...aggregateMs] = await takeTurns(rounds, ...sides);
    say(`whole ${wholeMs.toFixed(1)} ms, in buckets ${aggregateMs.map((ms) => ms.toFixed(1)).join(', ')} ms`);
    return asked.map((aggregates, at) => {
      const ratio = (aggregateMs[at] ?? 0) / wholeMs;
      const what = `${buckets} buckets of ${aggregates.join(', ')} / reading whole`;
      return { what, figure: ratio.toFixed(3), wanted: `< ${bound}`, holds: ratio < bound };
    });
  },
};
