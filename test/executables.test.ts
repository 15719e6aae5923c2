// Executables over HTTP: what may be sent, how much of it, and what the server does with it meanwhile.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type Problem, type ProblemName, problemMediaType, problemPage, problems } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { hasProcMemory, peakBytes } from './process-memory.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const MiB = 1 << 20;
const bytesType = 'application/octet-stream';
const maxBytes = 256 * MiB;

const cleanup = suiteCleanup();
const data = temporaryFolder(cleanup);
const folder = join(data, 'executables');
const incoming = join(folder, '.incoming');
let server: ServerProcess;

before(async () => {
  server = await startServer(cleanup, { data });
});

after(async () => {
  const { code, stderr } = await server.end();
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});

const pathOf = (module: string) => `/function-modules/${module}/executable`;

async function addModule(name: string, executable?: string): Promise<Response> {
  return server.send('PUT', `/function-modules/${name}`, { name, termToKill: 1, queryTimeout: 1, executable });
}

const put = (module: string, bytes: Uint8Array) => server.sendBytes('PUT', pathOf(module), bytesType, bytes);

async function done(answer: Promise<Response>): Promise<void> {
  const { status, body } = await answer.then(async (response) => ({
    status: response.status,
    body: await response.text(),
  }));
  assert.deepEqual({ status, body }, { status: 204, body: '' });
}

async function refused(name: ProblemName, answer: Promise<Response>): Promise<Problem> {
  const response = await answer;
  const problem = (await response.json()) as Problem;
  assert.equal(problem.type, problemPage(name), JSON.stringify(problem));
  assert.equal(response.status, problems[name].status);
  assert.ok(response.headers.get('content-type')?.startsWith(problemMediaType));
  return problem;
}

async function content(module: string): Promise<string> {
  const response = await server.get(pathOf(module));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), bytesType);
  return response.text();
}

async function until(condition: () => boolean, otherwise: string): Promise<void> {
  for (const deadline = Date.now() + 10_000; !condition(); await setTimeout(2)) {
    assert.ok(Date.now() < deadline, otherwise);
  }
}

/** Sends a PUT whose body the caller writes; resolves with the answer. */
function sendSlowly(module: string, headers: http.OutgoingHttpHeaders) {
  const request = http.request(server.config + pathOf(module), {
    method: 'PUT',
    headers: { 'content-type': bytesType, ...headers },
    agent: false,
  });
  const answer = once(request, 'response').then(async ([response]: http.IncomingMessage[]) => ({
    status: response?.statusCode,
    body: (response?.statusCode ?? 0) < 300 ? undefined : ((await json(response as Readable)) as Problem),
  }));
  answer.catch(() => undefined);
  return { request, answer };
}

/** So many megabytes, no two alike, and never all of them in memory. */
function* megabytes(count: number): Generator<Uint8Array> {
  for (let n = 0; n < count; n++) yield Buffer.alloc(MiB, createHash('sha256').update(`${n}`).digest());
}

