// Promises of the audit trail and its thread: what is recorded is on disk when it says so; while the disk refuses, records wait,
// and what is discarded is told.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { linesIn } from '../../test/trail-bench.ts';
import type { AuditEntry } from './audit-entry.ts';
import { AuditTrail, type AuditTrailOptions } from './audit-trail.ts';
import { segmentsIn } from './segments.ts';
import { verifyTrail } from './verify-trail.ts';

const entry = (object: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  who: 'anna',
  kind: 'user',
  operation: 'writeCommand',
  object,
  result: 'done',
  ...more,
});
const allOf = { isNewestFirst: false, limit: 100_000, who: 'anna' } as const;

function trailIn(t: TestContext, folder: string, more: Partial<AuditTrailOptions> = {}) {
  const clock = new ManualClock();
  const faults: (string | undefined)[] = [];
  const failures: Error[] = [];
  const heads: string[] = [];
  let thread: Worker | undefined;
  process.once('worker', (worker) => {
    thread = worker;
  });
  const trail = new AuditTrail({
    folder,
    clock,
    onFailure: (error) => failures.push(error),
    onFault: (reason) => faults.push(reason),
    onHead: ({ line }) => heads.push(line),
    ...more,
  });
  trail.prepare();
  cleanupOf(t).defer(() => trail.close(5000));
  return { trail, clock, faults, failures, heads, thread: () => thread as Worker };
}

const objectsIn = (folder: string) => linesIn(folder).flatMap((line) => JSON.parse(line).object ?? []);

