// Threads that are started by what somebody asks for, where all file descriptors are in use just then.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('../../test/few-files.ts', import.meta.url));
const options = { skip: process.platform === 'win32' && 'it has no ulimit', timeout: 60_000 };

test(
  'a query or an import without a file for its thread is refused, and the next one has its thread',
  options,
  async () => {
    const command = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, script];
    const { stdout } = await promisify(execFile)('sh', command);
    assert.equal(stdout, 'overloaded overloaded done done '.repeat(2).trim());
  },
);
