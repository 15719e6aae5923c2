// Nothing is lost on the way to the store, and nothing is there twice, whatever is killed, stopped or cut at any moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@telltale/stack-kit/testing';
import { withoutNats } from '../../../../../test/engines/nats.ts';
import { withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { SeededRandom, testSeed } from '../../../../../test/seeded-random.ts';
import { faults } from '../../../test/bus/faults.ts';
import { UplinkWorld } from '../../../test/bus/uplink-world.ts';
import { keys, read } from '../../../test/store-model.ts';
import type { SeriesKey } from '../../archive/index.ts';

const rounds = Number(process.env.UPLINK_ROUNDS ?? 5);

function pick<T>(random: SeededRandom, choices: Readonly<Record<string, T>>): [string, T] {
  const entries = Object.entries(choices);
  return entries[random.between(0, entries.length - 1)] as [string, T];
}

test(`of what a site has archived, the store has everything once, after ${rounds} faults of any part`, {
  skip: withoutNats || withoutPostgres(),
  timeout: 120_000 + 30_000 * rounds,
}, async (t) => {
  t.diagnostic(`seed ${testSeed}`);
  const random = new SeededRandom(testSeed);
  const world = await UplinkWorld.start(t);
  for (let round = 0; round < rounds; round++) {
    const [part, struck] = pick(random, world.parts);
    const [fault, { begin, end }] = pick(random, faults);
    const [lastsMs, pauseMs] = [random.between(50, 4000), random.between(0, 1500)];
    t.diagnostic(`${round}: ${part} ${fault} for ${lastsMs} ms`);
    await begin(struck);
    await sleep(lastsMs);
    await end(struck);
    const { recorded } = world;
    await until('the site goes on recording', () => world.recorded > recorded, { deadlineMs: 60_000 });
    // Some find what is left of the one before.
    await sleep(pauseMs);
  }
  const said = await world.finish();
  const stored = await world.stored(t);
  const archive = world.openArchive();
  let [count, acknowledged] = [0, 0];
  try {
    for (const [at, key] of keys.entries()) {
      const has = stored.read(key as SeriesKey);
      const own = read(archive, at).map(({ time, value, quality }) => ({ time, value, quality }));
      assert.deepEqual(has, own, `${key.name} ${key.datatype}`);
      assert.equal(new Set(has.map(({ time }) => time)).size, has.length);
      count += has.length;
      acknowledged += has.filter(({ time }) => world.isAcknowledged((time - 1_700_000_000_000_000) / 1000)).length;
    }
  } finally {
    archive.close();
  }
  assert.equal(acknowledged, world.acknowledged);
  assert.deepEqual([said.waiting, said.stored, said.dropped, said.discarded.count], [0, count, 0, 0]);
  t.diagnostic(`${count} records, ${stored.parcels} parcels`);
});
