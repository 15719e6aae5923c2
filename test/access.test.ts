// Who gets in while there are no users, over real sockets: every operation of the reference, every way to ask from
// elsewhere.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { nameOfProblem } from './config-client.ts';
import { type RawAnswer, sendRaw } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;

interface OpenApi {
  readonly paths: Record<string, Record<string, { requestBody?: { content: Record<string, unknown> } }>>;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly type: string | undefined;
}

let operations: Operation[];

before(async () => {
  server = await startServer(cleanup, { data: folder });
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApi;
  operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path: template.replace('{id}', '1').replace('{name}', 'guarded'),
      type: requestBody === undefined ? undefined : Object.keys(requestBody.content)[0],
    })),
  );
  await server.send('PUT', '/alarms/guarded', { name: 'guarded', severity: 1 });
  await server.send('POST', '/cfgdb/render');
});

/** One request on a connection of its own, with exactly these headers; `host` undefined sends none. */
function ask(
  method: string,
  path: string,
  headers: Record<string, string | undefined>,
  version = '1.1',
): Promise<RawAnswer> {
  const given = { connection: 'close', 'content-length': '0', ...headers };
  const lines = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return sendRaw(server.url, [`${method} ${path} HTTP/${version}`, ...lines]);
}

const ownHost = () => new URL(server.url).host;
const typed = (type: string | undefined) => (type === undefined ? {} : { 'content-type': type });

/** Nothing that was refused may have changed anything. */
async function assertUntouched(): Promise<void> {
  assert.deepEqual(await (await server.get('/alarms')).json(), { guarded: { name: 'guarded', severity: 1 } });
  assert.equal(((await (await server.get('/cfgdb/revisions')).json()) as unknown[]).length, 1);
}

describe('a foreign Host is refused', () => {
  test('by every operation of the reference, reads included, and nothing is reported', async () => {
    assert.ok(operations.length > 40, 'the reference has all operations');
    for (const host of ['evil.com', `localhost.evil.com:${new URL(server.url).port}`]) {
      for (const { method, path, type } of operations) {
        const answer = await ask(method, path, { host, ...typed(type) });
        assert.equal(nameOfProblem(answer), 'foreign-host', `${method} ${path}`);
        assert.doesNotMatch(answer.text, /guarded/);
      }
    }
    await assertUntouched();
  });

  test('in whatever form it looks like this machine', async () => {
    for (const host of [
      '127.0.0.1.evil.com',
      'localhost.',
      'localhost@evil.com',
      '[::2]',
      '0.0.0.0',
      '10.0.0.1',
      '',
      ' ',
    ]) {
      assert.equal(nameOfProblem(await ask('GET', '/config/v2/alarms', { host })), 'foreign-host', host);
    }
  });

  test('where there is nothing, and for methods that do not apply, before anything else is reported', async () => {
    for (const [method, path] of [
      ['GET', '/nothing/here'],
      ['PATCH', '/config/v2/alarms/guarded'],
      ['PUT', '/config/v2/alarms/not-a-name'],
      ['GET', '/config/v2/alarms?names=-'],
    ] as const) {
      assert.equal(nameOfProblem(await ask(method, path, { host: 'evil.com' })), 'foreign-host');
    }
  });

  test('where it is missing: by 403 of HTTP/1.0, by 400 of HTTP/1.1, which requires it', async () => {
    assert.equal(nameOfProblem(await ask('GET', '/config/v2/alarms', { host: undefined }, '1.0')), 'foreign-host');
    const { status, text } = await ask('GET', '/config/v2/alarms', { host: undefined });
    assert.equal(status, 400);
    assert.doesNotMatch(text, /guarded/);
  });

  test('whatever other headers say where the request went to', async () => {
    const headers = {
      host: 'evil.com',
      'x-forwarded-host': 'localhost',
      forwarded: 'host=localhost',
      origin: server.url,
    };
    assert.equal(nameOfProblem(await ask('GET', '/config/v2/alarms', headers)), 'foreign-host');
  });
});

