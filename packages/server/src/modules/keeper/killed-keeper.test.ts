// Modules when the keeper, the server or both are killed: no process survives, and everything is reported.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import {
  folderIdOf,
  isAlive,
  type KeeperBench,
  makeLaunch,
  markedProcesses,
  openBench,
} from '../../../test/modules/keeper-bench.ts';
import { moduleFolder } from '../module-folder.ts';

const cleanup = suiteCleanup();
const pending = '#!/bin/sh\necho ready\nwhile :; do sleep 1000; done\n';
const deaf = "#!/bin/sh\ntrap '' TERM\nsetsid sh -c \"trap '' TERM; sleep 1000\" &\nwhile :; do sleep 1; done\n";
const polite = "#!/bin/sh\ntrap 'echo bye > bye.txt; exit 0' TERM\necho > ready.txt\nwhile :; do sleep 0.02; done\n";

const benches: KeeperBench[] = [];
const servers: ChildProcess[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) server.kill('SIGKILL');
  for (const bench of benches.splice(0)) await bench.close();
});
function open(folder?: string, clock?: Clock): KeeperBench {
  const bench = openBench({ ...(folder !== undefined && { folder }), ...(clock && { clock }) });
  benches.push(bench);
  return bench;
}

interface TestServer {
  readonly process: ChildProcess;
  readonly folder: string;
  readonly keeper: number;
  readonly pids: readonly number[];
}

