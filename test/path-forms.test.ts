// Where there are users, no other way to write the target or the method of a request gets more than the plain one.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { AccessDatabase } from '../packages/server/src/access/index.ts';
import { sendRaw } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const data = temporaryFolder(cleanup);
let server: ServerProcess;
/** Of the operations that are for callers alone. */
let closed: { readonly method: string; readonly path: string }[];

const inBatches = async <T>(items: readonly T[], work: (item: T) => Promise<void>) => {
  for (let at = 0; at < items.length; at += 16) await Promise.all(items.slice(at, at + 16).map(work));
};

async function statusOf(method: string, target: string, hosts?: readonly string[]): Promise<number> {
  const named = (hosts ?? [new URL(server.url).host]).map((host) => `Host: ${host}`);
  const head = [`${method} ${target} HTTP/1.1`, ...named, 'Connection: close', 'Content-Length: 0'];
  return (await sendRaw(server.url, head)).status;
}

before(async () => {
  const first = await startServer(cleanup, { data });
  const { paths } = (await (await fetch(`${first.url}/openapi.json`)).json()) as { paths: Record<string, object> };
  await first.end();
  const store = new AccessDatabase({ folder: data, onFailure: assert.fail });
  await store.open();
  const value = { grants: [{ role: 'administrator' }], origin: 'local' };
  await store.change([{ kind: 'user', key: 'anna', value }]);
  await store.close(5000);
  server = await startServer(cleanup, { data });
  const all = Object.entries(paths).flatMap(([template, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: template
        .replaceAll('{id}', '1')
        .replaceAll(/\{t_\w+\}/g, '0')
        .replaceAll(/\{\w+\}/g, 'level'),
    })),
  );
  closed = [];
  await inBatches(all, async (operation) => {
    if ((await statusOf(operation.method, operation.path)) === 401) closed.push(operation);
  });
});

const encoded = (path: string) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

const forms: Readonly<Record<string, (path: string) => string>> = {
  'two slashes before': (path) => `/${path}`,
  'two slashes within': (path) => path.replaceAll(/(?<=.)\//g, '//'),
  'a slash behind': (path) => `${path}/`,
  'dots that are encoded': (path) => `/%2e${path}`,
  'a step back that is encoded': (path) => `/docs/%2e%2e${path}`,
  'a step back': (path) => `/healthz/..${path}`,
  'a slash that is encoded': (path) => path.replace(/\/([^/]*)$/, '%2f$1'),
  'a letter that is encoded': encoded,
  'capital letters': (path) => path.toUpperCase(),
  'a parameter within': (path) => path.replace(/^(\/[^/]+)/, '$1;x=y'),
  'a query': (path) => `${path}?x=/healthz`,
  'a fragment': (path) => `${path}#/healthz`,
  'a URL': (path) => server.url + path,
};

describe('without credentials, an operation that wants some is refused', () => {
  test('there are such operations', () => assert.ok(closed.length > 100, String(closed.length)));

  for (const [what, form] of Object.entries(forms)) {
    test(`with ${what}`, async () => {
      await inBatches(closed, async ({ method, path }) => {
        const status = await statusOf(method, form(path));
        assert.ok([400, 401, 404, 405].includes(status), `${status} to ${method} ${form(path)}`);
      });
    });
  }

  test('with every method', async () => {
    const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'MERGE', 'get'];
    const paths = [...new Set(closed.map(({ path }) => path))];
    await inBatches(
      paths.flatMap((path) => methods.map((method) => ({ method, path }))),
      async ({ method, path }) => {
        const status = await statusOf(method, path);
        const isPublic = !closed.some(
          (each) => each.path === path && each.method === (method === 'HEAD' ? 'GET' : method),
        );
        assert.ok([400, 401, 404, 405, ...(isPublic ? [204] : [])].includes(status), `${status} to ${method} ${path}`);
      },
    );
  });

  test('with two Hosts, whichever is first', async () => {
    const own = new URL(server.url).host;
    await inBatches(closed, async ({ method, path }) => {
      for (const hosts of [
        [own, own],
        [own, 'evil.example'],
        ['evil.example', own],
      ]) {
        assert.equal(await statusOf(method, path, hosts), 400);
      }
    });
  });
});
