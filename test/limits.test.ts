// The limits of what a request may be: each is refused with its own error, and the connection goes on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { maxJsonDepth, maxOperations, type ProblemName, problemPage, problems } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { openSocket, readToEnd } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** A server that never answers fails a test; it does not stop the others. */
const guard = { timeout: 120_000 };

const kib = 1024;
const maxJsonBytes = 6 * 1024 * kib;
const maxExecutableBytes = 10 * kib;
const maxDatabaseBytes = 64 * kib;
const maxObjectText = 1024 * kib;

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let server: ServerProcess;
let connections = 0;

before(async () => {
  const limits = { json: maxJsonBytes, executable: maxExecutableBytes, database: maxDatabaseBytes };
  const args = Object.entries(limits).flatMap(([name, bytes]) => [`--max-${name}-size`, String(bytes)]);
  server = await startServer(cleanup, { data: folder, args });
  cleanup.defer(() => agent.destroy());
  await answered(
    204,
    'PUT',
    '/function-modules/pump',
    JSON.stringify({ name: 'pump', termToKill: 1, queryTimeout: 1 }),
  );
});

after(async () => {
  const { code, stderr } = await server.end();
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});

interface Sent {
  readonly type?: string;
  /** Without a Content-Length. */
  readonly isChunked?: boolean;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Over the one connection that all these tests share. */
function ask(method: string, path: string, body?: string, { type = 'application/json', isChunked = false }: Sent = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const length = isChunked ? {} : { 'content-length': Buffer.byteLength(body ?? '') };
    const headers = body === undefined ? {} : { 'content-type': type, ...length };
    const request = http.request(server.config + path, { method, headers, agent }, (response) => {
      response.setEncoding('utf8').once('error', reject);
      response.toArray().then((parts) => resolve({ status: response.statusCode ?? 0, text: parts.join('') }), reject);
    });
    request.once('socket', () => {
      if (!request.reusedSocket) connections++;
    });
    request.once('error', reject);
    request.end(body);
  });
}

async function answered(status: number, ...args: Parameters<typeof ask>): Promise<string> {
  const answer = await ask(...args);
  assert.equal(answer.status, status, answer.text.slice(0, 500));
  return answer.text;
}

/** The request is refused by this problem, and the next one on the same connection is answered. */
async function refused(name: ProblemName, ...args: Parameters<typeof ask>): Promise<string> {
  const before = connections;
  const text = await answered(problems[name].status, ...args);
  const { type, detail } = JSON.parse(text) as { type: string; detail: string };
  assert.equal(type, problemPage(name));
  await answered(200, 'GET', '/measurements/names');
  assert.equal(connections, before, 'the connection was closed');
  return detail;
}

