// Second factors at the command line, against a real server: an authenticator app is set up, asked for and removed, by its
// owner and by whoever manages users.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { SecondFactors } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { presentCode } from '../packages/server/src/access/passwords/totp.ts';
import { SoftAuthenticator } from '../packages/server/test/soft-authenticator.ts';
import { type CliResult, noTerminal, runCli, typeToCli } from './cli-process.ts';
import { administrator, closeServer, makeUser, type Person, password } from './closed-server.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
let server: ServerProcess;
let admin: Person;
const XDG_CONFIG_HOME = temporaryFolder(cleanup);

before(async () => {
  const data = temporaryFolder(cleanup);
  server = await startServer(cleanup, { data, args: ['--no-demo'] });
  admin = await closeServer(server, data);
});

const cli = (args: readonly string[], lines: readonly string[] = []): Promise<CliResult> =>
  runCli([...args, '--password-stdin'], {
    url: server.url,
    input: lines.map((line) => `${line}\n`).join(''),
    env: { XDG_CONFIG_HOME },
  });

async function json<T>(args: readonly string[], lines: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await cli(args, lines);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

const codeOf = (secret: string) => presentCode({ secret, lastStep: 0 }, Date.now() * 1000);

/** Resolves with codes for recovery: those of the app are good once, and the next one is half a minute away. */
async function withApp(user: string): Promise<string[]> {
  await makeUser(server, admin, user, [{ role: 'operator' }]);
  return addApp(user);
}

async function addApp(user: string): Promise<string[]> {
  const { secret, uri } = await json<{ secret: string; uri: string }>(
    ['second-factor', 'totp', '--as', user],
    [password],
  );
  assert.ok(uri.startsWith(`otpauth://totp/Telltale:${user}?secret=${secret}&`));
  const confirmed = ['second-factor', 'totp', codeOf(secret), '--as', user];
  const { recoveryCodes } = await json<{ recoveryCodes: string[] }>(confirmed, [password]);
  assert.equal(recoveryCodes.length, 10);
  return recoveryCodes;
}

describe('an authenticator app', () => {
  test('is asked for by telltale login, and by commands as somebody else, after the password', async () => {
    const [one = '', two = '', three = ''] = await withApp('anna');
    const login = ['login', '--user', 'anna'];
    const without = await cli(login, [password]);
    assert.equal(without.code, 1);
    assert.match(without.stderr, /no line for: Code of your authenticator app, or one for recovery/);
    const wrong = await cli(login, [password, '000000x']);
    assert.equal(wrong.code, 1);
    assert.equal((await json<{ user: string }>(login, [password, one])).user, 'anna');
    assert.equal((await cli(login, [password, one])).code, 1, 'it was used');
    const factors = await json<SecondFactors>(['second-factor', 'show', '--as', 'anna'], [password, two]);
    assert.deepEqual(factors, { isRequired: false, totp: true, passkeys: [], recoveryCodes: 8 });
    const changed = ['user', 'password', '--as', 'anna'];
    assert.equal((await cli(changed, [password, three, `new ${password}`])).code, 0);
  });

  test('is removed, and its codes for recovery renewed, by its owner', async () => {
    const [one = '', two = ''] = await withApp('bert');
    const as = ['--as', 'bert'];
    const renewed = await json<{ recoveryCodes: string[] }>(['second-factor', 'codes', ...as], [password, one]);
    assert.equal((await cli(['second-factor', 'show', ...as], [password, two])).code, 1, 'it has ended');
    const [fresh = ''] = renewed.recoveryCodes;
    assert.deepEqual(await json(['second-factor', 'remove', 'totp', ...as], [password, fresh]), { removed: ['totp'] });
    await json(['login', '--user', 'bert'], [password]);
  });

  test('that is lost is removed by whoever manages users, and by nobody else', async () => {
    await withApp('carl');
    await makeUser(server, admin, 'olga', [{ role: 'operator' }]);
    const reset = ['second-factor', 'reset', 'carl', '--as'];
    assert.match((await cli([...reset, 'olga'], [password])).stderr, /manage-users/);
    assert.deepEqual(await json([...reset, administrator], [password]), { reset: ['carl'] });
    await json(['login', '--user', 'carl'], [password]);
  });

  test('is set up at a terminal in one go, and its code is asked for there', { skip: noTerminal }, async (t) => {
    await makeUser(server, admin, 'dora', [{ role: 'operator' }]);
    const options = { url: server.url, env: { XDG_CONFIG_HOME } };
    const secretIn = (heard: string) => /type into the app: ([A-Z2-7]+)/.exec(heard)?.[1] ?? '';
    const { code, stdout } = await typeToCli(
      t,
      ['second-factor', 'totp', '--as', 'dora'],
      [
        { after: 'Password of dora', text: `${password}\r` },
        { after: 'Code that the app shows: ', text: (heard) => `${codeOf(secretIn(heard))}\r` },
      ],
      options,
    );
    assert.equal(code, 0, stdout);
    const [recovery = ''] = /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}/m.exec(stdout) ?? [];
    const login = await typeToCli(
      t,
      ['login', '--user', 'dora'],
      [
        { after: 'Password of dora', text: `${password}\r` },
        { after: 'one for recovery: ', text: `${recovery}\r` },
      ],
      options,
    );
    assert.match(login.stdout, /dora is signed in at/);
  });

  test('is demanded by a role: telltale login says how to add one', async () => {
    const role = { permissions: ['view'], secondFactor: true };
    await admin.do('PUT', '/access/roles/careful', role);
    await makeUser(server, admin, 'emil', [{ role: 'careful' }]);
    const refused = await cli(['login', '--user', 'emil'], [password]);
    assert.match(refused.stderr, /demands a second factor: telltale second-factor totp --as emil/);
    const other = await cli(['token', 'list', '--as', 'emil'], [password]);
    assert.match(other.stderr, /demands a second factor: telltale second-factor totp --as emil/);
    const [one = ''] = await addApp('emil');
    await json(['login', '--user', 'emil'], [password, one]);
  });
});

test('passkeys are listed, and removed by their ids', async () => {
  const vera = await makeUser(server, admin, 'vera', [{ role: 'viewer' }]);
  const phone = new SoftAuthenticator(server.url.replace('127.0.0.1', 'localhost'));
  const creation = await vera.do<never>('GET', '/access/me/passkeys/new');
  const body = { name: 'phone', passkey: phone.create(creation) };
  const { recoveryCodes } = await vera.do<{ recoveryCodes: string[] }>('POST', '/access/me/passkeys', body);
  const [one = '', two = ''] = recoveryCodes;
  const as = ['--as', 'vera'];
  const { passkeys } = await json<SecondFactors>(['second-factor', 'show', ...as], [password, one]);
  assert.deepEqual(
    passkeys.map(({ name }) => name),
    ['phone'],
  );
  await json(['second-factor', 'remove', passkeys[0]?.id ?? '', ...as], [password, two]);
  const none = await json<SecondFactors>(['second-factor', 'show', ...as], [password]);
  assert.deepEqual(none.passkeys, []);
});
