import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { pino } from 'pino';
import { PaperTokens } from '../../test/module-bench.ts';
import { folderIdOf, markedProcesses } from '../../test/modules/keeper-bench.ts';
import { PaperUploads } from '../../test/paper-uploads.ts';
import { Executables } from './executables.ts';
import { ModuleService } from './module-service.ts';

async function withService(use: (service: ModuleService, folder: string) => Promise<void>): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const folder = temporaryFolder(cleanup);
  const executables = new Executables({ folder: join(folder, 'executables'), store: new PaperUploads() });
  await executables.open();
  await executables.put(
    'loop',
    undefined,
    Readable.from([Buffer.from('#!/bin/sh\ntrap "" TERM\nwhile :; do sleep 1; done\n')]),
  );
  const service = new ModuleService({
    folder,
    user: 'server',
    memoryBytes: undefined,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    executables,
    tokens: new PaperTokens(),
    urls: () => ({ base: 'http://127.0.0.1:1/data', channel: 'ws://127.0.0.1:1/data/ws' }),
  });
  cleanup.defer(() => service.close(2000));
  await use(service, folder);
}

const loop = { name: 'loop', termToKill: 60_000, queryTimeout: 0 };

test('nothing is started before it begins, and nothing is left when it has closed', () =>
  withService(async (service, folder) => {
    await service.open();
    service.modules.put(loop);
    assert.deepEqual([service.modules.status('loop').state, markedProcesses(folderIdOf(folder))], ['INIT', []]);
    service.begin();
    await service.modules.start('loop');
    assert.notDeepEqual(markedProcesses(folderIdOf(folder)), []);
    await service.close(1000);
    assert.deepEqual(markedProcesses(folderIdOf(folder)), []);
  }));

test('it closes though its keeper hangs, and nothing is left then either', () =>
  withService(async (service, folder) => {
    await service.open();
    service.modules.put(loop);
    service.begin();
    await service.modules.start('loop');
    const isKeeper = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('keeper-process.ts');
    const pid = markedProcesses(folderIdOf(folder)).find(isKeeper) ?? assert.fail('there is no keeper');
    process.kill(pid, 'SIGSTOP');
    await service.close(1000);
    assert.deepEqual(markedProcesses(folderIdOf(folder)), []);
    assert.equal(service.modules.status('loop').state, 'STOP');
  }));

test('it closes though it was never opened', () => withService((service) => service.close(1000)));
