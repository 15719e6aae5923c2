// How the page is served: its index and its files, to browsers of every kind, and who gets it at a path that is an operation too.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pageRoutes } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { noChromium, openPage, startBrowser } from './browser.ts';
import { closeServer } from './closed-server.ts';
import { sendRaw } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; " +
  "font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";
/** As Chromium, Firefox and Safari send it with an address that somebody has typed. */
const ofBrowsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const cleanup = suiteCleanup();
const data = temporaryFolder(cleanup);
let server: ServerProcess;
/** The path of the script. */
let script = '';

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', { url } = server) =>
  sendRaw(url, [
    `${method} ${path} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    'connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]);
const navigate = (path: string, method = 'GET') => ask(path, { accept: ofBrowsers }, method);
const isPage = ({ status, text }: { status: number; text: string }) => status === 200 && text.includes(script);
const bytesOf = ({ text }: { text: string }) => Buffer.from(text, 'latin1');

before(async () => {
  server = await startServer(cleanup, { data });
  script = await until('the page is there', async () =>
    /"(\/assets\/main-\w+\.js)"/.exec((await ask('/')).text)?.at(1),
  );
});

describe('the index', () => {
  test('has exactly its policy, and what keeps other pages away', async () => {
    const { status, headers } = await ask('/');
    assert.equal(status, 200);
    assert.deepEqual(
      Object.fromEntries(
        [
          'content-security-policy',
          'content-type',
          'cross-origin-opener-policy',
          'cross-origin-resource-policy',
          'referrer-policy',
          'x-content-type-options',
          'cache-control',
          'vary',
        ].map((name) => [name, headers.get(name)]),
      ),
      {
        'content-security-policy': policy,
        'content-type': 'text/html; charset=utf-8',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
        vary: 'accept, accept-encoding',
      },
    );
    assert.match(headers.get('permissions-policy') ?? '', /camera=\(\)/);
  });

  for (const coding of ['br', 'gzip', 'identity']) {
    test(`is 304 for who has it as ${coding}, and is sent again for any other tag`, async () => {
      const first = await ask('/', { 'accept-encoding': coding });
      assert.equal(first.headers.get('content-encoding'), coding === 'identity' ? null : coding);
      const known = { 'accept-encoding': coding, 'if-none-match': first.headers.get('etag') ?? '' };
      const again = await ask('/', known);
      assert.deepEqual([again.status, again.text], [304, '']);
      assert.equal((await ask('/', { 'if-none-match': '"other"' })).status, 200);
    });
  }

  test('has another tag in each coding, whose bytes are others', async () => {
    const tags = ['br', 'gzip', 'identity'].map(async (coding) =>
      (await ask('/', { 'accept-encoding': coding })).headers.get('etag'),
    );
    assert.equal(new Set(await Promise.all(tags)).size, 3);
  });
});

describe('a file of the page', () => {
  test('never changes, has its type, and is the same in every coding', async () => {
    const plain = await ask(script);
    assert.deepEqual(
      ['cache-control', 'content-type', 'x-content-type-options', 'vary', 'content-encoding'].map((name) =>
        plain.headers.get(name),
      ),
      ['public, max-age=31536000, immutable', 'text/javascript; charset=utf-8', 'nosniff', 'accept-encoding', null],
    );
    assert.equal(Number(plain.headers.get('content-length')), bytesOf(plain).length);
    for (const [accepted, coding, unpack] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['br', 'br', brotliDecompressSync],
      ['gzip, br;q=0', 'gzip', gunzipSync],
      ['gzip', 'gzip', gunzipSync],
    ] as const) {
      const packed = await ask(script, { 'accept-encoding': accepted });
      assert.equal(packed.headers.get('content-encoding'), coding, accepted);
      assert.ok(bytesOf(packed).length < bytesOf(plain).length);
      assert.deepEqual(unpack(bytesOf(packed)), bytesOf(plain));
    }
    for (const accepted of ['identity', 'br;q=0, gzip;q=0', 'zstd', '']) {
      assert.deepEqual(bytesOf(await ask(script, { 'accept-encoding': accepted })), bytesOf(plain), accepted);
    }
  });

  test('and the index have a HEAD with the same headers and no body', async () => {
    for (const path of ['/', script]) {
      const [whole, head] = [await ask(path), await ask(path, {}, 'HEAD')];
      assert.deepEqual([head.status, head.text], [200, '']);
      for (const name of ['content-length', 'content-type', 'etag', 'cache-control']) {
        assert.equal(head.headers.get(name), whole.headers.get(name), `${path}: ${name}`);
      }
    }
  });

  test('that there is not is a problem, whatever way it is written', async () => {
    for (const name of [
      'nothing.js',
      '__proto__',
      '..%2findex.html',
      '%2e%2e%2fpage.json',
      'index.html',
      'x'.repeat(300),
    ]) {
      const { status, headers } = await ask(`/assets/${name}`);
      assert.ok([400, 404].includes(status), `${status}: ${name}`);
      assert.equal(headers.get('content-type'), 'application/problem+json');
      assert.equal(headers.get('cache-control'), 'no-store');
    }
    for (const path of ['/assets/', '/assets', '/assets/../../package.json', `${script}.br`, '/assets/%ff']) {
      assert.ok([400, 404].includes((await navigate(path)).status), path);
    }
  });

  test('is not loaded by pages from elsewhere', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    assert.equal((await ask(script, headers)).status, 403);
  });
});

describe('a route of the page', () => {
  test('is answered with the page for a browser that goes there, from elsewhere too, whatever its query', async () => {
    for (const route of pageRoutes) {
      const path = route.replaceAll(/:\w+/g, 'x');
      assert.ok(isPage(await navigate(path)), path);
      assert.ok(isPage(await navigate(`${path}?at=1700000000&columns=a,b&__proto__=x`)), path);
      const link = { accept: ofBrowsers, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
      assert.ok(isPage(await ask(path, link)), path);
      assert.equal((await navigate(path, 'HEAD')).status, 200);
    }
  });

  test('is the operation of this path for whoever does not prefer a page, and nothing where there is none', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/html', 'text/html;q=0.5, */*', '']) {
      assert.equal((await ask('/audit', { accept })).headers.get('content-type'), 'application/json', accept);
      assert.equal((await ask('/points', { accept })).status, 404);
    }
    assert.equal((await navigate('/audit', 'POST')).status, 405);
  });

  test('does not hide an operation that is below the path of an interface', async () => {
    for (const path of [
      '/access/users',
      '/access/me',
      '/config/v2/measurements/',
      '/config/v2/measurements',
      '//config//v2/measurements',
      '/%63onfig/v2/measurements',
      '/data/measurements/',
      '/audit/export',
      '/healthz',
      '/openapi.json',
    ]) {
      const { status, text } = await navigate(path);
      assert.ok([200, 403, 404].includes(status) && !text.includes('<html'), `${status} ${path}`);
    }
    for (const path of ['/config/v2/nothing', '/data/nothing', '/access/nothing', '/data/']) {
      const { status, text } = await navigate(path);
      assert.equal(status, 404, path);
      assert.match(text, /unknown-path/, path);
    }
  });

  test('gives way to an interface whose path is the same', async (t) => {
    const args = ['--data-path', '/points', '--config-path', '/config'];
    const other = await startServer(t, { data: temporaryFolder(t), args });
    const get = async (path: string) => (await fetch(other.url + path, { headers: { accept: ofBrowsers } })).headers;
    assert.equal((await get('/points/operations')).get('content-type'), 'application/json');
    assert.equal((await get('/config/measurements/')).get('content-type'), 'application/json');
    for (const path of ['/points', '/config', '/trends/x']) {
      assert.match((await get(path)).get('content-type') ?? '', /^text\/html/, path);
    }
  });

  test('that there is not is 404: the page for browsers, which says so, and a problem for programs', async () => {
    for (const path of ['/points/a/b', '/nothing', '/POINTS', '/nothing/at/all?x=1', '/audit/nothing']) {
      const { status, text, headers } = await navigate(path);
      assert.equal(status, 404, path);
      assert.ok(text.includes(script), path);
      assert.match(headers.get('content-security-policy') ?? '', /require-trusted-types-for/);
      assert.deepEqual([headers.get('cache-control'), headers.get('etag')], ['no-store', null]);
      assert.match(headers.get('vary') ?? '', /accept/);
      const head = await navigate(path, 'HEAD');
      assert.deepEqual([head.status, head.text], [404, '']);
      const link = { accept: ofBrowsers, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
      assert.equal((await ask(path, link)).status, 404);
      const program = await ask(path, { accept: 'application/json' });
      assert.equal(program.status, 404);
      assert.deepEqual(
        ['content-type', 'vary'].map((name) => program.headers.get(name)),
        ['application/problem+json', 'accept'],
      );
      assert.match(program.text, /unknown-path/);
    }
    assert.equal((await navigate('/nothing', 'POST')).headers.get('content-type'), 'application/problem+json');
  });

  test('is a problem where it cannot be decoded', async () => {
    for (const path of ['/points/%ff', '/points/%']) {
      const { status, text } = await navigate(path);
      assert.ok([400, 404].includes(status) && !text.includes('<html'), `${status} ${path}`);
    }
  });
});

describe('in a browser', { skip: noChromium }, () => {
  test('an address of nothing shows that there is no such page, and leads to the start', async (t) => {
    const page = await openPage(await startBrowser(t), { expects: [/404/] });
    const answer = await page.goto(`${server.url}/nothing/here`);
    assert.equal(answer?.status(), 404);
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
    await page.getByRole('link', { name: 'To the start' }).click();
    await page.waitForURL(`${server.url}/`);
  });

  test('the page runs under its policy, and may speak with the channel', async (t) => {
    const page = await openPage(await startBrowser(t));
    await page.goto(`${server.url}/points/x`);
    await page.getByRole('main').waitFor();
    const answer = `new Promise((resolve) => {
      const socket = new WebSocket('/data/ws');
      socket.onopen = () => socket.send(JSON.stringify({ request: 'Heartbeat', id: 1 }));
      socket.onmessage = ({ data }) => resolve(data);
      socket.onclose = () => resolve('closed');
    })`;
    assert.match(String(await page.evaluate(answer)), /"request_id":1/);
  });
});

test('a server with users serves the page to everybody, whatever credentials a browser has left', async (t) => {
  const folder = temporaryFolder(t);
  const closed = await startServer(t, { data: folder });
  await closeServer(closed, folder);
  const cookie = '__Host-telltale=of_a_session_that_ended';
  for (const headers of [{}, { cookie }, { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }]) {
    for (const path of ['/', '/alarms', '/audit']) {
      assert.ok((await ask(path, { accept: ofBrowsers, ...headers }, 'GET', closed)).text.includes('<html'), path);
    }
  }
  assert.equal((await fetch(`${closed.url}/audit`)).status, 401);
});
