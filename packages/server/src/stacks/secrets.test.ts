import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { type ParameterDescription, parseEntries } from '@telltale/stack-kit';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Seal, SecretFiles } from '../secrets/index.ts';
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

const keys = [Buffer.alloc(32, 1).toString('base64')];

function setUp({ role = 'connector' as 'connector' | 'provider', keys = [] as string[], stackName = 'acme' } = {}) {
  const lines: string[] = [];
  const line = (text: string) => lines.push(text);
  const secrets = new Secrets({
    root: secretsFolder,
    keys,
    role,
    owner: 'plc',
    stackName,
    log: { debug: line, info: line, warn: line, error: line },
  });
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
      /variable users\/joe\/key: there is no file secrets\/plc\/gone$/,
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

describe('the destination', () => {
  const host: ParameterDescription = { ...plain, destination: true };
  const port: ParameterDescription = { ...plain, type: 'integer', default: 1883, destination: true };
  const parameters = { password: secret, host, port, note: plain };
  const anew = 'set it anew: telltale secret set plc pw';

  for (const given of [[], keys]) {
    const what = given.length > 0 ? 'sealed' : 'plain';
    test(`of a secret in a ${what} file is that of its first use: changed, it must be set anew`, async () => {
      const { secrets, lines } = setUp({ keys: given });
      keep('pw', 'sesame\n');
      const read = (vars: Record<string, string>) => secrets.read(parameters, { password: 'file:pw', ...vars });
      assert.equal((await read({ host: 'a', note: 'x' })).password, 'sesame');
      assert.equal((await read({ host: 'a', port: '1883', note: 'y' })).password, 'sesame', 'the same');
      const message = (changed: string) =>
        `variable password: the secret pw cannot be used: it was set for another destination (${changed} changed); ${anew}`;
      await assert.rejects(read({ host: 'b' }), { message: message('host has') });
      await assert.rejects(read({ host: 'b', port: '1' }), { message: message('host, port have') });
      const other = setUp({ keys: given, stackName: 'other' }).secrets;
      await assert.rejects(other.read(parameters, { password: 'file:pw', host: 'a' }), {
        message: message('stackName has'),
      });
      rmSync(join(folder, 'pw'));
      keep('pw', 'another\n');
      assert.equal((await read({ host: 'b' })).password, 'another', 'somebody wrote it anew');
      await assert.rejects(read({ host: 'a' }), { message: message('host has') });
      assert.deepEqual(lines, []);
    });
  }

  test('of a secret that was set for the connector is not that of the provider of the same name', async () => {
    const seal = new Seal(keys);
    await new SecretFiles(secretsFolder, seal).write('plc', 'pw', {
      text: 'sesame',
      bound: { connector: { stackName: 'acme', host: 'a', port: '1883' } },
    });
    const vars = { password: 'file:pw', host: 'a' };
    assert.equal((await setUp({ keys }).secrets.read(parameters, vars)).password, 'sesame');
    const message =
      'variable password: the secret pw cannot be used: it was set for the connector of the same name; ' +
      'set it anew: telltale secret set --provider plc pw';
    await assert.rejects(setUp({ keys, role: 'provider' }).secrets.read(parameters, vars), { message });
    await assert.rejects(
      setUp().secrets.read(parameters, vars),
      /secrets\/plc\/pw cannot be used: it is sealed, and the server has no key: see --secret-key-file, or set it anew/,
    );
  });

  test('of a secret in a variable is that for which it was set, by variable, name and destination', async () => {
    const seal = new Seal(keys);
    const to = { stackName: 'acme', host: 'a', port: '1883' };
    const stored = (path: string, text = 'sesame') =>
      seal.seal({ of: `connector/plc/${path}`, text, bound: { connector: to } });
    const { secrets } = setUp({ keys });
    const read = (vars: Record<string, string>) => secrets.read(parameters, { host: 'a', ...vars });
    assert.equal((await read({ password: stored('password') })).password, 'sesame');
    assert.equal(secrets.hide('got sesame'), 'got ***');
    const wrong = (what: string) => ({
      message: `variable password: the secret cannot be used: ${what}; set it anew in variable password of connector plc`,
    });
    await assert.rejects(
      read({ password: stored('password'), host: 'b' }),
      wrong('it was set for another destination (host has changed)'),
    );
    await assert.rejects(read({ password: stored('token') }), wrong('it was set for another one'));
    await assert.rejects(read({ password: '***' }), wrong('this server does not have it'));
    const users: ParameterDescription = { ...plain, entries: { key: secret } };
    const list = await secrets.read(
      { ...parameters, users },
      { host: 'a', users: `joe: key=${stored('users/joe/key')}` },
    );
    assert.deepEqual(parseEntries(list.users ?? ''), [{ name: 'joe', texts: { key: 'sesame' } }]);
  });
});
