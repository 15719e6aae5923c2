// The archive of the real server against plain arrays, over HTTP alone. FUZZ_ARCHIVE_RUNS says how many servers are driven,
// TEST_SEED repeats the choices (not the moments of kills: those are the machine's).
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ArrayWorld } from './archive-arrays/world.ts';
import { SeededRandom, testSeed as seed } from './seeded-random.ts';

const runs = Number(process.env.FUZZ_ARCHIVE_RUNS ?? 4);
const stepsARun = 14;

const cleanup = suiteCleanup();
const files = temporaryFolder(cleanup);
/** A server is started often here, and compiled code speeds that up; it changes nothing else. */
const env = { NODE_COMPILE_CACHE: join(files, 'compiled') };
/** Without libfaketime no clock is set. */
const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');

const worlds = [
  ['without limits', {}],
  ['with a limit of size', { isLimitedBySize: true }],
  ['with a retention', { isLimitedByAge: true, library }],
  ['with clocks that are wrong', { library }],
] as const;

before(() => console.log(`FUZZ_ARCHIVE_RUNS=${runs} TEST_SEED=${seed}`));

describe('the archive shows what plain arrays have', { concurrency: 2 }, () => {
  for (let run = 0; run < runs; run++) {
    const [title, options] = worlds[(seed + run) % worlds.length] as (typeof worlds)[number];
    test(`${title}, seed ${seed + run}`, async (t) => {
      const folder = temporaryFolder(t);
      const world = new ArrayWorld(t, new SeededRandom(seed + run), { folder, env, ...options });
      try {
        await world.begin();
        for (let step = 0; step < stepsARun; step++) await world.step();
        await world.end();
      } catch (error) {
        console.log(`TEST_SEED=${seed + run} FUZZ_ARCHIVE_RUNS=1: ${world.steps.join(', ')}\n${error}`);
        throw error;
      }
      assert.ok(title !== 'with a limit of size' || world.deletions > 0, 'nothing was deleted by size');
    });
  }
});