describe('an executable', () => {
  test('is put, read, reported about and deleted once', async () => {
    await done(addModule('pump'));
    await refused('no-executable', server.get(pathOf('pump')));
    await refused('no-executable', server.get(`${pathOf('pump')}-stat`));
    await done(put('pump', Buffer.from('#!/bin/sh\n')));
    assert.equal(await content('pump'), '#!/bin/sh\n');
    const stat = (await (await server.get(`${pathOf('pump')}-stat`)).json()) as Record<string, number>;
    assert.deepEqual(Object.keys(stat).sort(), ['atime', 'ctime', 'gid', 'mode', 'mtime', 'size', 'uid']);
    assert.equal(stat.size, 10);
    assert.equal((stat.mode ?? 0) & 0o111, 0o111, 'it cannot be run');
    await done(server.send('DELETE', pathOf('pump')));
    await refused('no-executable', server.send('DELETE', pathOf('pump')));
    await refused('no-executable', server.get(pathOf('pump')));
  });

  test('belongs to a module that exists', async () => {
    for (const name of ['missing', '__proto__', 'constructor']) {
      await refused('unknown-object', put(name, Buffer.from('bytes')));
      await refused('unknown-object', server.get(pathOf(name)));
      await refused('unknown-object', server.get(`${pathOf(name)}-stat`));
      await refused('unknown-object', server.send('DELETE', pathOf(name)));
    }
    await refused('invalid-name', put('..%2f..%2fpasswd', Buffer.from('bytes')));
    await refused('unknown-object', server.get(pathOf('..%2f..%2fpasswd')));
    assert.deepEqual(readdirSync(incoming), []);
  });

  test('is kept for modules of any name, each its own', async () => {
    const names = ['__proto__', 'CON', 'con', 'n'.repeat(64)];
    for (const name of names) {
      await done(addModule(name));
      await done(put(name, Buffer.from(`of ${name}`)));
    }
    for (const name of names) assert.equal(await content(name), `of ${name}`);
    for (const name of names) await done(server.send('DELETE', pathOf(name)));
  });

  test('has no path that leaves the folder of its module', async () => {
    const bad = [
      '../run',
      '..',
      '/bin/sh',
      'a/../../run',
      'a/..',
      './run',
      'a//b',
      'a/',
      '.',
      '.../..',
      'a\\b',
      'a\0b',
    ];
    for (const executable of [...bad, 'C:run', 'ä', `${'a/'.repeat(8)}a`, 'a'.repeat(129), 'a\n']) {
      const { errors } = await refused('invalid-body', addModule('escape', executable));
      assert.deepEqual(
        errors?.map(({ path }) => path),
        ['/executable'],
        JSON.stringify(executable),
      );
    }
    const object = { name: 'escape', termToKill: 1, queryTimeout: 1, executable: '../run' };
    const operations = [{ operation: 'put', family: 'function-modules', name: 'escape', object }];
    const { errors } = await refused('invalid-body', server.send('POST', '/cfgdb/txn', { operations }));
    assert.deepEqual(
      errors?.map(({ path }) => path),
      ['/operations/0/object/executable'],
    );
    await refused('unknown-object', put('escape', Buffer.from('bytes')));
  });

  test('is taken with bytes, as bytes', async () => {
    await done(addModule('valve'));
    await done(put('valve', Buffer.from('old')));
    await refused('invalid-body', put('valve', new Uint8Array()));
    for (const type of ['application/json', 'text/plain', 'application/x-sqlite3']) {
      await refused('unsupported-media-type', server.sendBytes('PUT', pathOf('valve'), type, Buffer.from('new')));
    }
    assert.equal(await content('valve'), 'old');
    assert.deepEqual(readdirSync(incoming), []);
  });

  test('is never looked for behind a symbolic link', async () => {
    const secret = join(data, 'secret');
    writeFileSync(secret, 'secret');
    await done(addModule('linked', 'bin/run'));
    await done(put('linked', Buffer.from('old')));
    const own = readdirSync(folder).find((name) => name.startsWith('linked'));
    const place = join(folder, own ?? '', 'bin', 'run');
    await done(server.send('DELETE', pathOf('linked')));
    symlinkSync(secret, place);
    await refused('no-executable', server.get(pathOf('linked')));
    await refused('no-executable', server.get(`${pathOf('linked')}-stat`));
    await refused('no-executable', server.send('DELETE', pathOf('linked')));
    await done(put('linked', Buffer.from('new')));
    assert.ok(lstatSync(place).isFile());
    assert.equal(readFileSync(secret, 'utf8'), 'secret');
  });
});

