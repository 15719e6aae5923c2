// The trend of a month: at most 2,000 points of one series with a record a second, against reading it whole.

import { startUs } from './archive-data.ts';
import { storeOfOne } from './archive-ours.ts';
import { type Benchmark, takeTurns, timed } from './measure.ts';

const days = 30;
const maxPoints = 2000;
const bound = 0.1;
const rounds = 15;

export const archiveTrend: Benchmark = {
  name: 'archive-trend',
  title: `The trend of ${days} days at 1 s, at most ${maxPoints} points, against reading it whole`,
  async run(say, { quick }) {
    const scans = (quick ? 1 : days) * 86_400;
    await using cleanup = new AsyncDisposableStack();
    const { store, name, untilUs } = await storeOfOne(cleanup, scans);
    const whole = () => timed(() => store.readPages(name, startUs, untilUs));
    const trend = () => timed(() => store.readPages(name, startUs, untilUs, { maxPoints }));
    await takeTurns(2, whole, trend);
    const [wholeMs = 1, trendMs = 0] = await takeTurns(rounds, whole, trend);
    say(`whole ${wholeMs.toFixed(1)} ms, ${maxPoints} points ${trendMs.toFixed(1)} ms`);
    const ratio = trendMs / wholeMs;
    const what = `trend of ${maxPoints} points / reading whole`;
    return [{ what, figure: ratio.toFixed(3), wanted: `< ${bound}`, holds: ratio < bound }];
  },
};