/** Resolves when all its modules have started. */
async function startServer(scripts: readonly string[], termToKillMs: number): Promise<TestServer> {
  const folder = temporaryFolder(cleanup);
  const launches = scripts.map((script, index) => makeLaunch(folder, index + 1, script, { termToKillMs }));
  const main = fileURLToPath(new URL('../../../test/modules/keeper-main.ts', import.meta.url));
  const options = JSON.stringify({ folder, folderId: folderIdOf(folder), launches });
  const server = spawn(process.execPath, [main, options], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(server);
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  return { process: server, folder, ...(JSON.parse(line) as { keeper: number; pids: number[] }) };
}

async function kill(server: TestServer): Promise<void> {
  server.process.kill('SIGKILL');
  await once(server.process, 'exit');
}

describe('kill -9', () => {
  test('of the keeper: every run is reported to have ended, nothing lives, and the next start has a new keeper', async () => {
    const { run, started, ended, ends, keeper, marked, logged } = open();
    const runs = [run(pending), run(deaf), run(deaf)];
    await Promise.all(runs.map(started));
    const killed = keeper.pid as number;
    process.kill(killed, 'SIGKILL');
    for (const each of runs) {
      const end = await ended(each);
      assert.equal(end.kind === 'ended' ? end.signal : '', 'SIGKILL');
      assert.match(end.kind === 'ended' ? (end.reason ?? '') : '', /keeper of function modules ended \(SIGKILL\)/);
    }
    assert.deepEqual(marked(), []);
    await started(run(pending));
    assert.notEqual(keeper.pid, killed);
    assert.ok(runs.every((each) => ends.get(each)?.length === 1));
    assert.ok(logged.some((text) => /keeper of function modules ended/.test(text)));
  });

  test('of the keeper: a start that it had just received is answered', async () => {
    const { run, started, ended, keeper } = open();
    await started(run(pending));
    const runs = Array.from({ length: 20 }, () => run(pending));
    process.kill(keeper.pid as number, 'SIGKILL');
    const ends = await Promise.all(runs.map(ended));
    assert.ok(ends.every((end) => /keeper of function modules/.test(end.reason ?? '')));
    assert.ok(ends.every((end) => end.kind === 'ended' || end.mayPass));
  });

  test('of the keeper: whoever reads a log is informed', async () => {
    const { run, started, keeper } = open();
    await started(run(pending));
    process.kill(keeper.pid as number, 'SIGSTOP');
    const read = keeper.readLog({ module: 'm1', lines: 1, stream: undefined });
    process.kill(keeper.pid as number, 'SIGKILL');
    await assert.rejects(read, { problem: 'internal' });
  });

  test('of the server: its modules are gone within their termToKill, and may end in order; the keeper goes last', async () => {
    const server = await startServer([pending, deaf, polite, deaf], 300);
    const home = join(server.folder, 'modules', moduleFolder('m3'), 'home');
    await until('the polite one listens', () => existsSync(join(home, 'ready.txt')));
    await kill(server);
    await until('the keeper is gone', () => !isAlive(server.keeper));
    assert.deepEqual(markedProcesses(folderIdOf(server.folder)), []);
    assert.ok(server.pids.every((pid) => !isAlive(pid)));
    assert.ok(existsSync(join(home, 'bye.txt')));
    open(server.folder);
  });

  test('of the server: the next one waits for modules that are still ending, before it starts any', async () => {
    const server = await startServer([deaf, pending], 800);
    await kill(server);
    const { run, started, logged, marked } = open(server.folder);
    await started(run('#!/bin/sh\nexec sleep 1000\n'));
    assert.ok(!isAlive(server.keeper));
    assert.ok(server.pids.every((pid) => !isAlive(pid)));
    assert.equal(marked().length, 2);
    assert.deepEqual(
      logged.filter((text) => /left behind/.test(text)),
      [],
    );
  });

  test('of both: what is left is ended at the next open', async () => {
    const server = await startServer([pending, deaf, deaf], 60_000);
    process.kill(server.keeper, 'SIGSTOP');
    await kill(server);
    process.kill(server.keeper, 'SIGKILL');
    await until('the keeper is gone', () => !isAlive(server.keeper));
    assert.ok(server.pids.every(isAlive));
    const { marked, logged } = open(server.folder);
    await until('it is told', () => logged.some((text) => /^ended \d+ processes .* left behind/.test(text)));
    assert.deepEqual(marked(), []);
  });

  test('of both: processes that only look alike are left alone', async () => {
    const server = await startServer([pending], 60_000);
    const other = (mark: string) =>
      spawn('/bin/sleep', ['1000'], {
        env: { TELLTALE_RUN: mark, OTHER: `TELLTALE_RUN=${folderIdOf(server.folder)}.1` },
      });
    const others = [other('0123456789abcdef.1'), other(''), other(folderIdOf(server.folder))];
    process.kill(server.keeper, 'SIGSTOP');
    await kill(server);
    process.kill(server.keeper, 'SIGKILL');
    const { logged } = open(server.folder);
    await until('it is told', () => logged.some((text) => /left behind/.test(text)));
    assert.ok(others.every(({ pid }) => isAlive(pid as number)));
    for (const each of others) each.kill('SIGKILL');
  });

  test('of the server: a close does not wait for modules that are still ending, and answers what has waited', async () => {
    const server = await startServer([deaf], 60_000);
    await kill(server);
    const { run, keeper, ends, marked } = open(server.folder);
    const [first, second] = [run(pending), run(pending)];
    keeper.stop(first, 0);
    const read = assert.rejects(keeper.readLog({ module: 'm1', lines: 1, stream: undefined }), { problem: 'stopping' });
    await keeper.close(5000);
    await read;
    assert.equal(ends.get(first)?.length, 1);
    assert.equal(ends.get(second)?.length, 1);
    assert.deepEqual(marked(), []);
  });
});

describe('signals', () => {
  test('SIGTERM, SIGINT and SIGHUP do not end the keeper', async () => {
    const { run, started, keeper, ended } = open();
    await started(run(pending));
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(keeper.pid as number, signal);
    assert.deepEqual(await ended(run('#!/bin/sh\nexit 2\n')), { kind: 'ended', code: 2, signal: undefined });
  });

  test('a keeper that hangs is ended by and by, and its modules; not one that says a word from time to time', async () => {
    const clock = new ManualClock();
    const { run, started, keeper, marked, ends, usages } = open(undefined, clock);
    const only = run(deaf);
    await started(only);
    const { pid } = keeper;
    for (let turn = 0; turn < 2; turn++) {
      usages.clear();
      await until('the keeper says something', () => usages.size > 0);
      clock.advance(25_000);
    }
    assert.deepEqual([keeper.pid, ends.size], [pid, 0]);
    process.kill(pid as number, 'SIGSTOP');
    clock.advance(30_000);
    await until('it is told', () => {
      clock.advance(100);
      return ends.has(only);
    });
    assert.deepEqual(marked(), []);
  });

  test('a keeper that hangs is ended by close, and its modules', async () => {
    const { run, started, keeper, marked, ends } = open();
    const only = run(deaf);
    await started(only);
    process.kill(keeper.pid as number, 'SIGSTOP');
    await keeper.close(300);
    assert.deepEqual(marked(), []);
    assert.equal(ends.get(only)?.length, 1);
  });
});
