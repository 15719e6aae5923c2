// Promises of rights that change while a request is under way, against the real server: an upload takes no effect, and an answer
// shows nothing more, when its caller is gone or may not ask for it any more; whoever keeps the rights is not disturbed.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { before, describe, test } from 'node:test';
import type { Grant } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { makeTokens } from './granted-server.ts';
import { openSocket, parseAnswer } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
type Change = 'revoked' | 'narrowed' | 'widened';
/** Each has a token, for one request. */
const people = Array.from({ length: 30 }, (_, at) => `person_${at}`);
const unused = people.values();
const all: readonly Grant[] = [{ role: 'all' }];
/** More than the buffers of a connection on this machine take. */
const longBytes = 48 << 20;
let server: ServerProcess;
let tokens: Readonly<Record<string, string>>;
let database: Uint8Array;

before(async () => {
  const open = await startServer(cleanup, { data: folder });
  const put = (family: string, name: string, object: object) => ({ operation: 'put', family, name, object });
  const operations = [
    put('measurements', 'level', { name: 'level', datatype: 'd', archMode: 'change', area: 'north' }),
    put('measurements', 'flow', { name: 'flow', datatype: 'd', archMode: 'change', area: 'north' }),
    put('measurements', 'former', { name: 'former', datatype: 'd' }),
    put('function-modules', 'loop', {
      name: 'loop',
      executable: 'loop',
      enabled: false,
      termToKill: 1,
      queryTimeout: 1,
    }),
  ];
  const rendered = await open.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(rendered.status, 204, await rendered.text());
  const stored = await fetch(`${open.url}/data/archive/measurements/level`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([['d7', [1_700_000_000, 0], 192]]),
  });
  assert.equal(stored.status, 204, await stored.text());
  database = await (await open.get('/cfgdb/database')).bytes();
  const deleted = await open.send('DELETE', '/measurements/former');
  assert.equal(deleted.status, 204, await deleted.text());
  await open.end();
  tokens = await makeTokens(folder, Object.fromEntries(people.map((name) => [name, all])));
  server = await startServer(cleanup, { data: folder });
});

const asChief = async (method: string, path: string, body?: object) => {
  const answer = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${tokens.chief}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${text}`);
  return text;
};

const grant = (name: string, ...grants: Grant[]) => asChief('PUT', `/access/users/${name}`, { grants });
/** What changes while the request of somebody is under way. */
const change: Record<Change, (name: string) => Promise<unknown>> = {
  revoked: (name) => asChief('DELETE', `/access/tokens/${name}_token`),
  narrowed: (name) => grant(name, { role: 'all', area: 'south' }),
  widened: (name) => grant(name, { role: 'all' }, { role: 'viewer' }),
};
const somebody = () => unused.next().value as string;

async function begin(name: string, method: string, path: string, type?: string, length = 0): Promise<Socket> {
  const socket = await openSocket(server.url);
  cleanup.defer(() => void socket.destroy());
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(server.url).host}`,
    `Authorization: Bearer ${tokens[name]}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`, `Content-Length: ${length}`, 'Expect: 100-continue']),
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** Bytes of an answer, at least so many; then nothing more is read. */
function readSome(socket: Socket, least: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes < least) return;
      socket.pause().off('data', take).off('close', lost);
      resolve(bytes);
    };
    const lost = () => reject(new Error(`the connection was closed after ${bytes} bytes`));
    socket.on('data', take).once('close', lost).resume();
  });
}

/** What comes until the connection is closed, by its end or by a reset. */
function readRest(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const done = () => resolve(Buffer.concat(chunks).toString('latin1'));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    if (socket.closed) done();
    else socket.once('close', done).resume();
  });
}

const answers = {
  /** One record, shown for each hundredth of a second. */
  'a long read of the archive': '/data/archive/measurements/level/1700000000/1700086400?resample=0.01',
  'a long read of several series':
    '/data/archive/measurements/?names=level,flow&t_since=1700000000&t_until=1700086400&resample=0.01',
  'a download of an executable': '/config/v2/function-modules/loop/executable',
};

