// What a server loads: of PostgreSQL, NATS and etcd nothing, unless a setting wants it.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '@telltale/stack-kit/testing';
import { type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The sources in what is built have their paths in comments. */
const source = /^\/\/ ((?:node_modules|packages)\/\S+)$/gm;
const ofEngines =
  /^(?:node_modules\/(?:pg|pg-[\w-]+|@nats-io)\/|packages\/server\/src\/(?:bus|lease|store\/postgres)\/(?!address))/;

/** Of a server and its threads. */
interface Loading {
  readonly env: NodeJS.ProcessEnv;
  ofEngines(): Set<string>;
}

function loadingIn(t: Scope): Loading {
  const folder = temporaryFolder(t);
  const [hook, list] = [join(folder, 'hook.mjs'), join(folder, 'list.txt')];
  writeFileSync(list, '');
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
     import { registerHooks } from 'node:module';
     registerHooks({ load: (url, context, next) => {
       appendFileSync(${JSON.stringify(list)}, url + '\\n');
       return next(url, context);
     } });`,
  );
  return {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` },
    ofEngines: () => {
      const urls = new Set(readFileSync(list, 'utf8').split('\n'));
      const files = [...urls].filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
      assert.ok(files.length > 0);
      // A file that was not built is a source itself.
      const sources = files.flatMap((file) => [
        relative(root, file).replaceAll('\\', '/'),
        ...[...readFileSync(file, 'utf8').matchAll(source)].map(([, path = '']) => path),
      ]);
      assert.ok(sources.includes('packages/server/src/server.ts'), 'it is known what was loaded');
      return new Set(sources.filter((path) => ofEngines.test(path)));
    },
  };
}

describe('a server', () => {
  test('loads nothing of a store, a bus or a lease without their settings', async (t) => {
    const loading = loadingIn(t);
    const server = await startServer(t, { data: temporaryFolder(t), env: loading.env });
    await server.end();
    assert.deepEqual([...loading.ofEngines()], []);
  });

  test('loads what the store needs with its setting', async (t) => {
    const loading = loadingIn(t);
    const args = ['--store', `postgresql://a@127.0.0.1:${await freePort()}/b`];
    await startServer(t, { data: temporaryFolder(t), env: loading.env, args });
    await until('the library of PostgreSQL is loaded', async () =>
      loading.ofEngines().has('node_modules/pg/lib/client.js'),
    );
  });
});
