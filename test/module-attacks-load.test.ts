// Function modules that take all they can get: output without end, memory without end, and very many of them. What that
// costs the server is bounded, and printed.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, type TestContext, test } from 'node:test';
import { missingPeers } from '@telltale/stack-kit/testing';
import { moduleFolder } from '../packages/server/src/modules/module-folder.ts';
import { CheckedChannel } from './checked-channel.ts';
import { canListProcesses, residentBytes } from './marked-processes.ts';
import { counted, type Hostile, ModulePlant, probeLatency, sleeper } from './module-plant.ts';
import { until } from './until.ts';

const MiB = 2 ** 20;
const skip = !canListProcesses && 'function modules run on Linux';
const noPython = missingPeers('/usr/bin/python3') ?? false;

/** Fills both streams as fast as they are taken. */
const floods = '#!/bin/sh\nyes "a line without end" &\nyes "a complaint" >&2\n';
/** One line that never ends, of bytes that are no text. */
const floodsBytes = '#!/bin/sh\nexec cat /dev/urandom\n';
/** More lines in one write than anybody wants. */
const floodsEmpty = '#!/bin/sh\nyes "" >&2\n';

/** Writes to all of it, so that the system has to give it. */
const eats = `#!/usr/bin/python3
import os, time
open("starts", "a").write("1\\n")
taken = []
while True:
  taken.append(bytearray(os.urandom(65536)) * 64)
  time.sleep(0.01)
`;
/** The same in many processes, each of which has little. */
const eatsInParts = `#!/usr/bin/python3
import os, time
for _ in range(12):
  if os.fork() == 0: break
taken = bytearray(os.urandom(65536)) * 256
while True: time.sleep(1000)
`;

let plant: ModulePlant;
let startBytes: number;

describe('function modules that', { skip }, () => {
  beforeEach(async () => {
    plant = await ModulePlant.open();
    startBytes = residentBytes(plant.server.pid);
  });
  afterEach(() => plant.close());

  test('print without end cost bounded memory and disk, and stop as fast as others', { timeout: 60_000 }, async (t) => {
    const names = ['both', 'bytes', 'empty'];
    const probe = probeLatency(plant.server);
    await plant.configure({
      both: { program: floods },
      bytes: { program: floodsBytes },
      empty: { program: floodsEmpty },
    });
    const channel = await CheckedChannel.open(plant.server.url);
    await channel.done('WatchFunctionModuleLogs', { function_modules: 'all' });
    const logs = (name: string) => folderBytes(join(plant.data, 'modules', moduleFolder(name), 'log'));
    await until('each log has begun another file', async () => names.every((name) => logs(name) > 1.5 * MiB));
    for (const name of names) {
      await plant.untilRuns(name);
      const lines = await plant.log(name, 1000);
      assert.ok(lines.length > 0 && lines.every(({ text }) => text.length <= 8192), name);
      assert.deepEqual(await plant.operate(name, 'stop'), { status: 204, detail: '' });
      assert.ok(logs(name) <= 8.1 * MiB, `${name}: ${logs(name)} bytes`);
    }
    assert.ok(channel.reported('FunctionModuleLogNotification').length > 0);
    await channel.close();
    assert.deepEqual(plant.processes(), []);
    await reportCost(t, probe, 150);
  });

  test('take more memory than they may are ended, reported so, and come back', {
    skip: noPython,
    timeout: 60_000,
  }, async (t) => {
    const probe = probeLatency(plant.server);
    const properties = { memoryLimit: '64M' };
    await plant.configure({
      good: { program: sleeper },
      eats: { program: eats, properties },
      eats_in_parts: { program: eatsInParts, properties, respawn: false },
    });
    const reported = await plant.untilIt('eats', 'comes back', ({ restarts }) => restarts > 0);
    t.diagnostic(`what is told: ${reported['last-error']?.text}`);
    assert.match(reported['last-error']?.text ?? '', /memory/);
    assert.equal(reported['exit-signal'], 'SIGKILL');
    assert.ok(plant.starts('eats') <= 1 + (await plant.live('eats')).restarts);
    const parts = await plant.untilIt('eats_in_parts', 'fails', ({ state }) => state === 'FAIL');
    assert.match(parts['last-error']?.text ?? '', /memory/);
    assert.deepEqual(plant.processes('eats_in_parts'), []);
    assert.equal((await plant.live('good')).restarts, 0);
    await plant.operate('eats', 'stop');
    await reportCost(t, probe, 100);
  });

  test('are 200 all run, are all reported, and are all gone with the server', { timeout: 120_000 }, async (t) => {
    const names = Array.from({ length: 200 }, (_, at) => `m${at}`);
    const program = `${counted}exec sleep 1000\n`;
    const probe = probeLatency(plant.server);
    const startedMs = performance.now();
    await plant.configure(Object.fromEntries(names.map((name): [string, Hostile] => [name, { program }])));
    await until('all run', async () => {
      const states = Object.values(await plant.all());
      return states.length === names.length && states.every(({ state }) => state === 'RUN');
    });
    t.diagnostic(`200 uploaded and running after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    const all = Object.values(await plant.all());
    assert.ok(all.every(({ restarts, 'last-error': error }) => restarts === 0 && error === null));
    assert.equal(new Set(all.map(({ pid }) => pid)).size, names.length);
    await until('each has one process', async () => plant.processes().length === names.length);
    assert.deepEqual(new Set(plant.processes().map(({ module }) => module)), new Set(names));
    t.diagnostic(`the keeper has ${(residentBytes(plant.keeper ?? 0) / MiB).toFixed(1)} MiB`);
    await reportCost(t, probe, 150);
    const { code } = await plant.server.end('SIGTERM');
    assert.equal(code, 0);
    assert.deepEqual(plant.processes(), []);
    assert.equal(plant.keeper, undefined);
    assert.ok(names.every((name) => plant.starts(name) === 1));
  });
});

/** Of the server: what it has more, and how it answered meanwhile. */
async function reportCost(t: TestContext, probe: ReturnType<typeof probeLatency>, mostMiB: number): Promise<void> {
  await plant.noZombies();
  const grownMiB = (residentBytes(plant.server.pid) - startBytes) / MiB;
  t.diagnostic(`the server has ${grownMiB.toFixed(1)} MiB more than at its start`);
  t.diagnostic(await probe.stop());
  assert.ok(grownMiB < mostMiB, `${grownMiB} MiB`);
}

function folderBytes(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    return 0; // not yet there, or a file of it was just given another name
  }
}
