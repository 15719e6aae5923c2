// The server against clients that do not speak HTTP, speak it wrongly, lie about lengths or leave in the middle.
// TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, describe, test } from 'node:test';
import { problemPage } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { openSocket, parseAnswer, type RawAnswer, readToEnd } from './raw-http.ts';
import { testSeed as seed } from './seeded-random.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** A server that never answers fails a test; it does not stop the others. */
const guard = { timeout: 120_000 };

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;

const host = 'Host: 127.0.0.1';
const level = '{"name":"level","datatype":"d"}';

function putOf(name: string, headers: readonly string[], body: string): string {
  return [
    `PUT /config/v2/measurements/${name} HTTP/1.1`,
    host,
    'Content-Type: application/json',
    ...headers,
    '',
    body,
  ].join('\r\n');
}

function getOf(path: string, ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, host, ...headers, '', ''].join('\r\n');
}

/** Sends the bytes, says that there are no more, and gives all that comes back until the server closes. */
async function exchange(bytes: string | Uint8Array): Promise<string> {
  const socket = await openSocket(server.url);
  const answers = readToEnd(socket);
  socket.end(bytes);
  return answers;
}

/** Sends what makes the server close, and gives all that comes back until it does. */
async function patientExchange(bytes: string): Promise<string> {
  const socket = await openSocket(server.url);
  const answers = readToEnd(socket);
  socket.write(bytes);
  return answers;
}

async function answerTo(text: string): Promise<RawAnswer> {
  return parseAnswer(await exchange(text));
}

function isProblem({ headers, text }: RawAnswer, name: Parameters<typeof problemPage>[0]): void {
  assert.equal(headers.get('content-type')?.split(';', 1)[0], 'application/problem+json');
  assert.equal((JSON.parse(text) as { type: string }).type, problemPage(name));
}

before(async () => {
  server = await startServer(cleanup, { data: folder });
});

/** Whatever a client did: the server lives, answers, and has stored nothing. */
afterEach(async () => {
  assert.equal(server.hasEnded, false);
  assert.deepEqual(await (await server.get('/measurements/names')).json(), []);
});

after(async () => {
  const { code, stdout, stderr } = await server.end();
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  for (const line of stdout.trim().split('\n')) assert.equal((JSON.parse(line) as { level: number }).level, 30, line);
});

describe('what is not HTTP', guard, () => {
  const texts = ['hello\r\n\r\n', '\0\0\0\0', 'GET\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'NOTAMETHOD / HTTP/1.1\r\n\r\n'];
  for (const text of [
    ...texts,
    `GET / HTTP/1.1\r\n${host}\r\nbad header\r\n\r\n`,
    '\x16\x03\x01\x02\x00\x01\x00\x01',
  ]) {
    test(`is refused with a problem, and the connection closed: ${JSON.stringify(text)}`, async () => {
      const answer = await answerTo(text);
      assert.equal(answer.status, 400);
      isProblem(answer, 'malformed-request');
    });
  }

  test('of any bytes at all never ends in a fault of the server', async () => {
    const pieces = fc.constantFrom(
      'GET ',
      'PUT ',
      '/config/v2/alarms',
      ' HTTP/1.1',
      '\r\n',
      '\n',
      ':',
      ' ',
      host,
      'Content-Length: 3',
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 500 }),
      fc.array(pieces, { maxLength: 20 }).map((parts) => Buffer.from(parts.join(''))),
    );
    const property = fc.asyncProperty(bytes, async (each) => {
      assert.doesNotMatch(await exchange(each), /HTTP\/1\.1 5/);
    });
    await fc.assert(property, { seed, numRuns: 500 });
  });

  test('though it began as a good request and was changed in places, never ends in a fault of the server', async () => {
    const good = [
      getOf('/config/v2/alarms/names'),
      getOf('/config/v2/measurements?names=a,b', 'Accept: */*'),
      getOf('/docs/'),
    ];
    const change = fc.tuple(fc.nat(), fc.nat(3), fc.uint8Array({ maxLength: 4 }));
    const property = fc.asyncProperty(
      fc.constantFrom(...good),
      fc.array(change, { maxLength: 5 }),
      async (text, changes) => {
        let bytes = Buffer.from(text.repeat(2));
        for (const [at, removed, added] of changes) {
          const from = at % bytes.length;
          bytes = Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + removed)]);
        }
        assert.doesNotMatch(await exchange(bytes), /HTTP\/1\.1 5/);
      },
    );
    await fc.assert(property, { seed, numRuns: 500 });
  });
});