describe('the audit trail', () => {
  test('has every record on disk, in order, when it says so; many in one commit', async (t) => {
    const folder = temporaryFolder(t);
    const { trail, thread } = trailIn(t, folder);
    await trail.open();
    let commits = 0;
    thread().on('message', () => commits++);
    const outcomes = await Promise.all(Array.from({ length: 1000 }, (_, at) => trail.record(entry(`v${at}`))));
    assert.ok(outcomes.every((isWritten) => isWritten));
    assert.ok(commits <= 3, `${commits} commits`);
    assert.deepEqual(
      objectsIn(folder),
      outcomes.map((_, at) => `v${at}`),
    );
    assert.equal(trail.pending, 0);
  });

  test('bounds what is recorded, and never breaks a line', async (t) => {
    const folder = temporaryFolder(t);
    const { trail } = trailIn(t, folder);
    await trail.open();
    const long = 'x\n"\u2028\ud800'.repeat(100_000);
    const nested = { a: Array.from({ length: 10_000 }, () => ({ ['__proto__']: 1 })) };
    await trail.record(entry(long, { who: long, source: long, area: long, old: long, new: nested, reason: long }));
    await trail.record(entry('after', { old: Number.NaN, new: null }));
    const lines = linesIn(folder);
    assert.equal(lines.length, 3);
    assert.ok(lines.every((line) => line.length < 20_000));
    const { old, new: now } = JSON.parse(lines[1] as string);
    assert.deepEqual([old.length > 4096, /^[0-9a-f]{64}$/.test(now.sha256), now.beginning.length], [true, true, 1024]);
    assert.deepEqual(verifyTrail(folder).faults, []);
  });

  test('signs a head each hour in which something was recorded, and one at the end', async (t) => {
    const folder = temporaryFolder(t);
    const { trail, clock, heads } = trailIn(t, folder);
    await trail.open();
    const signed = async (count: number) => {
      while (heads.length < count) await new Promise(setImmediate);
    };
    await trail.record(entry('a'));
    clock.advance(3_600_000);
    await signed(1);
    while (clock.pending === 0) await new Promise(setImmediate);
    clock.advance(3_600_000); // nothing was recorded
    while (clock.pending === 0) await new Promise(setImmediate);
    await trail.record(entry('b'));
    clock.advance(3_600_000);
    await signed(2);
    await trail.record(entry('c'));
    await trail.close(5000);
    assert.equal(heads.length, 3);
    const { faults, records, heads: good, signedTo } = verifyTrail(folder);
    assert.deepEqual([faults, records, good, signedTo], [[], 7, 4, 7]);
    assert.equal(linesIn(folder).at(-1)?.trimEnd(), heads[2]);
  });

  test('keeps records as long as the retention says', async (t) => {
    const folder = temporaryFolder(t);
    const dayMs = 86_400_000;
    const { trail, clock, heads } = trailIn(t, folder, { retentionMs: 3 * dayMs });
    await trail.open();
    for (let day = 0; day < 6; day++) {
      await trail.record(entry(`day${day}`));
      clock.jump(dayMs);
    }
    clock.advance(3_600_000);
    while (!heads.some((line) => line.includes('cutTrail'))) await new Promise(setImmediate);
    assert.deepEqual(objectsIn(folder), ['day4', 'day5']);
    assert.deepEqual(verifyTrail(folder).faults, []);
  });

  test('that cannot be opened lets records wait, says so, and writes them when it can', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'audit'), 'in the way');
    const { trail, clock, faults } = trailIn(t, folder);
    await trail.open();
    assert.equal(await trail.record(entry('a')), false);
    assert.equal(await trail.record(entry('b')), false);
    assert.deepEqual([trail.pending, faults.length, trail.warnings.length], [2, 1, 1]);
    assert.match(
      trail.warnings[0] ?? '',
      /^The audit trail cannot be written \(.*EEXIST.*\): 2 records wait in memory; /,
    );
    rmSync(join(folder, 'audit'));
    clock.advance(1000);
    while (trail.failure !== undefined) await new Promise(setImmediate);
    assert.deepEqual([objectsIn(folder), trail.pending, trail.warnings], [['a', 'b'], 0, []]);
    assert.equal(await trail.record(entry('c')), true);
  });

  test('discards what is too much while it cannot be written, and tells how many', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'audit'), 'in the way');
    const { trail, clock } = trailIn(t, folder, { maxPendingBytes: 1000 });
    await trail.open();
    for (let at = 0; at < 20; at++) await trail.record(entry(`v${at}`));
    const { pending, lost } = trail;
    assert.deepEqual([pending + lost, pending > 2 && pending < 10], [20, true]);
    assert.match(trail.warnings[0] ?? '', new RegExp(`${lost} were discarded`));
    rmSync(join(folder, 'audit'));
    clock.advance(1000);
    while (trail.failure !== undefined || trail.lost > 0) await new Promise(setImmediate);
    const told = linesIn(folder).map((line) => JSON.parse(line));
    assert.deepEqual(told.at(-1).new, { count: lost });
    assert.equal(told.at(-1).operation, 'discardRecords');
    assert.equal(objectsIn(folder).length, pending);
  });

  test('on a disk that is full has everything that it acknowledged, and what waited when there is room', {
    skip: process.platform === 'win32',
  }, async (t) => {
    const folder = temporaryFolder(t);
    const child = fileURLToPath(new URL('../../test/full-trail.ts', import.meta.url));
    const run = promisify(execFile);
    const { stdout } = await run('sh', ['-c', 'ulimit -f 100; exec "$0" "$1" "$2"', process.execPath, child, folder]);
    const { written, failure } = JSON.parse(stdout) as { written: string[]; failure: string };
    assert.ok(written.length > 0 && written.length < 400, `${written.length} were written`);
    assert.match(failure, /EFBIG|ENOSPC/);
    assert.deepEqual(objectsIn(folder), written);
    assert.deepEqual(verifyTrail(folder).faults, []);
  });

  test('is read in the order in which it was recorded, whatever runs at the same time', async (t) => {
    const folder = temporaryFolder(t);
    const { trail } = trailIn(t, folder, { segmentBytes: 4000 });
    await trail.open();
    for (let round = 0; round < 20; round++) {
      for (let at = 0; at < 10; at++) void trail.record(entry(`${round}.${at}`));
      const { lines } = await trail.read(allOf);
      assert.equal(lines.length, 10 * (round + 1));
      assert.equal(JSON.parse(lines.at(-1) as string).object, `${round}.9`);
    }
  });

  test('reports what is missing until that is acknowledged', async (t) => {
    const folder = temporaryFolder(t);
    const first = trailIn(t, folder);
    await first.trail.open();
    await first.trail.record(entry('a'));
    await first.trail.close(5000);
    const away = temporaryFolder(t);
    for (const { name, path } of segmentsIn(join(folder, 'audit'))) renameSync(path, join(away, name));
    const second = trailIn(t, folder);
    await second.trail.open();
    assert.match(second.trail.missing.join(), /^audit lacks the records 1 to 3/);
    await second.trail.acknowledgeMissing();
    assert.deepEqual(second.trail.missing, []);
    await second.trail.close(5000);
    const third = trailIn(t, folder);
    await third.trail.open();
    assert.deepEqual(third.trail.missing, []);
  });

  test('whose thread has died reports it once, and takes no record', async (t) => {
    const folder = temporaryFolder(t);
    const { trail, thread, failures } = trailIn(t, folder);
    await trail.open();
    await thread().terminate();
    assert.equal(failures.length, 1);
    assert.equal(await trail.record(entry('a')), false);
  });
});
