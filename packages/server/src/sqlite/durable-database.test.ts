// Promises of a database whose completeness is proved: a kill or a power cut at any moment, between commit, claim and
// checkpoint too, loses nothing acknowledged and is not taken for a loss. CRASH_RUNS says how often.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { cutPower, hasCompiler, noting } from '../../../../test/power-cut/cut-power.ts';
import { openCounters } from '../../test/counters-database.ts';

const runs = Number(process.env.CRASH_RUNS ?? 10);
const script = fileURLToPath(new URL('../../test/commit-forever.ts', import.meta.url));
const root = temporaryFolder(suiteCleanup());

/** Commits until it is killed, `ms` after its first commit; returns how many were acknowledged. */
async function commitAndKill(path: string, ms: number, env: Record<string, string> = {}): Promise<number> {
  const child = spawn(process.execPath, [script, path], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), closed]);
  await setTimeout(ms);
  child.kill('SIGKILL');
  await closed;
  return Number(printed.slice(0, printed.lastIndexOf('\n')).split('\n').at(-1));
}

/** The database has what was acknowledged, and at most the commit that was under way. */
function check(path: string, acknowledged: number): void {
  const database = openCounters(path);
  try {
    assert.deepEqual(database.missing, []);
    assert.ok(acknowledged > 0);
    assert.ok([acknowledged, acknowledged + 1].includes(database.rows), `${database.rows} of ${acknowledged}`);
  } finally {
    database.close();
  }
}

test(`killed ${runs} times between commits, claims and checkpoints, it has everything and misses nothing`, async () => {
  const path = join(root, 'killed.sqlite');
  for (let run = 0; run < runs; run++) check(path, await commitAndKill(path, Math.random() * 40));
});

test('a power cut at any moment leaves everything, and misses nothing', async (t) => {
  if (!hasCompiler()) return t.skip('there is no C compiler (cc)');
  for (let run = 0; run < runs / 2; run++) {
    const folder = join(root, `power-${run}`);
    mkdirSync(folder);
    const [path, notes] = [join(folder, 'cut.sqlite'), join(root, 'notes')];
    const acknowledged = await commitAndKill(path, Math.random() * 40, noting(folder, notes));
    const reached = run % 3 === 0 ? () => 0 : run % 3 === 1 ? () => 1 : Math.random;
    cutPower(folder, notes, { reached });
    check(path, acknowledged);
  }
});

describe('a database that runs', () => {
  test('moves its log into the file soon after a commit', async () => {
    const path = join(root, 'soon.sqlite');
    const database = openCounters(path);
    database.count();
    assert.ok(statSync(`${path}-wal`).size > 0);
    while (statSync(`${path}-wal`).size > 0) await setTimeout(5);
    database.close();
    check(path, 1);
  });

  test('commits nothing to a file that was removed, moved or replaced, and goes on where it is put back', () => {
    const path = join(root, 'moved.sqlite');
    const database = openCounters(path);
    database.count();
    const gone = /moved\.sqlite was removed or replaced while the server runs/;
    renameSync(path, `${path}-elsewhere`);
    assert.throws(() => database.count(), gone);
    writeFileSync(path, 'another');
    assert.throws(() => database.count(), gone);
    renameSync(`${path}-elsewhere`, path);
    assert.equal(database.count(), 2);
    database.close();
    check(path, 2);
  });
});