test('a Host of this machine is let in, in any of its forms, with and without a port', async () => {
  for (const name of ['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '[::1]']) {
    for (const host of [name, `${name}:8080`, `${name}:1`]) {
      assert.equal((await ask('GET', '/config/v2/alarms', { host })).status, 200, host);
    }
  }
  assert.equal((await ask('GET', '/healthz', { host: 'localhost' }, '1.0')).status, 200);
});

describe('a request whose target is uncertain gets 400, and comes to no handler', () => {
  test('with two Host headers, foreign or not', async () => {
    for (const hosts of [
      ['evil.com', 'localhost'],
      ['localhost', 'evil.com'],
      ['localhost', 'localhost'],
    ]) {
      for (const path of ['/config/v2/alarms', '/data/ws']) {
        const upgrade = path === '/data/ws' ? ['Connection: Upgrade', 'Upgrade: websocket'] : ['Connection: close'];
        const answer = await sendRaw(server.url, [
          `GET ${path} HTTP/1.1`,
          ...hosts.map((host) => `Host: ${host}`),
          ...upgrade,
        ]);
        assert.deepEqual([answer.status, nameOfProblem(answer)], [400, 'malformed-request']);
        assert.doesNotMatch(answer.text, /guarded/);
      }
    }
  });

  test('with an absolute target of another host; one of this host is answered', async () => {
    for (const target of ['http://evil.com', 'http://localhost', 'HTTPS://127.0.0.1:1', `http://x@${ownHost()}`]) {
      const answer = await ask('GET', `${target}/config/v2/alarms`, { host: ownHost() });
      assert.equal(nameOfProblem(answer), 'malformed-request', target);
    }
    const answer = await ask('GET', `http://${ownHost()}/config/v2/alarms`, { host: ownHost() });
    assert.equal(answer.status, 200, answer.text);
  });

  test('with a Transfer-Encoding that is not chunked', async () => {
    for (const coding of ['xchunked', 'gzip, chunked', 'chunked, chunked', 'identity']) {
      const headers = { host: ownHost(), 'content-length': undefined, 'transfer-encoding': coding };
      const answer = await ask('DELETE', '/config/v2/alarms/guarded', headers);
      assert.deepEqual([answer.status, nameOfProblem(answer)], [400, 'malformed-request'], coding);
    }
    await assertUntouched();
  });
});

describe('a request from a page of another origin is refused', () => {
  test('by every operation of the reference, reads included', async () => {
    for (const { method, path, type } of operations) {
      for (const headers of [
        { origin: 'http://evil.com' },
        { origin: 'null' },
        { origin: `http://localhost:${Number(new URL(server.url).port) + 1}` },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]) {
        const answer = await ask(method, path, { host: ownHost(), ...typed(type), ...headers });
        assert.equal(nameOfProblem(answer), 'foreign-origin', `${method} ${path} ${JSON.stringify(headers)}`);
      }
    }
    await assertUntouched();
  });

  test('also as a form that a browser sends without asking first', async () => {
    const type = 'application/x-www-form-urlencoded';
    const headers = { host: ownHost(), origin: 'https://evil.com', 'content-type': type };
    for (const path of [
      '/config/v2/cfgdb/render?force=1',
      '/config/v2/cfgdb/txn',
      '/config/v2/cfgdb/revisions/1/restore',
    ]) {
      assert.equal(nameOfProblem(await ask('POST', path, headers)), 'foreign-origin');
    }
    await assertUntouched();
  });

  test('and a browser that asks first is given no leave', async () => {
    const headers = { host: ownHost(), origin: 'http://evil.com', 'access-control-request-method': 'PUT' };
    const answer = await ask('OPTIONS', '/config/v2/alarms/guarded', headers);
    assert.equal(answer.status, 403);
    for (const [name] of answer.headers) assert.doesNotMatch(name, /^access-control/);
  });
});

test('a link from a page elsewhere leads to the documents for people, and to nothing else', async () => {
  const link = { host: ownHost(), 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  assert.equal((await ask('GET', '/', link)).status, 200);
  assert.equal((await ask('GET', '/docs/', link)).status, 200);
  for (const { method, path } of operations) {
    if (path === '/' || path.startsWith('/docs') || path === '/access/oidc/callback') continue;
    assert.equal(nameOfProblem(await ask(method, path, link)), 'foreign-origin', `${method} ${path}`);
  }
  // A provider of OpenID Connect leads to it; here is none.
  assert.equal(nameOfProblem(await ask('GET', '/access/oidc/callback?code=x', link)), 'unknown-path');
  for (const path of ['/', '/docs/', '/access/oidc/callback']) {
    assert.equal(nameOfProblem(await ask('POST', path, link)), 'foreign-origin');
    const image = { ...link, 'sec-fetch-mode': 'no-cors' };
    assert.equal(nameOfProblem(await ask('GET', path, image)), 'foreign-origin');
  }
});

test('the channel is closed to a page elsewhere, by its Origin and by what the browser says', async () => {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'content-length': undefined };
  for (const headers of [
    { origin: 'http://evil.com' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const answer = await ask('GET', '/data/ws', { host: ownHost(), ...upgrade, ...headers });
    assert.equal(nameOfProblem(answer), 'foreign-origin');
  }
});

test('a write from the service’s own page, and from a program, is let in', async () => {
  const { port } = new URL(server.url);
  for (const headers of [
    { origin: server.url, 'sec-fetch-site': 'same-origin' },
    { host: `localhost:${port}`, origin: `http://localhost:${port}` },
    { host: `[::1]:${port}`, origin: `http://[::1]:${port}` },
    { host: `LOCALHOST:${port}`, origin: `http://localhost:${port}` },
    { 'sec-fetch-site': 'none' },
    {},
  ]) {
    const answer = await ask('DELETE', '/config/v2/alarms/nobody', { host: ownHost(), ...headers });
    assert.equal(nameOfProblem(answer), 'unknown-object', JSON.stringify(headers));
  }
});

test('the service is not reached on other addresses than the one it listens on', async () => {
  const { port } = new URL(server.url);
  await assert.rejects(fetch(`http://127.0.0.2:${port}/healthz`));
});
