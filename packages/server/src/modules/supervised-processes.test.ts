// Supervisor and keeper together, with real processes: what each promises the other.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type FunctionModule, systemClock } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { pino } from 'pino';
import { PaperTokens } from '../../test/module-bench.ts';
import { PaperUploads } from '../../test/paper-uploads.ts';
import { Executables } from './executables.ts';
import { FunctionModules } from './function-modules.ts';
import { ModuleKeeper } from './keeper/module-keeper.ts';

let data: string;
let executables: Executables;
let tokens: PaperTokens;
let modules: FunctionModules;
let keeper: ModuleKeeper;

beforeEach(async (t) => {
  data = temporaryFolder(t);
  executables = new Executables({ folder: join(data, 'executables'), store: new PaperUploads() });
  await executables.open();
  tokens = new PaperTokens();
  const log = pino({ level: 'silent' });
  keeper = new ModuleKeeper({
    folder: join(data, 'modules'),
    folderId: createHash('sha256').update(data).digest('hex').slice(0, 16),
    clock: systemClock,
    log,
    events: {
      onStarted: (...started) => modules.events.onStarted(...started),
      onEnded: (...ended) => modules.events.onEnded(...ended),
      onUsage: (usages) => modules.events.onUsage(usages),
      onLines: (lines) => modules.events.onLines(lines),
    },
  });
  modules = new FunctionModules({
    clock: systemClock,
    log,
    processes: keeper,
    executables,
    tokens,
    urls: () => ({ base: 'http://127.0.0.1:1/data', channel: 'ws://127.0.0.1:1/data/ws' }),
    boundsOf: () => ({ user: undefined, memoryBytes: undefined, cpuCores: undefined, maxProcesses: undefined }),
  });
  keeper.open();
  modules.open();
});

afterEach(async () => {
  await modules.close(2000);
  await keeper.close(2000);
  assert.equal(tokens.valid.size, 0, 'a token outlived its run');
});

/** Uploads it, and says so as the interface does. */
async function upload(name: string, script: string): Promise<void> {
  await executables.put(name, undefined, Readable.from([Buffer.from(`#!/bin/sh\n${script}\n`)]));
  modules.executableReplaced(name, undefined);
}

const put = (name: string, fields: Partial<FunctionModule> = {}) =>
  modules.put({ name, termToKill: 5000, queryTimeout: 0, ...fields });

async function until(name: string, state: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = () => modules.has(name) && modules.status(name).state === state && resolve();
  modules.onChange(look);
  const deadline = setTimeout(() => reject(new Error(`it is ${JSON.stringify(modules.status(name))}`)), 10_000);
  look();
  await promise.finally(() => clearTimeout(deadline));
}

async function untilPrinted(name: string, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  modules.onLines(({ module, lines }) => {
    if (module === name && lines.some((line) => line.text === text)) resolve();
  });
  modules.watchLogs('all');
  const deadline = setTimeout(() => reject(new Error(`${name} does not print ${text}`)), 10_000);
  if ((await modules.readLog(name, 100, 'out')).some((line) => line.text === text)) resolve();
  await promise.finally(() => clearTimeout(deadline));
}

function isAlive(pid: number | null): boolean {
  try {
    return process.kill(pid ?? assert.fail('there is no process'), 0);
  } catch {
    return false;
  }
}

describe('a module with real processes', () => {
  test('fails without an executable, runs when one comes, and again when another one does', async () => {
    put('loop');
    await until('loop', 'FAIL');
    assert.match(modules.status('loop')['last-error']?.text ?? '', /executable/);
    await assert.rejects(modules.start('loop'), { problem: 'module-failed', message: /executable/ });
    await upload('loop', 'echo first; exec sleep 1000');
    await until('loop', 'RUN');
    await untilPrinted('loop', 'first');
    const { pid } = modules.status('loop');
    assert.equal(isAlive(pid), true);
    await upload('loop', 'echo second; exec sleep 1000');
    await untilPrinted('loop', 'second');
    assert.equal(isAlive(pid), false);
    assert.equal(modules.status('loop').state, 'RUN');
  });

  test('is started, stopped and restarted by request, which is answered when it has happened', async () => {
    await upload('loop', 'exec sleep 1000');
    put('loop');
    await modules.start('loop');
    const { pid } = modules.status('loop');
    assert.equal(isAlive(pid), true);
    await modules.restart('loop');
    assert.equal(isAlive(pid), false);
    const second = modules.status('loop').pid;
    assert.equal(isAlive(second), true);
    const stopped = modules.stop('loop');
    const started = modules.start('loop');
    await stopped;
    assert.equal(isAlive(second), false);
    await started;
    await modules.stop('loop');
    const { state, pid: none, 'exit-signal': signal } = modules.status('loop');
    assert.deepEqual({ state, none, signal }, { state: 'STOP', none: null, signal: 'SIGTERM' });
  });

  test('that is stopped before it has started does not start', async () => {
    await upload('loop', 'exec sleep 1000');
    put('loop');
    const started = assert.rejects(modules.start('loop'), { problem: 'module-failed' });
    await modules.stop('loop');
    await started;
    assert.equal(modules.status('loop').state, 'STOP');
  });

  test('that ends is started again after a pause, with its exit code reported', async () => {
    await upload('loop', '[ -e again ] && exec sleep 1000; touch again; exit 7');
    put('loop', { respawn: true });
    await until('loop', 'RUN');
    await until('loop', 'INIT');
    assert.equal(modules.status('loop')['exit-code'], 7);
    await until('loop', 'RUN');
    assert.equal(modules.status('loop').restarts, 1);
  });

  test('that ignores SIGTERM is ended when the service stops, within the time that is left', async () => {
    await upload('stubborn', "trap '' TERM; echo ready; while :; do sleep 0.1; done");
    put('stubborn', { termToKill: 1_000_000 });
    await untilPrinted('stubborn', 'ready');
    const { pid } = modules.status('stubborn');
    modules.stop('stubborn');
    await modules.close(200);
    assert.equal(isAlive(pid), false);
  });
});
