// Promises of uploads of executables: who hears of a new one, and that they can be switched off.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, beforeEach, describe, test } from 'node:test';
import { ProblemError, problemPage } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ModuleInterface } from '../../../test/module-interface.ts';
import { PaperUploads } from '../../../test/paper-uploads.ts';
import { ScriptedModules } from '../../../test/scripted-modules.ts';
import type { ConfigurationDatabase } from '../../cfgdb/index.ts';
import { Executables } from '../../modules/executables.ts';
import { executableRoutes } from './executables.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const executables = new Executables({ folder, keeper: new PaperUploads() });
const asked: string[] = [];

/** Of the configuration, what these routes ask: one module, with a place of its own for its executable. */
const cfgdb = {
  call: async (_operation: string, _family: string, name: string) => {
    if (name !== 'loop') throw new ProblemError('unknown-object', `There is no ${name}.`);
    return Buffer.from(JSON.stringify({ name, executable: 'bin/loop' }));
  },
} as unknown as ConfigurationDatabase;

const modules = { executableReplaced: (name: string, path?: string) => void asked.push(`${name} ${path}`) };
const common = { cfgdb, executables, modules, maxExecutableBytes: 1000 };
const more = [
  ...executableRoutes({ ...common, base: '/open', mayUpload: true }),
  ...executableRoutes({ ...common, base: '/closed', mayUpload: false }).map((route) => ({
    ...route,
    id: `${route.id}2`,
  })),
];
const bench = new ModuleInterface(new ScriptedModules(), { more });

const path = (base: string, name = 'loop') => `/${base}/function-modules/${name}/executable`;
const headers = { 'content-type': 'application/octet-stream' };
const put = (base: string, body: string, name?: string) => bench.ask('PUT', path(base, name), { body, headers });
const problemOf = ({ text }: { text: string }) => JSON.parse(text).type as string;

before(async () => {
  await executables.open();
  await bench.open();
  cleanup.defer(() => bench.close());
});
beforeEach(() => {
  asked.length = 0;
});

describe('a new executable', () => {
  test('is told to whoever runs the module, once it is in its place', async () => {
    assert.equal((await put('open', 'new')).status, 204);
    assert.deepEqual(asked, ['loop bin/loop']);
    assert.equal((await bench.ask('GET', path('open'))).text, 'new');
  });

  test('that could not be taken is told to nobody, and the old one stays', async () => {
    await put('open', 'old');
    asked.length = 0;
    assert.equal(problemOf(await put('open', '')), problemPage('invalid-body'));
    assert.equal(problemOf(await put('open', 'x'.repeat(1001))), problemPage('body-too-large'));
    assert.equal(problemOf(await put('open', 'new', 'other')), problemPage('unknown-object'));
    const socket = connect(Number(new URL(bench.url).port), '127.0.0.1');
    const head = `PUT ${path('open')} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${headers['content-type']}`;
    socket.end(`${head}\r\ncontent-length: 100\r\n\r\nhalf of it`);
    await socket.resume().toArray(); // until the server has given it up
    assert.deepEqual(asked, []);
    assert.equal((await bench.ask('GET', path('open'))).text, 'old');
  });
});

describe('where uploads are switched off', () => {
  test('an executable is refused, and the old one stays', async () => {
    await put('open', 'old');
    asked.length = 0;
    const answer = await put('closed', 'new');
    assert.deepEqual([answer.status, problemOf(answer)], [403, problemPage('uploads-disabled')]);
    assert.deepEqual(asked, []);
    assert.equal((await bench.ask('GET', path('closed'))).text, 'old');
  });

  test('it can be read and deleted all the same', async () => {
    await put('open', 'old');
    assert.equal((await bench.ask('GET', `${path('closed')}-stat`)).status, 200);
    assert.equal((await bench.ask('DELETE', path('closed'))).status, 204);
    assert.equal((await bench.ask('GET', path('closed'))).status, 404);
  });
});
