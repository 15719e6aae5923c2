import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ArchiveCrashes } from './crash-archive.ts';
import { cutPower, hasCompiler, noting } from './power-cut/cut-power.ts';
import { SeededRandom, testSeed as seed } from './seeded-random.ts';

/** CRASH_RUNS=1000 for a night. */
const runs = Number(process.env.CRASH_RUNS ?? 16);
const cuts = Math.ceil(runs / 4);

describe('what the archive has acknowledged', () => {
  test(`survives ${runs} kills, and nothing is there that nobody wrote`, async (t) => {
    const folder = temporaryFolder(t);
    const random = new SeededRandom(seed);
    const crashes = new ArchiveCrashes(folder);
    for (let run = 0; run < runs; run++) {
      const before = crashes.lastStored;
      // Some of the kills come when the readers are well under way, on a slow machine as well.
      await crashes.writeAndKill(random.between(20, 400), run % 10 === 0 ? 3 : 0);
      await crashes.check(before);
    }
    await crashes.check();
    assert.ok(crashes.stored > runs * 1000, `only ${crashes.stored} records were acknowledged`);
    const longestMs = Math.max(...crashes.readyMs).toFixed(0);
    t.diagnostic(
      `seed ${seed}: ${crashes.stored} records, ${crashes.answers} answers; ready again after ${longestMs} ms at most`,
    );
  });

  const skip = hasCompiler() ? false : 'there is no C compiler (cc)';
  test(`survives ${cuts} power cuts, which take what was not synced`, { skip }, async (t) => {
    const folder = temporaryFolder(t);
    const random = new SeededRandom(seed);
    const [data, notes] = [join(folder, 'data'), join(folder, 'notes')];
    mkdirSync(data);
    const crashes = new ArchiveCrashes(data);
    let lost = 0;
    for (let run = 0; run < cuts; run++) {
      const before = crashes.lastStored;
      await crashes.writeAndKill(random.between(20, 400), 0, noting(data, notes));
      const isAllLost = random.chance(0.5);
      lost += cutPower(data, notes, { reached: () => (isAllLost ? 0 : random.next()) });
      await crashes.check(before);
    }
    await crashes.check();
    t.diagnostic(`seed ${seed}: ${crashes.stored} records; ${lost} unsynced changes of files were taken back`);
  });
});