describe('while a new executable arrives', () => {
  beforeEach(async () => {
    await done(addModule('motor'));
    await done(put('motor', Buffer.from('old')));
  });

  test('the old one is served, and the new one from the moment of the answer', async () => {
    const { request, answer } = sendSlowly('motor', { 'content-length': 6 });
    request.write('new');
    await until(() => readdirSync(incoming).length === 1, 'the body does not arrive');
    assert.equal(await content('motor'), 'old');
    request.end('est');
    assert.deepEqual(await answer, { status: 204, body: undefined });
    assert.equal(await content('motor'), 'newest');
  });

  test('and its client goes away, the old one stays and nothing else', async () => {
    const { request } = sendSlowly('motor', { 'content-length': 2 * MiB });
    request.on('error', () => undefined);
    request.write(new Uint8Array(MiB));
    await until(() => readdirSync(incoming).length === 1, 'the body does not arrive');
    request.destroy();
    await until(() => readdirSync(incoming).length === 0, 'a part of it stays');
    assert.equal(await content('motor'), 'old');
  });

  test('and is larger than allowed, it is refused, the old one stays and nothing else', async () => {
    const declared = sendSlowly('motor', { 'content-length': maxBytes + 1 });
    declared.request.on('error', () => undefined);
    declared.request.flushHeaders();
    const { status, body } = await declared.answer;
    assert.deepEqual([status, body?.type], [413, problemPage('body-too-large')]);
    assert.match(body?.detail ?? '', /268435456 bytes.*--max-executable-size/);
    declared.request.destroy();
    assert.equal(await content('motor'), 'old');
    assert.deepEqual(readdirSync(incoming), []);
  });

  test('who reads the old one gets it whole', async () => {
    const { request, answer } = sendSlowly('motor', { 'content-length': 64 * MiB });
    await pipeline(Readable.from(megabytes(64)), request);
    assert.deepEqual(await answer, { status: 204, body: undefined });
    const [response] = (await once(http.get(server.config + pathOf('motor'), { agent: false }), 'response')) as [
      http.IncomingMessage,
    ];
    response.pause();
    await done(put('motor', Buffer.from('new')));
    const expected = createHash('sha256');
    for (const chunk of megabytes(64)) expected.update(chunk);
    const got = createHash('sha256');
    for await (const chunk of response) got.update(chunk as Uint8Array);
    assert.equal(got.digest('hex'), expected.digest('hex'));
    assert.equal(await content('motor'), 'new');
  });
});

test('the setting of the size limit holds, whether the length is reported before or not', async (t) => {
  const small = temporaryFolder(t);
  const other = await startServer(t, { data: small, args: ['--max-executable-size', '1000'] });
  const module = { name: 'pump', termToKill: 1, queryTimeout: 1 };
  await done(other.send('PUT', '/function-modules/pump', module));
  const send = (length: number) => other.sendBytes('PUT', pathOf('pump'), bytesType, new Uint8Array(length));
  await done(send(1000));
  const { detail } = await refused('body-too-large', send(1001));
  assert.match(detail, /1000 bytes.*--max-executable-size/);
  const streamed = fetch(other.config + pathOf('pump'), {
    method: 'PUT',
    headers: { 'content-type': bytesType },
    body: ReadableStream.from([new Uint8Array(600), new Uint8Array(401)]),
    duplex: 'half',
  });
  await refused('body-too-large', streamed);
  assert.equal((await (await other.get(pathOf('pump'))).arrayBuffer()).byteLength, 1000);
  assert.deepEqual(readdirSync(join(small, 'executables', '.incoming')), []);
});

test('200 MiB go in and out without being held in memory', {
  skip: !hasProcMemory && 'only Linux tells the memory of a process',
}, async () => {
  const count = 200;
  await done(addModule('large'));
  await done(put('large', new Uint8Array(4 * MiB)));
  await (await server.get(pathOf('large'))).arrayBuffer();
  const before = peakBytes(server.pid) ?? 0;
  const { request, answer } = sendSlowly('large', { 'content-length': count * MiB });
  await pipeline(Readable.from(megabytes(count)), request);
  assert.deepEqual(await answer, { status: 204, body: undefined });
  const got = createHash('sha256');
  const expected = createHash('sha256');
  for (const chunk of megabytes(count)) expected.update(chunk);
  const response = await server.get(pathOf('large'));
  for await (const chunk of response.body ?? []) got.update(chunk);
  assert.equal(got.digest('hex'), expected.digest('hex'));
  const grown = ((peakBytes(server.pid) ?? 0) - before) / MiB;
  assert.ok(grown < count / 2, `it took ${Math.round(grown)} MiB more`);
  await done(server.send('DELETE', pathOf('large')));
});
