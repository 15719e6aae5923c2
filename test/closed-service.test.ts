// A service with users, as the real process: it is closed to everybody else, on loopback too, and remains so.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { declarationOf, httpOperationNames } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import {
  administrator,
  askOwner,
  closeServer,
  makeToken,
  makeUser,
  Person,
  password,
  signIn,
} from './closed-server.ts';
import { sendRaw } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();

/** A server of its own, without objects. */
async function start(folder = temporaryFolder(cleanup)): Promise<{ server: ServerProcess; folder: string }> {
  return { server: await startServer(cleanup, { data: folder, args: ['--no-demo'] }), folder };
}

/** Resolves when it is open; `closed` with the code of the close. */
async function openChannel(url: string, headers: Record<string, string> = {}): Promise<{ closed: Promise<number> }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/data/ws`, { headers });
  cleanup.defer(() => socket.terminate());
  await once(socket, 'open');
  return { closed: once(socket, 'close').then(([code]) => code as number) };
}

const problemIn = (text: string) => (JSON.parse(text) as { type: string }).type.replace('/docs/#problem-', '');

describe('a service without users', () => {
  test('is open on loopback as ever, and lets nobody make the first administrator but the owner of its folder', async () => {
    const { server, folder } = await start();
    const local = new Person(server.url);
    assert.equal((await local.ask('GET', '/data/measurements')).status, 200);
    assert.deepEqual(JSON.parse((await local.ask('GET', '/access/me')).text).isOpen, true);
    assert.match((await local.ask('GET', '/metrics')).text, /^telltale_access_open 1$/m);
    const body = { user: 'eve', password };
    for (const [method, path, sent] of [
      ['PUT', '/access/users/eve', { grants: [{ role: 'administrator' }] }],
      ['POST', '/access/init', body],
      ['POST', '/access/init', { ...body, code: 'guess' }],
      ['POST', '/access/recover', { password }],
    ] as const) {
      const { status, text } = await local.ask(method, path, sent);
      assert.deepEqual([status, problemIn(text)], [403, 'not-allowed'], path);
    }
    assert.equal(statSync(join(folder, 'access.sock')).mode & 0o777, 0o600);
    assert.equal((await askOwner(folder, '/access/recover', { password })).status, 409);
  });

  test('offers a link that works once, from a file that only its owner reads', async () => {
    const { server, folder } = await start();
    const file = join(folder, 'first-administrator');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const link = new URL(readFileSync(file, 'utf8').trim());
    assert.equal((await fetch(link)).status, 200);
    const code = link.hash.slice(1);
    const local = new Person(server.url);
    const weak = await local.ask('POST', '/access/init', { user: 'anna', password: 'short', code });
    assert.equal(problemIn(weak.text), 'weak-password');
    await local.do('POST', '/access/init', { user: 'anna', password, code });
    assert.ok(!existsSync(file));
    const again = await local.ask('POST', '/access/init', { user: 'eve', password, code });
    assert.equal(again.status, 403);
    const anna = await signIn(server, 'anna');
    assert.ok((await anna.do<{ permissions: string[] }>('GET', '/access/me')).permissions.includes('manage-users'));
    const { stdout } = await server.end();
    assert.ok(!stdout.includes(code));
  });
});

describe('a service with users', () => {
  let server: ServerProcess;
  let folder: string;
  let admin: Person;

  before(async () => {
    ({ server, folder } = await start());
    admin = await closeServer(server, folder);
  });

  test('tells by a metric that it is closed', async () => {
    assert.match((await admin.ask('GET', '/metrics')).text, /^telltale_access_open 0$/m);
  });

  test('answers nobody without credentials, but for what is public', async () => {
    const nobody = new Person(server.url);
    for (const name of httpOperationNames) {
      const { http, permission } = declarationOf(name);
      if (permission === 'public') continue;
      const path = http.path.replace(':t_since', '1').replace(':t_until', '2').replaceAll(/:\w+/g, 'x1');
      const { status, text } = await nobody.ask(http.method, path);
      assert.deepEqual([status, problemIn(text)], [401, 'not-signed-in'], `${http.method} ${path}`);
    }
    await assert.rejects(openChannel(server.url), /401/);
  });

  test('knows a session by its cookie alone, which a browser sends to nobody else', async () => {
    const answer = await fetch(`${server.url}/access/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: administrator, password }),
    });
    assert.match(
      answer.headers.getSetCookie()[0] ?? '',
      /^__Host-telltale=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
    const wrong = await fetch(`${server.url}/access/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: administrator, password: `${password}x` }),
    });
    assert.equal(problemIn(await wrong.text()), 'wrong-credentials');
    assert.equal(wrong.headers.get('set-cookie'), null);
  });

  test('refuses who is unknown in the same bytes as who is known', async () => {
    await makeUser(server, admin, 'karl', [{ role: 'viewer' }]);
    const refusal = async (user: string) => {
      const body = JSON.stringify({ user, password: `${password}!` });
      const head = [
        'POST /access/sign-in HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
      ];
      const { status, headers, text } = await sendRaw(server.url, head, body);
      headers.delete('date');
      return JSON.stringify([status, [...headers], text]);
    };
    const known = await refusal('karl');
    assert.match(known, /wrong-credentials/);
    assert.equal(await refusal('kurt'), known);
  });

  test('has no user of an impossible name, and makes none', async () => {
    const path = '/access/users/a%20b';
    assert.equal(problemIn((await admin.ask('GET', path)).text), 'unknown-object');
    assert.equal(problemIn((await admin.ask('PUT', path, { grants: [] })).text), 'invalid-name');
  });

  test('gives a role what it has, and nothing else', async () => {
    const olga = await makeUser(server, admin, 'olga', [{ role: 'operator' }]);
    assert.equal((await olga.ask('GET', '/data/alarms')).status, 200);
    assert.equal((await olga.ask('GET', '/config/v2/alarms')).status, 403);
    assert.equal((await olga.ask('GET', '/access/users')).status, 403);
    assert.equal((await admin.ask('GET', '/config/v2/alarms')).status, 200);
    assert.equal((await admin.ask('PUT', '/data/commands/pump?value=d1')).status, 403);
  });

  test('ends a session, and what it has open on the channel, when it is told to', async () => {
    const otto = await makeUser(server, admin, 'otto', [{ role: 'viewer' }]);
    const { closed } = await openChannel(server.url, otto.headers);
    const [session] = (await admin.do<{ id: string; user: string }[]>('GET', '/access/sessions')).filter(
      ({ user }) => user === 'otto',
    );
    await admin.do('DELETE', `/access/sessions/${session?.id}`);
    assert.equal(await closed, 1008);
    assert.equal((await otto.ask('GET', '/data/alarms')).status, 401);
  });

  test('lets a token do what its maker may and it was given, until it is deleted or its maker loses it', async () => {
    const erik = await makeUser(server, admin, 'erik', [{ role: 'engineer' }]);
    const report = await makeToken(server, erik, 'report', [{ role: 'viewer' }]);
    assert.equal((await report.ask('GET', '/data/alarms')).status, 200);
    assert.equal((await report.ask('GET', '/config/v2/alarms')).status, 403);
    const expires = Math.floor(Date.now() / 1000) + 3600;
    for (const [body, problem] of [
      [{ grants: [{ role: 'administrator' }], expires }, 'not-allowed'],
      [{ grants: [{ role: 'viewer' }], expires: expires + 400 * 86_400 }, 'invalid-body'],
      [{ grants: [{ role: 'viewer' }] }, 'invalid-body'],
      [{ grants: [{ role: 'viewer' }], expires, networks: ['10.0.0.0/33'] }, 'invalid-body'],
      [{ grants: [{ role: 'nonsense' }], expires }, 'unknown-object'],
    ] as const) {
      assert.equal(problemIn((await erik.ask('POST', '/access/tokens/other', body)).text), problem);
    }
    const far = await makeToken(server, erik, 'far', [{ role: 'viewer' }], { networks: ['10.0.0.0/8'] });
    assert.equal((await far.ask('GET', '/data/alarms')).status, 401);
    const made = await report.ask('POST', '/access/tokens/more', { grants: [{ role: 'viewer' }], expires });
    assert.equal(made.status, 403, 'a token makes none');
    const { closed } = await openChannel(server.url, report.headers);
    await erik.do('DELETE', '/access/tokens/report');
    assert.equal(await closed, 1008);
    assert.equal((await report.ask('GET', '/data/alarms')).status, 401);
    const later = await makeToken(server, erik, 'later', [{ role: 'viewer' }]);
    await admin.do('DELETE', '/access/users/erik');
    assert.equal((await later.ask('GET', '/data/alarms')).status, 401);
    assert.equal((await erik.ask('GET', '/data/alarms')).status, 401);
  });

  test('knows nobody who is disabled, and ends what the user has open for good', async () => {
    const grants = [{ role: 'viewer' }];
    const dora = await makeUser(server, admin, 'dora', grants);
    const hers = await makeToken(server, dora, 'hers', grants);
    const { closed } = await openChannel(server.url, dora.headers);
    await admin.do('PUT', '/access/users/dora', { grants, disabled: true });
    assert.equal(await closed, 4001, 'it has nothing in view any more');
    for (const path of ['/data/alarms', '/access/roles', '/access/tokens']) {
      assert.deepEqual([(await dora.ask('GET', path)).status, (await hers.ask('GET', path)).status], [401, 401], path);
    }
    assert.equal((await dora.ask('POST', '/access/me/totp')).status, 401);
    await admin.do('PUT', '/access/users/dora', { grants });
    const statuses = [dora, hers].map(async (each) => (await each.ask('GET', '/data/alarms')).status);
    assert.deepEqual(await Promise.all(statuses), [401, 200], 'who was disabled signs in anew; tokens hold again');
  });

  test('leaves somebody to manage users, whatever is asked for', async () => {
    const me = `/access/users/${administrator}`;
    for (const [method, path, body] of [
      ['DELETE', me, undefined],
      ['PUT', me, { grants: [] }],
      ['PUT', me, { grants: [{ role: 'administrator', area: 'north' }] }],
      ['PUT', me, { grants: [{ role: 'administrator' }], disabled: true }],
      ['PUT', '/access/roles/administrator', { permissions: ['view'] }],
    ] as const) {
      const { status, text } = await admin.ask(method, path, body);
      assert.deepEqual([status, problemIn(text)], [409, 'last-administrator'], path);
    }
    assert.equal((await admin.ask('DELETE', '/access/roles/administrator')).status, 409);
  });

  test('lets its owner in again, for four hours, and tells everybody', async () => {
    const { status, text } = await askOwner(folder, '/access/recover', { password });
    assert.equal(status, 204, text);
    const recovery = await signIn(server, 'recovery');
    const { permissions } = await recovery.do<{ permissions: string[] }>('GET', '/access/me');
    assert.deepEqual(permissions, ['view', 'read-audit', 'manage-users']);
    await recovery.do('PUT', `/access/users/${administrator}/password`, { password: `new ${password}` });
    await signIn(server, administrator, `new ${password}`);
    const { warnings } = await recovery.do<{ warnings: string[] }>('GET', '/readyz');
    assert.match(warnings.join(), /access is being recovered/);
    const metrics = await (await signIn(server, administrator, `new ${password}`)).ask('GET', '/metrics');
    assert.match(metrics.text, /^telltale_access_recovering 1$/m);
  });

  test('has its users, tokens and sessions after a restart', async () => {
    const rita = await makeUser(server, await signIn(server, 'recovery'), 'rita', [{ role: 'viewer' }]);
    const token = await makeToken(server, rita, 'stays', [{ role: 'viewer' }]);
    await server.end();
    ({ server } = await start(folder));
    for (const { headers } of [rita, token]) {
      assert.equal((await new Person(server.url, headers).ask('GET', '/data/alarms')).status, 200);
    }
    assert.equal((await new Person(server.url).ask('GET', '/data/alarms')).status, 401);
    assert.ok(!existsSync(join(folder, 'first-administrator')));
  });
});
