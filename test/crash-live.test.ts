// Kills the server again and again while values stream in and clients write commands, operate alarms, simulate and disable
// connectors, and looks at what is there afterwards. CRASH_RUNS and TEST_SEED as in crash.test.ts.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { LiveCrashWorld } from './crash-live-world.ts';
import { testSeed as seed } from './seeded-random.ts';
import { startServer } from './server-process.ts';

const runs = Number(process.env.CRASH_RUNS ?? 24);
/** Servers that are killed side by side, each its share of the runs. */
const worlds = 2;

const cleanup = suiteCleanup();
const files = temporaryFolder(cleanup);
const counts = new Map<string, number>();
/** A server is started often here, and compiled code speeds that up; it changes nothing else. */
const env = { NODE_COMPILE_CACHE: join(files, 'compiled') };

before(async () => {
  console.log(`CRASH_RUNS=${runs} TEST_SEED=${seed}`);
  const server = await startServer(cleanup, { data: join(files, 'empty'), env });
  await server.end(); // which keeps what it has compiled
});

describe('when the server is killed at random moments under load', { concurrency: worlds }, () => {
  for (let number = 0; number < worlds; number++) {
    const share = Math.ceil((runs - number) / worlds);
    test(`${share} times, commands, alarms, simulations and what is disabled are as acknowledged, and no command was sent twice`, async (t) => {
      const world = await LiveCrashWorld.make(t, { data: join(files, `data-${number}`), env }, seed + number);
      await world.prepare();
      for (let run = 1; run <= share; run++) {
        await world.writeAndKill();
        world.checkIntegrity();
        await world.start();
        await world.check();
      }
      await world.stop();
      for (const [what, count] of world.counts) counts.set(what, (counts.get(what) ?? 0) + count);
    });
  }
});

test('by then requests of every kind were acknowledged, refused and cut off', {
  skip: runs < 20 && 'it takes 20 kills (CRASH_RUNS)',
}, () => {
  const seconds = (counts.get('ms') ?? 0) / 1000;
  console.log(Array.from(counts, ([what, count]) => `${what}: ${count} (${Math.round(count / seconds)}/s)`).join(', '));
  const kinds = ['command', 'alarm', 'simulation', 'link', 'refused command', 'refused simulation', 'updates'];
  // Of a few kills, none may have come between the change and its answer.
  const rare = runs < 100 ? [] : ['cut off after it had happened'];
  for (const kind of [...kinds, 'cut off', ...rare]) assert.ok(counts.get(kind), `no ${kind}`);
});
