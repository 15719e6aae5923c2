// Selecting some of 100,000 points, against reading the same points by their names: what is not selected costs nothing.
import type { Measurement, Selector } from '@telltale/schema';
import { LiveData } from '../packages/server/src/operations/index.ts';
import { LivePoints } from './live-points.ts';
import { atMost, type Benchmark, takeTurns, timed } from './measure.ts';

const count = 100_000;
const perSkid = 100;
const rounds = 15;
const readsARound = 20;

/** A thousand skids with a hundred points each. */
function pointOf(at: number): Measurement {
  const skid = Math.floor(at / perSkid);
  const name = `skid${String(skid).padStart(4, '0')}_p${String(at % perSkid).padStart(2, '0')}`;
  return {
    name,
    datatype: 'd',
    address: 'a',
    area: `works.line${skid % 10}.skid${skid}`,
    description: `Point of ${skid}x`,
  };
}

const selectors: Readonly<Record<string, Selector>> = {
  'names=skid0420_*': { names: ['skid0420_*'] },
  'names=*0420_*': { names: ['*0420_*'] },
  'area=works.line0.skid420': { area: ['works.line0.skid420'] },
  'search=skid0420': { search: 'skid0420' },
  'quality=good': { quality: ['good'] },
};

export const selectors100k: Benchmark = {
  name: 'selectors',
  title: `selecting ${perSkid} of ${count} measurements, against names= of the same`,
  run: async (say) => {
    const points = new LivePoints(Array.from({ length: count }, (_, at) => pointOf(at)));
    points.change(perSkid); // these are good
    const { measurements, commands, alarms } = points;
    const data = new LiveData({ measurements, commands, alarms });
    const results = [];
    for (const [title, selector] of Object.entries(selectors)) {
      const read = (selection: Selector) => async () => {
        for (let times = 0; times < readsARound; times++) await data.readMeasurements(selection);
      };
      const firstMs = await timed(async () => data.readMeasurements(selector));
      const names = await data.selectedNames('measurements', selector, {});
      if (names.length !== perSkid) throw new Error(`${title} selects ${names.length}`);
      const [selectedMs = 0, namedMs = 1] = await takeTurns(
        rounds,
        () => timed(read(selector)),
        () => timed(read({ names })),
      );
      const us = (ms: number) => ((ms / readsARound) * 1000).toFixed(0);
      say(
        `${title}: ${us(selectedMs)} µs, by names ${us(namedMs)} µs; the first time, with its index, ${firstMs.toFixed(0)} ms`,
      );
      results.push(atMost(`${title} / names= of the same ${perSkid}`, selectedMs / namedMs, 5));
    }
    return results;
  },
};
