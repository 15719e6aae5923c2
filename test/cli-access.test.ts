// Access at the command line, against a real server: the first administrator, signing in and out, users, roles, tokens,
// sessions, and what is said where somebody is not let in.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type CliResult, noTerminal, RunningCli, runCli, spawnCli, typeToCli } from './cli-process.ts';
import { smallest } from './sample-objects.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const password = 'correct horse battery staple';
const admin = 'root_admin';

/** A person at a terminal of their own: with a keyring, which is empty. */
class Person {
  readonly home = temporaryFolder(cleanup);
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  get keyring(): string {
    return join(this.home, 'telltale', 'keyring.json');
  }

  get env(): NodeJS.ProcessEnv {
    return { XDG_CONFIG_HOME: this.home };
  }

  cli(args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<CliResult> {
    return runCli(args, { url: this.#url, input, env: { ...this.env, ...env } });
  }

  async json<T>(args: readonly string[], input = ''): Promise<T> {
    const { code, stdout, stderr } = await this.cli(args, input);
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  async refused(args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<string> {
    const { code, stderr } = await this.cli(args, input, env);
    assert.ok(code === 1 || code === 2, `${args.join(' ')}: ${code} ${stderr}`);
    return stderr;
  }

  login(user: string, given = password): Promise<{ user: string; expires: number }> {
    return this.json(['login', '--user', user, '--password-stdin'], `${given}\n`);
  }
}

let server: ServerProcess;
const folder = temporaryFolder(cleanup);
let root: Person;

before(async () => {
  server = await startServer(cleanup, { data: folder });
  assert.equal((await server.send('PUT', '/measurements/level', smallest('measurements', 'level'))).status, 204);
  assert.equal((await server.send('POST', '/cfgdb/render')).status, 204);
  for (const [name, properties] of [
    ['loop', {}],
    ['report', { reads: 'tank*' }],
  ] as const) {
    const body = { ...smallest('function-modules', name), properties };
    assert.equal((await server.send('PUT', `/function-modules/${name}`, body)).status, 204);
  }
  root = new Person(server.url);
});

describe('the first administrator', () => {
  test('is made by the owner of the data folder, and nobody else', async () => {
    assert.match(
      await root.refused(['user', 'list']),
      /This is not permitted.*There are no users yet.*telltale access init\n$/s,
    );
    for (const args of [
      ['login', '--user', admin],
      ['token', 'make', 'report', 'viewer', '--as', admin],
    ]) {
      const asked = await root.refused([...args, '--password-stdin'], password);
      assert.match(asked, /There are no users yet.*telltale access init/, args.join(' '));
    }
    const { stderr, code } = await spawnCli(['access', 'init', admin, '--data', folder, '--password-stdin'], {
      url: server.url,
      input: 'short\n',
    });
    assert.equal(code, 1);
    assert.match(stderr, /too easy to guess/);
    const nowhere = temporaryFolder(cleanup);
    const lost = await root.refused(['access', 'init', admin, '--data', nowhere, '--password-stdin'], password);
    assert.match(lost, /No server runs with the data folder .*--data or TELLTALE_DATA/);
    assert.match(
      await root.refused(['access', 'init', admin, '--data', nowhere]),
      /No server runs with/,
      'before a password is asked for',
    );
    assert.match(await root.refused(['access', 'init', admin, '--data', folder]), /no terminal.*--password-stdin/);
    const made = await spawnCli(['access', 'init', admin, '--password-stdin'], {
      url: server.url,
      input: `${password}\n`,
      env: { TELLTALE_DATA: folder },
    });
    assert.equal(made.code, 0, made.stderr);
    assert.deepEqual(JSON.parse(made.stdout), { user: admin, modulesWithoutReads: ['loop'] });
    assert.match(made.stderr, /loop.*\n.*properties\.reads/);
    assert.match(
      await root.refused(['access', 'init', 'eve', '--data', folder, '--password-stdin'], password),
      /There are users already.*telltale access recover/,
    );
  });

  test('from then on, a command without credentials says how to sign in', async () => {
    for (const args of [['read'], ['config', 'get', 'alarms'], ['user', 'list'], ['watch', '--all'], ['status']]) {
      assert.match(await root.refused(args), /Nobody is signed in.*telltale login.*TELLTALE_TOKEN/s, args.join(' '));
    }
    assert.deepEqual((await root.json<{ kind: string }>(['whoami'])).kind, 'nobody');
  });
});

describe('signing in', () => {
  test('keeps a token with a short life in a file that only its owner reads, and ends the session', async () => {
    const { user, expires } = await root.login(admin);
    assert.equal(user, admin);
    const hours = (expires - Date.now() / 1000) / 3600;
    assert.ok(hours > 11.5 && hours <= 12, String(hours));
    assert.equal(statSync(root.keyring).mode & 0o777, 0o600);
    const me = await root.json<{ identity: string; kind: string; by: string; permissions: string[] }>(['whoami']);
    assert.match(me.identity, new RegExp(`^token/${admin}-`));
    assert.deepEqual([me.kind, me.by], ['token', 'telltale login']);
    assert.ok(me.permissions.includes('manage-users'));
    assert.deepEqual(await root.json(['session', 'list']), []);
    assert.ok(!readFileSync(root.keyring, 'utf8').includes(password));
  });

  test('again replaces the token, and deletes the one of before', async () => {
    await root.login(admin);
    assert.equal(Object.keys(await root.json<object>(['token', 'list'])).length, 1);
  });

  test('with a wrong password, or one that would travel in plain text, keeps nothing', async () => {
    const eve = new Person(server.url);
    assert.match(
      await eve.refused(['login', '--user', admin, '--password-stdin'], 'wrong horse battery staple'),
      /^telltale: The user or the password is wrong\. Try again/,
    );
    const unnamed = await eve.refused(['login', '--password-stdin'], `${password}\n`);
    assert.match(unnamed, /say whose password it is: .*--user NAME/);
    assert.doesNotMatch(unnamed, /horse/, 'a password is not taken for a name, which is shown');
    assert.match(
      await eve.refused(['login', 'http://plant.example/', '--user', admin, '--password-stdin'], password),
      /The password would go to plant\.example in plain text: use https:/,
    );
    assert.ok(!existsSync(eve.keyring));
  });

  test('at a terminal shows nothing of the password, and Ctrl-C ends it', { skip: noTerminal }, async (t) => {
    const anna = new Person(server.url);
    const options = { url: server.url, env: anna.env };
    const asked = [
      { after: 'User: ', text: `${admin}\r` },
      { after: `Password of ${admin} at ${server.url}: `, text: `${password}x\x7f\r` },
    ];
    const { code, stdout } = await typeToCli(t, ['login'], asked, options);
    assert.equal(code, 0, stdout);
    assert.match(stdout, new RegExp(`${admin} is signed in at`));
    assert.doesNotMatch(stdout, /horse|battery/);
    const ended = await typeToCli(t, ['login', '--user', admin], [{ after: 'Password of', text: '\x03' }], options);
    assert.equal(ended.code, 130, ended.stdout);
    const differing = ['one', 'two', 'one', 'two', 'one', 'two'].map((text, at) => ({
      after: at % 2 === 0 ? 'New password of' : 'Once more: ',
      text: `${text} ${password}\r`,
    }));
    const refused = await typeToCli(t, ['user', 'password', admin], differing, options);
    assert.equal(refused.code, 1, refused.stdout);
    assert.match(refused.stdout, /They differ\..*They differed each time: nothing has changed/s);
    assert.doesNotMatch(refused.stdout, /horse|battery/);
  });

  test('a keyring that others can read is refused, whatever is asked', async () => {
    const anna = new Person(server.url);
    await anna.login(admin);
    chmodSync(anna.keyring, 0o640);
    for (const args of [['whoami'], ['read'], ['logout']]) {
      assert.match(await anna.refused(args), /keyring\.json is open to others \(0640\).*chmod 600/, args.join(' '));
    }
    chmodSync(anna.keyring, 0o600);
    for (const [text, why] of [
      ['{', /is not JSON/],
      ['{"version": 2, "keys": []}', /has no version 1/],
      ['{"version": 1, "keys": [{"__proto__": 1}]}', /is no keyring/],
    ] as const) {
      writeFileSync(anna.keyring, text);
      assert.match(await anna.refused(['whoami']), why);
    }
  });

  test('out deletes the token, here and at the server', async () => {
    const anna = new Person(server.url);
    await anna.login(admin);
    const [key] = (JSON.parse(readFileSync(anna.keyring, 'utf8')) as { keys: { token: string }[] }).keys;
    assert.equal((await anna.json<{ ended: boolean }>(['logout'])).ended, true);
    assert.match(await anna.refused(['logout']), /Nobody is signed in at/);
    assert.match(await anna.refused(['read']), /telltale login/);
    const kept = await anna.refused(['read'], '', { TELLTALE_TOKEN: key?.token ?? '' });
    assert.match(kept, /The token is not valid.*that of TELLTALE_TOKEN.*telltale token make/s);
  });

  test('is for the address at which it was made: another server of the same context gets no token', async () => {
    const anna = new Person('');
    await anna.json(['context', 'add', 'plant', server.url]);
    await anna.json(['--context', 'plant', 'login', '--user', admin, '--password-stdin'], password);
    assert.equal((await anna.json<{ kind: string }>(['--context', 'plant', 'whoami'])).kind, 'token');
    const file = join(anna.home, 'telltale', 'contexts.json');
    const other = new URL(server.url);
    other.hostname = 'localhost';
    writeFileSync(file, readFileSync(file, 'utf8').replace(new URL(server.url).href, other.href));
    assert.equal((await anna.json<{ kind: string }>(['--context', 'plant', 'whoami'])).kind, 'nobody');
    await anna.json(['context', 'remove', 'plant']);
    assert.deepEqual((JSON.parse(readFileSync(anna.keyring, 'utf8')) as { keys: unknown[] }).keys, []);
  });
});

describe('users and roles', () => {
  test('are added, shown, changed and deleted', async () => {
    await root.json(
      ['user', 'add', 'olga', 'operator:works', 'viewer:tank*', '--display-name', 'Olga O.', '--password-stdin'],
      password,
    );
    const shown = await root.json<{ grants: unknown; hasPassword: boolean; displayName: string }>([
      'user',
      'show',
      'olga',
    ]);
    assert.deepEqual(shown.grants, [
      { role: 'operator', area: 'works' },
      { role: 'viewer', prefix: 'tank' },
    ]);
    assert.deepEqual([shown.hasPassword, shown.displayName], [true, 'Olga O.']);
    assert.match(
      await root.refused(['user', 'add', 'olga', 'viewer', '--password-stdin'], password),
      /There is a user olga/,
    );
    assert.match(
      await root.refused(['user', 'add', 'omar', 'viewer', '--password-stdin'], 'short'),
      /too easy to guess/,
    );
    assert.match(await root.refused(['user', 'show', 'omar']), /no user "omar".*: telltale user list\n$/);
    assert.match(
      await root.refused(['user', 'add', 'omar', 'oprator', '--no-password']),
      /no role "oprator".*: telltale role list\n$/,
    );
    assert.match(
      await root.refused(['user', 'add', 'o mar', 'viewer', '--no-password']),
      /^telltale: The name is impossible\. "o mar" is not a name: [^\n]*, @ and -\.\n$/,
    );
    assert.match(
      await root.refused(['user', 'add', 'omar', 'viewer:a b', '--no-password']),
      /is no grant\. A GRANT is ROLE/,
    );
    const misspelt = await root.cli(['user', 'set', 'olga', 'operator:wroks', 'viewer:tank*']);
    assert.equal(misspelt.code, 0, misspelt.stderr);
    assert.match(misspelt.stderr, /^No point or alarm is in the area wroks yet: telltale areas/);
    const olga = new Person(server.url);
    await olga.login('olga');
    const own = await olga.json<object>(['token', 'list', '--as', 'olga', '--password-stdin'], password);
    assert.equal(Object.keys(own).length, 1, 'that of the command line, and no other');
    const { stdout, stderr } = await olga.cli(['token', 'list']);
    assert.deepEqual([stdout, stderr], ['{}\n', 'To see your own, give --as olga: your password is asked for.\n']);
    assert.match(
      await olga.refused(['user', 'list']),
      /This is not permitted.*needs the permission manage-users.*telltale whoami/s,
    );
    await root.json(['user', 'set', 'olga', 'viewer']);
    assert.deepEqual((await root.json<{ grants: unknown }>(['user', 'show', 'olga'])).grants, [{ role: 'viewer' }]);
    assert.equal((await root.json<{ displayName: string }>(['user', 'show', 'olga'])).displayName, 'Olga O.');
    await root.json(['user', 'disable', 'olga']);
    assert.match(
      await new Person(server.url).refused(['login', '--user', 'olga', '--password-stdin'], password),
      /wrong/,
    );
    await root.json(['user', 'enable', 'olga']);
    await olga.login('olga');
    await root.json(['user', 'delete', 'olga']);
    assert.match(await olga.refused(['read']), /The token is not valid.*telltale login/s);
    assert.match(await root.refused(['user', 'delete', admin]), /Nobody could manage users then/);
  });

  test('change their own password, and an administrator that of others', async () => {
    await root.json(['user', 'add', 'otto', 'viewer', '--password-stdin'], password);
    const otto = new Person(server.url);
    await otto.login('otto');
    await otto.json(['user', 'password', '--password-stdin'], `${password}\nnew ${password}\n`);
    await otto.login('otto', `new ${password}`);
    await root.json(['user', 'password', 'otto', '--password-stdin'], `newer ${password}`);
    await otto.login('otto', `newer ${password}`);
    await root.json(['user', 'delete', 'otto']);
  });

  test('have roles, which are data', async () => {
    assert.deepEqual(Object.keys(await root.json<object>(['role', 'list'])), [
      'administrator',
      'engineer',
      'operator',
      'shift-lead',
      'viewer',
    ]);
    await root.json(['role', 'set', 'night', 'view', 'acknowledge', '--idle', '120', '--description', 'At night']);
    await root.json(['role', 'set', 'night', '--second-factor', 'no']);
    assert.deepEqual(await root.json(['role', 'show', 'night']), {
      name: 'night',
      description: 'At night',
      permissions: ['view', 'acknowledge'],
      idle: 120,
      secondFactor: false,
    });
    assert.match(await root.refused(['role', 'set', 'night', 'everything']), /no permission|is one of/);
    await root.json(['role', 'delete', 'night']);
  });
});

describe('tokens and sessions', () => {
  test('a token is made with the password of a person, shown once, and works until it is deleted', async () => {
    const made = await root.json<{ token: string; name: string }>(
      ['token', 'make', 'report', 'viewer', '--for', '30d', '--password-stdin'],
      password,
    );
    assert.match(made.token, /^tt_[\w-]{49}$/);
    const file = join(root.home, 'hmi.token');
    const args = ['token', 'make', 'hmi', 'viewer:tank*', '--out', file, '--password-stdin'];
    const written = await root.json<object>(args, password);
    assert.ok(!('token' in written));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const program = new Person(server.url);
    assert.equal((await program.json<{ identity: string }>(['--token-file', file, 'whoami'])).identity, 'token/hmi');
    const { stdout } = await program.cli(['whoami'], '', { TELLTALE_TOKEN: made.token });
    assert.equal((JSON.parse(stdout) as { identity: string }).identity, 'token/report');
    const tokens = await root.json<Record<string, { owner: string; lastUsed?: number }>>(['token', 'list']);
    assert.equal(tokens.report?.owner, admin);
    assert.ok(!JSON.stringify(tokens).includes(made.token));
    const watching = new RunningCli(cleanup, ['watch', '--all'], {
      url: server.url,
      env: { ...program.env, TELLTALE_TOKEN: made.token },
    });
    await watching.line((line) => line.includes('level'));
    await root.json(['token', 'delete', 'report', 'hmi']);
    assert.equal(await watching.ended, 1);
    assert.match(watching.stderr, /The token is not valid/);
    assert.match(await program.refused(['--token-file', file, 'read']), /that of --token-file/);
    assert.match(await root.refused(args.slice(0, -1)), /no terminal to ask/);
  });

  test('a token is no token of another form, and does not travel in plain text', async () => {
    const program = new Person(server.url);
    assert.match(await program.refused(['read'], '', { TELLTALE_TOKEN: 'a b' }), /TELLTALE_TOKEN has no token/);
    const far = await program.refused(['--url', 'http://plant.example/', 'read'], '', { TELLTALE_TOKEN: 'tt_x' });
    assert.match(far, /The token would go to plant\.example in plain text/);
  });

  test('a session is listed and ended', async () => {
    await root.json(['user', 'add', 'vera', 'viewer', '--password-stdin'], password);
    const answer = await fetch(`${server.url}/access/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: 'vera', password }),
    });
    assert.equal(answer.status, 200);
    const sessions = await root.json<{ id: string; user: string }[]>(['session', 'list']);
    assert.deepEqual(
      sessions.map(({ user }) => user),
      ['vera'],
    );
    await root.json(['session', 'end', sessions[0]?.id ?? '']);
    assert.deepEqual(await root.json(['session', 'list']), []);
  });
});

describe('where nobody can sign in', () => {
  test('the owner of the data folder recovers access, and users are managed as recovery', async () => {
    await root.json(['access', 'recover', '--data', folder, '--password-stdin'], password);
    const owner = new Person(server.url);
    assert.match(
      await owner.refused(['login', '--user', 'recovery', '--password-stdin'], password),
      /recovery has no role.*--as recovery/,
    );
    const as = ['--as', 'recovery', '--password-stdin'];
    await owner.json(['user', 'password', admin, ...as], `${password}\nanother ${password}\n`);
    await root.login(admin, `another ${password}`);
    const users = await owner.json<object>(['user', 'list', ...as], password);
    assert.ok(Object.hasOwn(users, admin));
  });
});
