// Kills the server again and again while clients write, and looks at what is there afterwards. CRASH_RUNS says how
// often, TEST_SEED repeats the choices (not the moments: those are the machine's).
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { CrashWorld } from './crash-world.ts';
import { testSeed as seed } from './seeded-random.ts';
import { startServer } from './server-process.ts';

const runs = Number(process.env.CRASH_RUNS ?? 24);
/** Servers that are killed side by side, each its share of the runs: starting one takes a processor and a half. */
const worlds = 2;

const cleanup = suiteCleanup();
const files = temporaryFolder(cleanup);
/** A server is started often here, and compiled code speeds that up; it changes nothing else. */
const env = { NODE_COMPILE_CACHE: join(files, 'compiled') };
let template: Uint8Array;

before(async () => {
  console.log(`CRASH_RUNS=${runs} TEST_SEED=${seed}`);
  const server = await startServer(cleanup, { data: join(files, 'empty'), env });
  template = new Uint8Array(await (await server.get('/cfgdb/database')).arrayBuffer());
  await server.end();
});

const counts = new Map<string, number>();

describe('when the server is killed at random moments', { concurrency: worlds }, () => {
  for (let number = 0; number < worlds; number++) {
    const share = Math.ceil((runs - number) / worlds);
    test(`${share} times, all that it acknowledged is there, and nothing that is half-done or refused`, async (t) => {
      const options = { data: join(files, `data-${number}`), env };
      await killRepeatedly(
        share,
        new CrashWorld(t, options, join(files, `scratch-${number}`), template, seed + number),
      );
    });
  }
});

test('by then requests of every kind were sent, and some cut off', {
  skip: runs < 20 && 'it takes 20 kills (CRASH_RUNS)',
}, () => {
  console.log(Array.from(counts, ([kind, count]) => `${kind}: ${count}`).join(', '));
  const kinds = ['put', 'delete', 'transaction', 'badTransaction', 'executable', 'render', 'restore', 'upload'];
  // Of a few kills, none may have come between the change and its answer.
  const rare = runs < 100 ? [] : ['cut off after it had happened'];
  for (const kind of [...kinds, 'cut off', ...rare]) assert.ok(counts.get(kind), `no ${kind}`);
});

async function killRepeatedly(times: number, world: CrashWorld): Promise<void> {
  await world.start();
  for (let run = 1; run <= times; run++) {
    await world.writeAndKill();
    world.checkIntegrity();
    await world.start();
    await world.check();
  }
  await world.checkRevisions();
  await world.stop();
  for (const [kind, count] of world.counts) counts.set(kind, (counts.get(kind) ?? 0) + count);
}
