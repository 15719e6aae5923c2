// Two hundred modules at once, and modules that print without end or eat memory: what they cost the keeper is bounded.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import {
  isAlive,
  type KeeperBench,
  memoryOf,
  noBounds,
  openBench,
  withPython,
} from '../../../test/modules/keeper-bench.ts';
import { moduleFolder } from '../module-folder.ts';

const MiB = 2 ** 20;
const benches: KeeperBench[] = [];
afterEach(async () => {
  for (const each of benches.splice(0)) await each.close();
});
function open(): KeeperBench {
  const bench = openBench();
  benches.push(bench);
  return bench;
}

/** Also those that have ended and were not waited for. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      try {
        const text = readFileSync(`/proc/${each}/stat`, 'latin1');
        return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]) === pid;
      } catch {
        return false;
      }
    });
}

/** A log that is rotated just now is met under its other name. */
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function logBytes(folder: string, module: string): number {
  const log = join(folder, 'modules', moduleFolder(module), 'log');
  if (!existsSync(log)) return 0;
  return readdirSync(log).reduce((sum, name) => sum + sizeOf(join(log, name)), 0);
}

describe('200 modules at once', () => {
  test('all start, all end, by themselves or by stop, and leave nothing', async (context) => {
    const { run, started, ended, keeper, ends, marked, pids } = open();
    const scripts = [
      'echo hello; exec sleep 1000',
      "trap '' TERM; sleep 1000 & wait; sleep 1000",
      'sleep 0.01; exit 3',
    ];
    const runs = Array.from({ length: 200 }, (_, index) => run(`#!/bin/sh\n${scripts[index % 3]}\n`));
    const startMs = performance.now();
    await Promise.all(runs.map(started));
    const startedMs = performance.now();
    const keeperPid = keeper.pid as number;
    context.diagnostic(`memory of the keeper: ${(memoryOf(keeperPid) / MiB).toFixed(1)} MiB`);
    for (const each of runs) keeper.stop(each, 200);
    await Promise.all(runs.map(ended));
    const endedMs = performance.now();
    context.diagnostic(
      `started in ${Math.round(startedMs - startMs)} ms, ended in ${Math.round(endedMs - startedMs)} ms`,
    );
    assert.deepEqual(childrenOf(keeperPid), []);
    assert.deepEqual(marked(), [keeperPid]);
    assert.ok([...pids.values()].every((pid) => !isAlive(pid)));
    assert.ok(runs.every((each) => ends.get(each)?.length === 1));
    assert.ok(memoryOf(keeperPid) < 150 * MiB);
  });
});

describe('a flood of output', () => {
  test('costs the keeper bounded memory and disk, keeps others in time, and ends with its module', async (context) => {
    const { run, started, ended, keeper, folder, texts, lines, skipped, usages } = open();
    const other = run('#!/bin/sh\nwhile :; do echo quiet; sleep 0.05; done\n', { module: 'quiet' });
    await started(other);
    await until('it prints', () => texts().includes('quiet'));
    const pid = keeper.pid as number;
    const before = memoryOf(pid);
    const floods = ['exec yes', 'exec yes >&2', 'exec cat /dev/zero', 'exec cat /dev/urandom'];
    const runs = floods.map((line, index) => run(`#!/bin/sh\n${line}\n`, { module: `flood${index}` }));
    await Promise.all(runs.map(started));
    let most = before;
    // Beyond the burst, and far enough that all files have been rotated.
    await until('the logs are full', () => {
      most = Math.max(most, memoryOf(pid));
      return logBytes(folder, 'flood0') > 3 * MiB && usages.has(runs[3] as number);
    });
    const quiet = () => texts().filter((text) => text === 'quiet').length;
    const seen = quiet();
    await until('the quiet one is still heard', () => {
      most = Math.max(most, memoryOf(pid));
      return quiet() > seen + 20;
    });
    context.diagnostic(
      `grew by ${((most - before) / MiB).toFixed(1)} MiB; ${lines.length} lines told, ${skipped.count} not`,
    );
    assert.ok(most - before < 64 * MiB, `${(most - before) / MiB} MiB`);
    for (const each of runs) keeper.stop(each, 1000);
    await Promise.all(runs.map(ended));
    for (const [index] of floods.entries()) assert.ok(logBytes(folder, `flood${index}`) <= 8 * MiB);
    assert.ok(skipped.count > 0);
  });
});

describe('memory', () => {
  test('of a module that has more than its bound ends it, all of its processes, and says so', withPython, async () => {
    const { run, ended, marked, keeper, ends } = open();
    const eat = 'import time; a = bytearray(200 << 20); time.sleep(1000)';
    const modest = run('#!/bin/sh\nwhile :; do sleep 1; done\n', { bounds: { ...noBounds, memoryBytes: 100 * MiB } });
    const only = run(`#!/bin/sh\n/usr/bin/python3 -IS -c '${eat}'\n`, {
      bounds: { ...noBounds, memoryBytes: 100 * MiB },
    });
    const end = await ended(only);
    // Where the machine has control groups that count memory, the system is faster.
    assert.ok(end.kind === 'ended' && end.signal === 'SIGKILL', JSON.stringify(end));
    if (end.reason !== undefined) assert.match(end.reason, /its processes had 2\d\d MiB of memory, .* is 100 MiB/);
    assert.equal(ends.size, 1);
    keeper.stop(modest, 100);
    await ended(modest);
    assert.deepEqual(marked(), [keeper.pid]);
  });
});