describe('headers', guard, () => {
  test('that are too long are refused as such', async () => {
    const answer = await answerTo(getOf('/healthz', `X-Long: ${'x'.repeat(300_000)}`));
    assert.equal(answer.status, 431);
    isProblem(answer, 'headers-too-large');
  });

  test('that are too many are refused as such', async () => {
    const many = Array.from({ length: 40_000 }, (_, index) => `X-${index}: 1`);
    assert.equal((await answerTo(getOf('/healthz', ...many))).status, 431);
  });

  test('with a URL that is too long are refused as such', async () => {
    const answer = await answerTo(getOf(`/config/v2/alarms?names=${'x,'.repeat(150_000)}`));
    assert.equal(answer.status, 431);
    isProblem(answer, 'headers-too-large');
  });

  test('that contradict each other about the body are refused, and the body is no second request', async () => {
    const smuggled = getOf('/healthz');
    for (const headers of [
      ['Content-Length: 5', 'Transfer-Encoding: chunked'],
      ['Content-Length: 5', 'Content-Length: 6'],
      ['Content-Length: 5, 6'],
      ['Content-Length: -1'],
      ['Content-Length: 0x5'],
      ['Transfer-Encoding: chunked, identity'],
      ['Transfer-Encoding: xchunked'],
    ]) {
      const text = await patientExchange(putOf('level', headers, `0\r\n\r\n${smuggled}`));
      assert.equal(parseAnswer(text).status, 400, headers.join());
      assert.doesNotMatch(text, /HTTP\/1\.1 2/, headers.join());
    }
  });
});

describe('a body that is not what its headers say', guard, () => {
  test('because its chunks are broken is not taken', async () => {
    const chunked = ['Transfer-Encoding: chunked'];
    const size = level.length.toString(16);
    for (const body of [
      `${size}\r\n${level}`,
      `${size}\r\n${level}\r\n`,
      `zz\r\n${level}\r\n0\r\n\r\n`,
      `${size}\r\n${level}0\r\n\r\n`,
      `-1\r\n${level}\r\n0\r\n\r\n`,
      `ffffffffffffffffff\r\n${level}\r\n0\r\n\r\n`,
      `${size}\n${level}\n0\n\n`,
    ]) {
      assert.doesNotMatch(await exchange(putOf('level', chunked, body)), /HTTP\/1\.1 [25]/, body);
    }
  });

  test('because it is shorter is not taken', async () => {
    const answer = await exchange(putOf('level', [`Content-Length: ${level.length + 1}`], level));
    assert.doesNotMatch(answer, /HTTP\/1\.1 [25]/);
  });

  test('because it is longer is refused, and what is left over as well', async () => {
    const answer = await exchange(putOf('level', [`Content-Length: ${level.length - 1}`], level));
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.doesNotMatch(answer, /HTTP\/1\.1 [25]/);
  });
});

describe('a client that leaves in the middle', guard, () => {
  const request = putOf('level', [`Content-Length: ${level.length}`], level);

  test('of a request, at any byte, leaves nothing behind', async () => {
    for (let length = 0; length < request.length; length += 3) {
      assert.doesNotMatch(await exchange(request.slice(0, length)), /HTTP\/1\.1 [25]/);
    }
  });

  test('by breaking the connection off leaves nothing behind', async () => {
    for (let length = 0; length < request.length; length += 3) {
      const socket = await openSocket(server.url);
      await new Promise((resolve) => socket.write(request.slice(0, length), resolve));
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
  });

  test('of an upload leaves nothing behind', async () => {
    for (const [path, type] of [
      ['cfgdb/database', 'application/x-sqlite3'],
      ['function-modules/x/executable', 'application/octet-stream'],
    ]) {
      const method = path === 'cfgdb/database' ? 'POST' : 'PUT';
      const head = `${method} /config/v2/${path} HTTP/1.1\r\n${host}\r\nContent-Type: ${type}\r\nContent-Length: 100000\r\n\r\n`;
      assert.doesNotMatch(await exchange(`${head}${'x'.repeat(50_000)}`), /HTTP\/1\.1 [25]/);
    }
  });

  test('of an answer does not hold up the server', async () => {
    for (let count = 0; count < 60; count++) {
      const socket = await openSocket(server.url);
      socket.write(getOf(['/openapi.json', '/docs/', '/config/v2/cfgdb/database'][count % 3] ?? '').repeat(20));
      await once(socket, 'data');
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
  });
});

describe('many clients', guard, () => {
  test('that hold half a request each do not keep others from being answered', async () => {
    const request = putOf('level', [`Content-Length: ${level.length}`], level);
    const halves = Array.from({ length: 300 }, async (_, index) => {
      const socket = await openSocket(server.url);
      socket.write(request.slice(0, 1 + (index % (request.length - 1))));
      return socket;
    });
    const sockets = await Promise.all(halves);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    assert.equal((await server.get('/measurements')).status, 200);
    for (const socket of sockets) socket.destroy();
  });

  test('or one, that sends a hundred requests without waiting, get every answer in order', async () => {
    const names = Array.from({ length: 99 }, (_, index) => `n${index}`);
    const requests = names.map((name) => getOf(`/config/v2/measurements/${name}`));
    const text = await patientExchange(requests.join('') + getOf('/healthz', 'Connection: close'));
    const reported = [...text.matchAll(/no measurement \\"(n\d+)\\" in the configuration\./g)].map(([, name]) => name);
    assert.deepEqual(reported, names);
    assert.match(text, /HTTP\/1\.1 200 OK[\s\S]*\{"status":"ok"\}$/);
  });
});
