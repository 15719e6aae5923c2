import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { type ParameterDescription, parseEntries } from '@telltale/stack-kit';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Secrets } from './secrets.ts';

const root = temporaryFolder(suiteCleanup());
const secretsFolder = join(root, 'secrets');
const folder = join(secretsFolder, 'plc');
beforeEach(() => {
  rmSync(secretsFolder, { recursive: true, force: true });
  mkdirSync(secretsFolder, { mode: 0o700 });
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(join(root, 'outside'), 'not for you', { mode: 0o600 });
});

const secret: ParameterDescription = { title: 'Password', type: 'string', required: true, secret: true };
const plain: ParameterDescription = { title: 'Host', type: 'string', required: true };

function setUp() {
  const lines: string[] = [];
  const line = (text: string) => lines.push(text);
  const secrets = new Secrets(secretsFolder, 'plc', { debug: line, info: line, warn: line, error: line });
  const read = (password: string, more: Record<string, ParameterDescription> = {}) =>
    secrets.read({ password: secret, host: plain, ...more }, { password, host: 'file:plc' });
  return { secrets, lines, read };
}

const keep = (name: string, text: string, mode = 0o600) => writeFileSync(join(folder, name), text, { mode });

describe('a secret', () => {
  test('is the first line of its file, and only a variable that is one is read from a file', async () => {
    const { read, lines } = setUp();
    keep('plc.password', 'sésame ouvre-toi\r\nnot this\n');
    assert.deepEqual(await read('file:plc.password'), { password: 'sésame ouvre-toi', host: 'file:plc' });
    assert.deepEqual(await read('given'), { password: 'given', host: 'file:plc' });
    assert.deepEqual(lines, []);
  });

  test('of an entry in a list is filled in and hidden like that of a variable', async () => {
    const { secrets } = setUp();
    keep('joe', 'open "sesame"; now\n');
    const users: ParameterDescription = { ...plain, entries: { key: secret, host: plain } };
    const read = await secrets.read({ users }, { users: 'joe: key=file:joe host=file:joe; ann: key="hidden too"' });
    assert.deepEqual(parseEntries(read.users ?? ''), [
      { name: 'joe', texts: { key: 'open "sesame"; now', host: 'file:joe' } },
      { name: 'ann', texts: { key: 'hidden too' } },
    ]);
    assert.equal(secrets.hide('with open "sesame"; now and hidden too'), 'with *** and ***');
    await assert.rejects(
      secrets.read({ users }, { users: 'joe: key=file:gone' }),
      /variable users, joe: key: there is no file secrets\/plc\/gone$/,
    );
  });

  test('belongs to one connector: no link leads to that of another, neither of its file nor of its folder', async () => {
    const { read } = setUp();
    mkdirSync(join(secretsFolder, 'other'));
    writeFileSync(join(secretsFolder, 'other', 'token'), 'not for you', { mode: 0o600 });
    await assert.rejects(read('file:token'), /variable password: there is no file secrets\/plc\/token$/);
    symlinkSync('../other/token', join(folder, 'token'));
    await assert.rejects(read('file:token'), /secrets\/plc\/token cannot be read: it is a symbolic link$/);
    rmSync(folder, { recursive: true });
    symlinkSync('other', folder);
    await assert.rejects(read('file:token'), /token cannot be read: its folder is a symbolic link, or no folder$/);
    rmSync(folder);
    writeFileSync(folder, 'not for you');
    await assert.rejects(read('file:token'), /token cannot be read: its folder is a symbolic link, or no folder$/);
  });

  test('that is where the secrets of all were is not read, and the error says where it goes', async () => {
    const { read } = setUp();
    writeFileSync(join(secretsFolder, 'password'), 'not for you', { mode: 0o600 });
    for (const prepare of [() => undefined, () => rmSync(folder, { recursive: true })]) {
      prepare();
      const expected =
        'variable password: secrets/password belongs to no connector or provider: move it to secrets/plc/password';
      await assert.rejects(read('file:password'), { message: expected });
      await assert.rejects(read('file:plc'), /there is no file secrets\/plc\/plc$/);
    }
  });

  test('that cannot be had is reported by the variable and the name', async () => {
    const { read } = setUp();
    keep('empty', '\nsecond');
    keep('large', 'x'.repeat(65_537));
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await assert.rejects(read('file:missing'), /variable password: there is no file secrets\/plc\/missing$/);
    await assert.rejects(read('file:empty'), /variable password: the first line of secrets\/plc\/empty is empty/);
    await assert.rejects(read('file:large'), /more than 65536 bytes/);
    await assert.rejects(read('file:folder'), /it is no file/);
    await assert.rejects(read('file:pipe'), /it is no file/);
  });

  test('never leads out of its folder', async () => {
    const { read } = setUp();
    for (const name of [
      '../outside',
      '../other/token',
      '../plc/token',
      '..',
      '.',
      '',
      '/etc/hostname',
      'a/b',
      'a\0b',
      '.hidden',
      'x'.repeat(200),
    ]) {
      await assert.rejects(read(`file:${name}`), /after file: the name of a file in secrets\/plc is expected/, name);
    }
  });

  test('that other users may read is warned of, unless one of its folders keeps them out', async () => {
    const { read, lines } = setUp();
    keep('open', 'sesame', 0o644);
    chmodSync(join(folder, 'open'), 0o644);
    for (const [outer, inner] of [
      [0o700, 0o755],
      [0o755, 0o700],
    ] as const) {
      chmodSync(secretsFolder, outer);
      chmodSync(folder, inner);
      await read('file:open');
      assert.deepEqual(lines, []);
    }
    for (const mode of [0o755, 0o750, 0o701]) {
      chmodSync(secretsFolder, mode);
      chmodSync(folder, mode);
      await read('file:open');
      assert.match(lines.pop() ?? '', /secrets\/plc\/open can be read by other users/);
    }
    chmodSync(join(folder, 'open'), 0o600);
    await read('file:open');
    assert.deepEqual(lines, []);
  });

  test('is hidden in every text, also as an address has it; a default, or one too short to be any, is not', async () => {
    const { secrets, read } = setUp();
    keep('password', 'a b/c');
    const community = { ...secret, default: 'public' };
    await secrets.read({ password: secret, community }, { password: 'file:password', community: 'public' });
    const reported = { text: 'http://a%20b%2Fc@plc', list: ['got a b/c', 5, undefined], public: 'public' };
    assert.deepEqual(secrets.hide(reported), {
      text: 'http://***@plc',
      list: ['got ***', 5, undefined],
      public: 'public',
    });
    await read('abc');
    assert.equal(secrets.hide('abc and a b/c'), 'abc and a b/c');
    await secrets.read({ password: secret, key: secret }, { password: 'sesame', key: 'sesame and more' });
    assert.equal(secrets.hide('sesame and more'), '***', 'nothing is left of one that begins with another');
  });

  test('is hidden in base64, hexadecimal and JSON as well, whatever it is encoded with', async () => {
    const { secrets, read } = setUp();
    for (const password of ['hunter2secret', 'a b"c', 'sésa', 'ÿþ>?~', '????']) {
      await read(password);
      for (const user of ['', 'b', 'bo', 'bob', 'a longer user']) {
        for (const encoding of ['base64', 'base64url', 'hex'] as const) {
          const sent = Buffer.from(`${user}:${password}`).toString(encoding);
          const hidden = encoding === 'hex' ? `${Buffer.from(`${user}:`).toString('hex')}***` : '***';
          assert.equal(
            secrets.hide(`got Basic ${sent}, and more`),
            `got Basic ${hidden}, and more`,
            `${user} ${encoding}`,
          );
        }
        const padded = Buffer.from(`${user}${password} and more`).toString('base64');
        assert.equal(secrets.hide(`(${padded})`), '(***)');
      }
      assert.equal(secrets.hide(JSON.stringify({ password })), '{"password":"***"}');
      assert.equal(secrets.hide(Buffer.from(password).toString('hex').toUpperCase()), '***');
      const others = 'GET /x-y_z/aGVsbG8gd29ybGQ= 00ff';
      assert.equal(secrets.hide(others), others);
    }
  });
});
