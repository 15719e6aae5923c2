import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Seal } from './seal.ts';
import { SecretFiles } from './secret-files.ts';

const key = Buffer.alloc(32, 1).toString('base64');
const folder = temporaryFolder(suiteCleanup());
const root = join(folder, 'secrets');
const sealed = new SecretFiles(root, new Seal([key]));
const plain = new SecretFiles(root, new Seal([]));
const to = { stackName: 'acme', host: 'plc.example' };

beforeEach(() => rmSync(root, { recursive: true, force: true }));

function place(owner: string, name: string, text: string): string {
  mkdirSync(join(root, owner), { recursive: true, mode: 0o700 });
  writeFileSync(join(root, owner, name), text, { mode: 0o600 });
  return join(root, owner, name);
}

const contentOf = (owner: string, name: string) => readFileSync(join(root, owner, name), 'utf8');

test('a secret that is set is read again, for its owner and name alone, in files of this user alone', async () => {
  for (const files of [sealed, plain]) {
    await files.write('plc', 'password', { text: 'sesame', bound: { connector: to } });
    const { secret, isPlain } = await files.read('plc', 'password');
    assert.deepEqual([secret.text, secret.bound, isPlain], ['sesame', { connector: to }, false]);
    assert.equal(contentOf('plc', 'password').includes('sesame'), false);
    assert.equal(statSync(join(root, 'plc', 'password')).mode & 0o777, 0o600);
    assert.equal(statSync(join(root, 'plc')).mode & 0o777, 0o700);
    place('other', 'password', contentOf('plc', 'password'));
    await assert.rejects(files.read('other', 'password'), /it was set for another one, and copied here/);
  }
});

test('plain files are sealed when there is a key, with all that they have, and read as before', async () => {
  place('plc', 'password', 'sesame\nand a note\n');
  place('plc', 'empty', '\n');
  place('hall', 'token', 'open');
  place('plc', '.hidden', 'not one');
  assert.deepEqual(await plain.sealAll(), { sealed: 0, failed: [] });
  assert.equal(contentOf('plc', 'password'), 'sesame\nand a note\n');
  assert.deepEqual(await sealed.sealAll(), { sealed: 2, failed: [] });
  assert.match(contentOf('plc', 'password'), /^sealed:1:[\w-]+\n$/);
  assert.equal((await sealed.read('plc', 'password')).secret.text, 'sesame\nand a note\n');
  assert.equal(contentOf('plc', 'empty'), '\n');
  assert.equal(contentOf('plc', '.hidden'), 'not one');
  assert.deepEqual(await sealed.sealAll(), { sealed: 0, failed: [] });
});

test('what is sealed with an earlier key is sealed with the new one', async () => {
  await sealed.write('plc', 'password', { text: 'sesame', bound: { connector: to } });
  const newer = Buffer.alloc(32, 2).toString('base64');
  assert.deepEqual(await new SecretFiles(root, new Seal([newer, key])).sealAll(), { sealed: 1, failed: [] });
  const { secret } = await new SecretFiles(root, new Seal([newer])).read('plc', 'password');
  assert.deepEqual([secret.text, secret.bound], ['sesame', { connector: to }]);
  await assert.rejects(sealed.read('plc', 'password'), /with a key that the server does not have/);
  assert.deepEqual(await sealed.sealAll(), {
    sealed: 0,
    failed: ['secrets/plc/password: it is sealed with a key that the server does not have'],
  });
});

test('what a killed server left half written is removed, and the secret is the one of before', async () => {
  await sealed.write('plc', 'password', { text: 'sesame', bound: {} });
  place('plc', '.01234567-89ab-cdef-0123-456789abcdef.tmp', 'sealed:1:hal');
  await plain.sealAll();
  assert.deepEqual(readdirSync(join(root, 'plc')), ['password']);
  assert.equal((await sealed.read('plc', 'password')).secret.text, 'sesame');
});

test('without a key a plain file stays as it is, and is bound as long as nobody writes it again', async () => {
  const path = place('plc', 'password', 'sesame\n');
  await plain.bind('plc', 'password', await plain.read('plc', 'password'), 'connector', to);
  assert.equal(contentOf('plc', 'password'), 'sesame\n');
  assert.deepEqual((await plain.read('plc', 'password')).secret.bound, { connector: to });
  const found = await sealed.read('plc', 'password');
  await sealed.bind('plc', 'password', found, 'provider', { stackName: 'hub' });
  assert.deepEqual((await sealed.read('plc', 'password')).secret.bound, {
    connector: to,
    provider: { stackName: 'hub' },
  });
  assert.deepEqual(readdirSync(join(root, 'plc')), ['password'], 'what was beside it is in it now');
  rmSync(path);
  place('plc', 'password', 'another\n');
  assert.deepEqual((await plain.read('plc', 'password')).secret.bound, {});
  for (const damage of ['', 'null', '{"file":1}']) {
    place('plc', '.password.bound', damage);
    assert.equal((await plain.read('plc', 'password')).isDamaged, true, 'and that is told');
  }
});

test('names are listed without values, and what is removed is gone', async () => {
  await sealed.write('plc', 'password', { text: 'sesame', bound: {} });
  place('plc', 'older', 'plain');
  place('hall', 'token', 'open');
  symlinkSync('older', join(root, 'plc', 'link'));
  symlinkSync('plc', join(root, 'folder'));
  const listed = (await sealed.list()).map(({ owner, name, isSealed }) => `${owner} ${name} ${isSealed}`);
  assert.deepEqual(listed, ['hall token false', 'plc older false', 'plc password true']);
  assert.equal(await sealed.remove('plc', 'password'), true);
  assert.equal(await sealed.remove('plc', 'password'), false);
  await assert.rejects(sealed.read('plc', 'password'), { code: 'ENOENT' });
});

test('nothing is written through a symbolic link', async () => {
  mkdirSync(join(root, 'other'), { recursive: true });
  symlinkSync('other', join(root, 'plc'));
  await assert.rejects(sealed.write('plc', 'password', { text: 'x', bound: {} }), /its folder is a symbolic link/);
  rmSync(join(root, 'plc'));
  const aside = place('other', 'token', 'mine');
  mkdirSync(join(root, 'plc'));
  symlinkSync(aside, join(root, 'plc', 'password'));
  await sealed.write('plc', 'password', { text: 'x', bound: {} });
  assert.equal(readFileSync(aside, 'utf8'), 'mine');
});
