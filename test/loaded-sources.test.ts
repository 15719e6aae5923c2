// A server without a store, a bus and other nodes loads nothing of what they need.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { startServer } from './server-process.ts';

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** Each part of a build begins with the name of its source. */
const source = /^\/\/ ((?:packages|stacks|node_modules)\/\S+)$/gm;
const parts = ['bus', 'enrolment', 'federation', 'lease', 'nodes', 'standby'].map(
  (part) => `packages/server/src/${part}/`,
);
const others = [
  'packages/server/src/archive/parcel/decode-parcel.ts',
  'packages/server/src/store/postgres/postgres-store.ts',
  'node_modules/@nats-io/',
  'node_modules/pg/',
];
/** Names of files, and what people are told. */
const isLight = (path: string) => path.startsWith('packages/server/src/enrolment/files/');

describe('what a server has loaded when it is ready', () => {
  test('has nothing of a store, a bus or a lease where none is set', async (t) => {
    const folder = temporaryFolder(t);
    const data = join(temporaryFolder(t), 'data');
    const server = await startServer(t, { data, args: ['--no-demo'], env: { NODE_V8_COVERAGE: folder } });
    await server.end();
    const loaded = new Set<string>();
    for (const name of readdirSync(folder)) {
      const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage;
      for (const { url } of result.filter(({ url }) => url.startsWith('file:'))) {
        for (const [, path = ''] of readFileSync(fileURLToPath(url), 'utf8').matchAll(source)) loaded.add(path);
      }
    }
    assert.ok(loaded.has('packages/server/src/server.ts'), 'a build names its sources');
    const needless = [...loaded].filter((path) => [...parts, ...others].some((part) => path.startsWith(part)));
    assert.deepEqual(
      needless.filter((path) => !isLight(path)),
      [],
    );
  });
});
