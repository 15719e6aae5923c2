import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { BadKey, credentialName, readKeys } from './secret-key.ts';

const folder = temporaryFolder(suiteCleanup());
const data = join(folder, 'data');
mkdirSync(data);
const bytes = Buffer.alloc(32, 7);
const key = bytes.toString('base64');

function write(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

const read = (file?: string, credentials?: string) => readKeys({ file, credentials, data });

test('the key is 32 bytes in base64 or hexadecimal; further lines are earlier keys', () => {
  const older = Buffer.alloc(32, 8);
  for (const text of [key, `${key}\n`, bytes.toString('hex'), bytes.toString('base64url'), `# of 2026\r\n${key}\r\n`]) {
    assert.deepEqual(read(write('key', text)), { keys: [key], warnings: [] }, text);
  }
  assert.deepEqual(read(write('keys', `${key}\n${older.toString('hex')}\n`)).keys, [key, older.toString('base64')]);
});

test('the key comes from a credential of systemd where no file is named, and from nowhere where there is none', () => {
  const credentials = join(folder, 'credentials');
  mkdirSync(credentials);
  assert.deepEqual(read(undefined, credentials), { keys: [], warnings: [] });
  assert.deepEqual(read(undefined, undefined), { keys: [], warnings: [] });
  writeFileSync(join(credentials, credentialName), key);
  assert.deepEqual(read(undefined, credentials), { keys: [key], warnings: [] });
  const other = Buffer.alloc(32, 9).toString('base64');
  assert.deepEqual(read(write('named', other), credentials).keys, [other]);
});

test('a file without a key refuses the start, and says how to make one', () => {
  const expected = /The key file .* Make one with: openssl rand -base64 32/;
  for (const text of ['', '\n', 'password', bytes.subarray(1).toString('base64'), `${key}\nshort`, 'x'.repeat(5000)]) {
    assert.throws(
      () => read(write('bad', text)),
      (error) => error instanceof BadKey && expected.test(error.message),
    );
  }
  assert.throws(() => read(join(folder, 'missing')), /cannot be read: ENOENT/);
});

test('a key that others can read, or that lies in the data folder, is warned of', () => {
  assert.match(read(write('open', key, 0o644)).warnings.join(), /can be read by other users: chmod 600 it/);
  assert.match(read(write('data/key', key)).warnings.join(), /is in the data folder: who copies the folder has both/);
});
