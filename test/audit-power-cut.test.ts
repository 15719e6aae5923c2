// A power cut takes what was not synced: what the audit trail has acknowledged is there afterwards, and the trail is whole.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { verifyTrail } from '../packages/server/src/audit/verify-trail.ts';
import { linesIn, openTrail } from '../packages/server/test/trail-bench.ts';
import { cutPower, hasCompiler, noting } from './power-cut/cut-power.ts';
import { SeededRandom, testSeed as seed } from './seeded-random.ts';

const file = fileURLToPath(new URL('trail-writing.ts', import.meta.url));
const cuts = 6;

/** Runs until so many are on disk, and is killed; gives the numbers that it has acknowledged. */
async function writeAndKill(folder: string, first: number, count: number, env: object): Promise<number[]> {
  const child = spawn(process.execPath, [file, folder, String(first)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const acknowledged: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(Number(line));
    if (acknowledged.length === count) child.kill('SIGKILL');
  }
  await ended;
  assert.ok(acknowledged.length >= count, 'it has ended by itself');
  return acknowledged;
}

const skip = hasCompiler() ? false : 'there is no C compiler (cc)';
test(`an audit trail has what it acknowledged after each of ${cuts} power cuts`, { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const random = new SeededRandom(seed);
  const [data, notes] = [join(folder, 'data'), join(folder, 'notes')];
  mkdirSync(data);
  const acknowledged: number[] = [];
  let lost = 0;
  for (let run = 0; run < cuts; run++) {
    const first = (acknowledged.at(-1) ?? 0) + 1000;
    acknowledged.push(...(await writeAndKill(data, first, random.between(1, 400), noting(data, notes))));
    const isAllLost = random.chance(0.5);
    lost += cutPower(data, notes, { reached: () => (isAllLost ? 0 : random.next()) });
    const trail = openTrail(data, undefined, Date.now()); // cuts off what is torn
    assert.deepEqual(trail.opened.missing, [], `seed ${seed}, run ${run}`);
    trail.close();
    assert.deepEqual(verifyTrail(data).faults, [], `seed ${seed}, run ${run}`);
    const found = new Set(linesIn(data).map((line) => (JSON.parse(line) as { new?: unknown }).new));
    const missing = acknowledged.filter((number) => !found.has(number));
    assert.deepEqual(missing, [], `seed ${seed}, run ${run}`);
  }
  t.diagnostic(`seed ${seed}: ${acknowledged.length} records; ${lost} unsynced changes of files were taken back`);
});
