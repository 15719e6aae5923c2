// Renders random differences while clients read, write, simulate and watch: whatever they see, and whatever devices are sent,
// is of one configuration. TRAFFIC_RUNS says how many renderings, TEST_SEED repeats the choices (not the moments).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testSeed as seed } from './seeded-random.ts';
import { TrafficWorld } from './traffic-world.ts';

const runs = Number(process.env.TRAFFIC_RUNS ?? 40);
/** Then everything rests, and is looked at. */
const runsARound = 20;

test(`under traffic, everything that is seen or sent in ${runs} renderings is of the old configuration or the new one`, async (t) => {
  console.log(`TRAFFIC_RUNS=${runs} TEST_SEED=${seed}`);
  const world = await TrafficWorld.start(t, seed);
  for (let left = runs; left > 0; left -= runsARound) await world.render(Math.min(left, runsARound));
  await world.stop();
  console.log(Array.from(world.counts, ([kind, count]) => `${kind}: ${count}`).join(', '));
  for (const kind of ['renderings', 'write: accepted', 'updates']) assert.ok(world.counts.get(kind), `no ${kind}`);
});