describe('an answer that is being sent', () => {
  before(async () => {
    const uploaded = await fetch(`${server.config}/function-modules/loop/executable`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokens.chief}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(longBytes),
    });
    assert.equal(uploaded.status, 204, await uploaded.text());
  });

  for (const [what, path] of Object.entries(answers)) {
    for (const happens of ['revoked', 'narrowed'] as const) {
      test(`${what} ends without its end when its caller is ${happens}`, async () => {
        const name = somebody();
        const socket = await begin(name, 'GET', path);
        const first = await readSome(socket, 1000);
        await change[happens](name);
        const rest = await readRest(socket);
        assert.ok(first + rest.length < longBytes, `${first} and ${rest.length} bytes came`);
        assert.ok(!rest.endsWith('0\r\n\r\n'), 'the answer looks complete');
      });
    }

    test(`${what} goes on when its caller may do as much as before`, async () => {
      const name = somebody();
      const socket = await begin(name, 'GET', path);
      await readSome(socket, 1000);
      await change.widened(name);
      const most = path.includes('executable') ? longBytes / 2 : longBytes;
      assert.ok((await readSome(socket, most)) >= most);
      socket.destroy();
    });
  }
});

interface Upload {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: () => Uint8Array;
  /** What it would change, as it is. */
  readonly shown: string;
}

const text = (body: string) => () => new TextEncoder().encode(body);
const records = Array.from({ length: 1000 }, (_, at) => ['d1', [1_700_100_000 + at, 0], 192]);
const uploads: Record<string, Upload> = {
  'an upload of a database': {
    method: 'POST',
    path: '/config/v2/cfgdb/database',
    type: 'application/octet-stream',
    body: () => database,
    shown: '/config/v2/measurements/names',
  },
  'an upload of an executable': {
    method: 'PUT',
    path: '/config/v2/function-modules/loop/executable',
    type: 'application/octet-stream',
    body: () => new Uint8Array(100_000),
    shown: '/config/v2/function-modules/loop/executable-stat',
  },
  'a transaction': {
    method: 'POST',
    path: '/config/v2/cfgdb/txn',
    type: 'application/json',
    body: text(JSON.stringify({ operations: [{ operation: 'delete', family: 'measurements', name: 'flow' }] })),
    shown: '/config/v2/measurements/',
  },
  'an import into the archive': {
    method: 'POST',
    path: '/data/archive/measurements/flow',
    type: 'application/json',
    body: text(JSON.stringify(records)),
    shown: '/data/archive/measurements/flow/0/2000000000',
  },
};

describe('a body that still comes', () => {
  for (const [what, { method, path, type, body, shown }] of Object.entries(uploads)) {
    for (const happens of ['revoked', 'narrowed'] as const) {
      test(`${what} changes nothing when its caller is ${happens} before its end`, async () => {
        const name = somebody();
        const before = await asChief('GET', shown);
        const bytes = body();
        const socket = await begin(name, method, path, type, bytes.length);
        await readSome(socket, 1); // the server reads the body
        socket.write(bytes.subarray(0, bytes.length - 1));
        await change[happens](name);
        socket.write(bytes.subarray(-1));
        const { status } = parseAnswer((await readRest(socket)).replace(/^HTTP\/1.1 100.*?\r\n\r\n/s, ''));
        assert.equal(status, happens === 'revoked' ? 401 : 403);
        assert.equal(await asChief('GET', shown), before);
      });
    }

    test(`${what} is carried out when its caller may do as much as before`, async () => {
      const name = somebody();
      const bytes = body();
      const socket = await begin(name, method, path, type, bytes.length);
      await readSome(socket, 1);
      socket.write(bytes.subarray(0, bytes.length - 1));
      await change.widened(name);
      socket.write(bytes.subarray(-1));
      const { status, text } = parseAnswer(await readRest(socket));
      assert.equal(status, 204, text);
    });
  }
});
