import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { until } from '../../../../test/until.ts';
import { plainHttp } from '../../test/plain-http.ts';
import type { HttpServer } from './http-server.ts';
import type { Route } from './route.ts';

const long = Buffer.from(JSON.stringify({ text: 'level '.repeat(5000) }));
let version = 1;

const route = (path: string, body: Buffer | string, versioned: boolean): Route => ({
  method: 'GET',
  path,
  id: path.slice(1),
  effect: { action: 'read', resource: 'service' },
  permission: 'public',
  audited: false,
  answer: {
    status: 200,
    description: '',
    type: 'application/json',
    ...(versioned && { version: () => `v${version}` }),
  },
  problems: [],
  handle: () => body,
});

/** More than a connection takes whose client does not read. */
const lent = Buffer.alloc(32 << 20, ' ');
let released = 0;

const routes = [
  route('/long', long, true),
  route('/short', '{}', true),
  route('/plain', long, false),
  { ...route('/lent', '', false), handle: () => ({ bytes: lent, release: () => void released++ }) },
];

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

let app: HttpServer;

/** Without the help of fetch, which unpacks what it gets. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const asking = request({ port, host: '127.0.0.1', path, method, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
    asking.once('error', reject);
    asking.end();
  });
}

const far = { 'x-forwarded-for': '192.0.2.7', 'accept-encoding': 'br, gzip' };

before(async () => {
  app = plainHttp({ routes });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
after(() => app.close());

describe('bytes that are lent for an answer', () => {
  beforeEach(() => {
    released = 0;
  });

  for (const method of ['GET', 'HEAD']) {
    test(`of a ${method} are given back once, when it is out`, async () => {
      await get('/lent', {}, method);
      await until('they are given back', async () => released > 0);
      await get('/short');
      assert.equal(released, 1);
    });
  }

  test('are in use while the client takes its time, and given back when it is gone', async () => {
    const { port } = app.server.address() as AddressInfo;
    const asking = request({ port, host: '127.0.0.1', path: '/lent' }).end();
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    await get('/short');
    assert.equal(released, 0);
    response.destroy();
    await until('they are given back', async () => released === 1);
  });
});

describe('an answer', () => {
  test('is compressed for a client behind a proxy that wants it so', async () => {
    const { status, headers, body } = await get('/long', far);
    assert.deepEqual([status, headers['content-encoding'], headers.vary], [200, 'gzip', 'accept-encoding']);
    assert.equal(Number(headers['content-length']), body.length);
    assert.deepEqual(gunzipSync(body), long);
    assert.ok(body.length < long.length / 10);
  });

  for (const [why, path, headers] of [
    ['on this machine', '/long', { 'accept-encoding': 'gzip' }],
    ['that does not want it', '/long', { ...far, 'accept-encoding': 'br' }],
    ['that refuses it', '/long', { ...far, 'accept-encoding': 'br, gzip;q=0' }],
    ['where it is short', '/short', far],
    ['where it is no collection', '/plain', far],
  ] as const) {
    test(`is not compressed for a client ${why}`, async () => {
      const answer = await get(path, headers);
      assert.equal(answer.headers['content-encoding'], undefined);
      assert.equal(Number(answer.headers['content-length']), answer.body.length);
    });
  }

  test('that the client has, compressed or not, is 304 without a body until it changes', async () => {
    for (const headers of [{}, far]) {
      const { etag } = (await get('/long', headers)).headers;
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get('/long', { ...headers, 'if-none-match': String(known) });
        assert.deepEqual([again.status, again.body.length], [304, 0]);
        assert.equal(
          again.headers['content-security-policy'],
          undefined,
          'browsers take it in the place of that of the content',
        );
      }
      version++;
      const changed = await get('/long', { ...headers, 'if-none-match': String(etag) });
      assert.equal(changed.status, 200);
      assert.notEqual(changed.headers.etag, etag);
    }
  });

  test('that may not be kept says so, and has no tag', async () => {
    const { headers } = await get('/plain');
    assert.deepEqual([headers['cache-control'], headers.etag], ['no-store', undefined]);
    assert.equal((await get('/long')).headers['cache-control'], 'no-cache');
  });

  test('to HEAD has the headers and no body', async () => {
    const { status, headers, body } = await get('/long', {}, 'HEAD');
    assert.deepEqual([status, Number(headers['content-length']), body.length], [200, long.length, 0]);
  });

  test('is never taken for another type', async () => {
    for (const path of ['/long', '/short', '/nothing']) {
      assert.equal((await get(path)).headers['x-content-type-options'], 'nosniff');
    }
  });
});
