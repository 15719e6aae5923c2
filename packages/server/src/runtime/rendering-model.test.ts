// A model of renderings: random differences, one after the other, under values, writes, simulations, alarms, watches and
// providers. Whatever is seen at one moment is of one configuration, and whatever a device is sent is meant by one.
import { test } from 'node:test';
import fc from 'fast-check';
import { anyPlant } from '../../test/rendering-plant.ts';
import { RenderingPlay, type Step } from '../../test/rendering-play.ts';

const anyStep: fc.Arbitrary<Step> = fc.record({
  plant: anyPlant,
  /** The next one comes when this one has settled, when it runs, or at once; or it fails while it is prepared. */
  next: fc.constantFrom('settle', 'settle', 'run', 'at once', 'fail'),
  seed: fc.nat(),
});

const { RENDERING_RUNS = '4' } = process.env;

test('whatever is seen at one moment, and whatever a device is sent, is of one rendering', async (t) => {
  const seen: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 6, maxLength: 16 }), async (steps) => {
      await using play = await RenderingPlay.start(seen);
      for (const step of steps) await play.render(step);
      await play.settle();
    }),
    {
      numRuns: Number(RENDERING_RUNS),
      // To shrink it would take longer than to read it.
      endOnFailure: true,
    },
  );
  t.diagnostic(JSON.stringify(seen));
});
