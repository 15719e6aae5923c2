// The examples of the client work: each is run by itself against a server with the demo plant.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from './server-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function examplesOf(path: string): string[] {
  const blocks = readFileSync(join(root, path), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms);
  return Array.from(blocks, ([, code = '']) => code);
}

describe('the examples', () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  let server: ServerProcess;
  before(async () => {
    server = await startServer(cleanup, { data: join(folder, 'data'), args: ['--demo'] });
  });

  for (const path of ['docs/guides/client.md', 'packages/client/README.md']) {
    for (const [at, code] of examplesOf(path).entries()) {
      test(`example ${at + 1} of ${path} does what it says`, () => {
        const here = code
          .replaceAll('new TelltaleClient()', `new TelltaleClient({ url: '${server.url}' })`)
          .replaceAll('http://127.0.0.1:8080', server.url);
        // A process that ends while this compiler is at work may wait for it for ever (nodejs/node issue 54918).
        const args = ['--no-maglev', '--input-type=module-typescript', '--eval', here];
        const { status, stdout, stderr } = spawnSync(process.execPath, args, {
          cwd: root,
          encoding: 'utf8',
          timeout: 60_000,
        });
        assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, stdout);
        assert.notEqual(stdout, '');
      });
    }
  }
});