/** The answers to a transaction and to a GET that is sent right behind it, before there is any answer. */
async function answersBehind(body: string, isChunked: boolean): Promise<string> {
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const socket = await openSocket(server.url);
  const answers = readToEnd(socket);
  socket.write(
    ['POST /config/v2/cfgdb/txn HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ''].join('\r\n'),
  );
  socket.write(`${length}\r\n\r\n`);
  socket.write(isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body);
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  return answers;
}

/** A measurement of so many bytes of JSON. */
function measurementOf(bytes: number, name = 'level'): string {
  const text = JSON.stringify({ name, description: '', datatype: 'd' });
  return text.replace('""', `"${'x'.repeat(bytes - text.length)}"`);
}

function transactionOf(bytes: number): string {
  const text = JSON.stringify({ operations: [] });
  return text.padEnd(bytes, ' ');
}

describe('a JSON body', guard, () => {
  for (const isChunked of [false, true]) {
    const how = isChunked ? 'without a Content-Length' : 'with a Content-Length';

    test(`of as many bytes as are allowed is taken, ${how}`, async () => {
      await answered(204, 'POST', '/cfgdb/txn', transactionOf(maxJsonBytes), { isChunked });
    });

    for (const [much, bytes] of Object.entries({ 'one byte': maxJsonBytes + 1, 'ten times': 10 * maxJsonBytes })) {
      test(`of ${much} more is refused, and the request behind it on the connection answered, ${how}`, async () => {
        const answers = await answersBehind(transactionOf(bytes), isChunked);
        assert.match(answers, /^HTTP\/1\.1 413 [\s\S]*#problem-body-too-large[\s\S]*HTTP\/1\.1 200 /);
        assert.match(answers, new RegExp(`${maxJsonBytes}.*--max-json-size`));
      });
    }
  }

  test('that says to be too large is refused before it comes', async () => {
    const socket = await openSocket(server.url);
    const head = ['POST /config/v2/cfgdb/txn HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
    socket.write([...head, `Content-Length: ${maxJsonBytes + 1}`, '', ''].join('\r\n'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    assert.match(answer.toString(), /^HTTP\/1\.1 413 /);
  });

  test('as deep as is allowed is read, and one level deeper is not', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    await refused('invalid-body', 'PUT', '/measurements/level', nested(maxJsonDepth));
    await refused('json-too-deep', 'PUT', '/measurements/level', nested(maxJsonDepth + 1));
    await refused('json-too-deep', 'POST', '/cfgdb/txn', nested(1_000_000));
    await refused('json-too-deep', 'POST', '/cfgdb/txn', '{"operations":'.repeat(100_000));
  });

  test('is not deep for the brackets in its texts', async () => {
    const body = JSON.stringify({ name: 'level', datatype: 'd', description: '[{"\\'.repeat(1000) });
    await answered(204, 'PUT', '/measurements/level', body);
    await answered(204, 'DELETE', '/measurements/level');
  });
});

describe('a body that is compressed', guard, () => {
  test('is refused as such, whatever the route makes of bodies; identity is none', async () => {
    for (const [method, path, type] of [
      ['PUT', '/measurements/level', 'application/json'],
      ['POST', '/cfgdb/txn', 'application/json'],
      ['POST', '/cfgdb/database', 'application/octet-stream'],
      ['PUT', '/function-modules/pump/executable', 'application/octet-stream'],
    ] as const) {
      for (const coding of ['gzip', 'br', 'x-unknown', 'gzip, identity']) {
        const response = await fetch(server.config + path, {
          method,
          headers: { 'content-type': type, 'content-encoding': coding },
          body: '{}',
        });
        assert.equal(response.status, 415, `${path} ${coding}`);
      }
    }
    const headers = { 'content-type': 'application/json', 'content-encoding': 'identity' };
    const response = await fetch(`${server.config}/cfgdb/txn`, { method: 'POST', headers, body: '{"operations":[]}' });
    assert.equal(response.status, 204);
  });
});

describe('an upload', guard, () => {
  const bytes = { type: 'application/octet-stream' };

  for (const isChunked of [false, true]) {
    const how = isChunked ? 'without a Content-Length' : 'with a Content-Length';

    test(`of an executable that is too large is refused, and the old one stays, ${how}`, async () => {
      const path = '/function-modules/pump/executable';
      await answered(204, 'PUT', path, 'x'.repeat(maxExecutableBytes), { ...bytes, isChunked });
      const detail = await refused('body-too-large', 'PUT', path, 'y'.repeat(maxExecutableBytes + 1), {
        ...bytes,
        isChunked,
      });
      assert.match(detail, new RegExp(`${maxExecutableBytes}.*--max-executable-size`));
      assert.equal(await answered(200, 'GET', path), 'x'.repeat(maxExecutableBytes));
    });

    test(`of an executable that is too large, for a module that there is not, leaves the server as it was, ${how}`, async () => {
      const body = 'y'.repeat(100 * maxExecutableBytes);
      const { status } = await ask('PUT', '/function-modules/nobody/executable', body, { ...bytes, isChunked });
      assert.ok(status === 404 || status === 413, String(status)); // whichever it sees first
      await answered(200, 'GET', '/measurements/names');
    });

    test(`of a database that is too large is refused, ${how}`, async () => {
      const body = 'SQLite format 3\0'.padEnd(maxDatabaseBytes + 1, 'x');
      const detail = await refused('body-too-large', 'POST', '/cfgdb/database', body, { ...bytes, isChunked });
      assert.match(detail, new RegExp(`${maxDatabaseBytes}.*--max-database-size`));
    });
  }
});

describe('a transaction', guard, () => {
  const deletion = '{"operation":"delete","family":"alarms","name":"a"}';
  const withOperations = (count: number) => `{"operations":[${Array(count).fill(deletion).join(',')}]}`;

  test('of one operation more than is allowed is refused as too long', async () => {
    const detail = await refused('too-many-operations', 'POST', '/cfgdb/txn', withOperations(maxOperations + 1));
    assert.match(detail, /more than 100000 operations/);
  });

  test('of as many as are allowed is not', async () => {
    await refused('operation-failed', 'POST', '/cfgdb/txn', withOperations(maxOperations));
  });
});

describe('an object', guard, () => {
  test('as large as is allowed is stored, and comes back', async () => {
    const body = measurementOf(maxObjectText);
    await answered(204, 'PUT', '/measurements/level', body);
    assert.equal(await answered(200, 'GET', '/measurements/level'), body);
    await answered(204, 'DELETE', '/measurements/level');
  });

  test('that is larger is refused, on its own and in a transaction, and nothing of that is stored', async () => {
    await refused('object-too-large', 'PUT', '/measurements/level', measurementOf(maxObjectText + 1));
    const operations = ['small', 'level'].map((name) => {
      const bytes = name === 'small' ? 100 : maxObjectText + 1;
      return `{"operation":"put","family":"measurements","name":"${name}","object":${measurementOf(bytes, name)}}`;
    });
    const detail = await refused('object-too-large', 'POST', '/cfgdb/txn', `{"operations":[${operations.join(',')}]}`);
    assert.match(detail, /^\/operations\/1\/object has 1048577 characters/);
    assert.equal(await answered(200, 'GET', '/measurements/names'), '[]');
  });

  test('has a name of at most 64 characters', async () => {
    const name = 'n'.repeat(64);
    const body = JSON.stringify({ name, datatype: 'd' });
    await answered(204, 'PUT', `/measurements/${name}`, body);
    await answered(204, 'DELETE', `/measurements/${name}`);
    await refused('invalid-name', 'PUT', `/measurements/${name}n`, body);
    await refused('invalid-name', 'DELETE', `/measurements/${name}n`);
    await refused('unknown-object', 'GET', `/measurements/${'n'.repeat(100_000)}`);
    await refused('invalid-body', 'PUT', '/measurements/level', JSON.stringify({ name: `${name}n`, datatype: 'd' }));
  });
});

describe('a list of names', guard, () => {
  const namesOf = (count: number) =>
    Array.from({ length: count }, (_, index) => String(index).padStart(64, 'n')).join();

  test('may be as long as the header may be', async () => {
    await answered(200, 'GET', `/measurements?names=${namesOf(3500)}`);
    await answered(200, 'GET', `/stacks/connector?names=${'n,'.repeat(100_000)}n`);
  });

  test('that makes the URL longer than any is refused, and the server goes on', async () => {
    const text = await answered(431, 'GET', `/measurements?names=${namesOf(5000)}`);
    assert.equal((JSON.parse(text) as { type: string }).type, problemPage('headers-too-large'));
    await answered(200, 'GET', '/measurements/names');
  });
});
