// Signing in to the real server, over HTTP: passwords, guessing, one-time codes, passkeys, roles that demand a second factor.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { AuditRecord, SecondFactors } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { AccessDatabase, Passwords } from '../packages/server/src/access/index.ts';
import { presentCode } from '../packages/server/src/access/passwords/totp.ts';
import { SoftAuthenticator } from '../packages/server/test/soft-authenticator.ts';
import { linesIn } from '../packages/server/test/trail-bench.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const data = join(temporaryFolder(cleanup), 'data');
const password = 'three dogs on a roof';
const users = { root: 'administrator', anna: 'operator', otto: 'operator', paul: 'engineer', vera: 'viewer' };
let server: ServerProcess;

/** A folder with users, as a server leaves it. */
async function storeUsers(): Promise<void> {
  const hash = await new Passwords().hash(password);
  const store = new AccessDatabase({ folder: data, onFailure: assert.fail });
  await store.open();
  const user = (role: string) => ({ origin: 'local', grants: [{ role }], password: hash });
  await store.change(Object.entries(users).map(([key, role]) => ({ kind: 'user', key, value: user(role) })));
  await store.close(5000);
}

before(async () => {
  server = await startServer(cleanup, { data });
  await server.end();
  await storeUsers();
  server = await startServer(cleanup, { data });
});

/** The newest in the audit trail. */
const lastRecord = () => JSON.parse(linesIn(data).at(-1) ?? '') as AuditRecord;

/** A browser: keeps the cookies that it is given. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async ask(method: string, path: string, body?: object) {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(cookie !== '' && { cookie }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      assert.match(set, /; Path=\/; Secure; HttpOnly; SameSite=Strict/);
      this.#cookies.set(name, value);
    }
    const text = await answer.text();
    return { status: answer.status, text, json: text === '' ? undefined : JSON.parse(text), headers: answer.headers };
  }

  signIn(user: string, more: object = {}) {
    return this.ask('POST', '/access/sign-in', { user, password, ...more });
  }
}

describe('signing in', () => {
  test('gives a session, and a wrong password and an unknown user the same refusal, byte for byte', async () => {
    const browser = new Browser();
    assert.equal((await browser.signIn('anna')).status, 200);
    const me = await browser.ask('GET', '/access/me');
    assert.deepEqual([me.json.identity, me.json.permissions], ['anna', ['view', 'write', 'acknowledge']]);
    const wrong = { password: 'a wrong password' };
    const refusals = [await new Browser().signIn('anna', wrong), await new Browser().signIn('nobody', wrong)];
    assert.deepEqual(
      refusals.map(({ status, text }) => [status, text]),
      Array(2).fill([401, refusals[0]?.text]),
    );
  });

  test('is possible at a station that has done so before, whoever else has failed a thousand times', async () => {
    const station = new Browser();
    assert.equal((await station.signIn('otto')).status, 200);
    const statuses = new Map<number, number>();
    const guess = async () => {
      const { status, headers } = await new Browser().signIn('otto', { password: 'a wrong password' });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 429) assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    };
    for (let round = 0; round < 50; round++) await Promise.all(Array.from({ length: 20 }, guess));
    assert.deepEqual([...statuses.keys()].sort(), [401, 429]);
    assert.ok((statuses.get(401) ?? 0) < 100, 'most were not even checked');
    assert.equal((await new Browser().signIn('otto')).status, 429);
    assert.equal((await station.signIn('otto')).status, 200);
  });
});

describe('a second factor', () => {
  test('of an authenticator app is set up, asked for, good once, and replaced by a code for recovery', async () => {
    const browser = new Browser();
    await browser.signIn('paul');
    const { json: totp } = await browser.ask('POST', '/access/me/totp');
    assert.match(totp.uri, /^otpauth:\/\/totp\/Telltale:paul\?secret=/);
    const code = () => presentCode({ secret: totp.secret, lastStep: 0 }, Date.now() * 1000);
    assert.equal((await browser.ask('PUT', '/access/me/totp', { code: 'wrong' })).status, 400);
    const set = code();
    const { json: confirmed } = await browser.ask('PUT', '/access/me/totp', { code: set });
    assert.equal(confirmed.recoveryCodes.length, 10);
    const missing = await new Browser().signIn('paul');
    assert.deepEqual([missing.status, missing.json.type], [401, '/docs/#problem-second-factor-needed']);
    assert.equal((await new Browser().signIn('paul', { code: set })).status, 401, 'the code was used');
    assert.equal((await new Browser().signIn('paul', { code: confirmed.recoveryCodes[0] })).status, 200);
    const { json: left } = await browser.ask('GET', '/access/me/second-factors');
    const expected: SecondFactors = { isRequired: false, totp: true, passkeys: [], recoveryCodes: 9 };
    assert.deepEqual(left, expected);
    const root = new Browser();
    await root.signIn('root');
    assert.equal((await root.ask('GET', '/access/users/paul')).json.hasSecondFactor, true);
    assert.equal((await root.ask('DELETE', '/access/users/paul/second-factors')).status, 204);
    assert.equal((await browser.ask('GET', '/access/me/second-factors')).status, 401, 'its sessions have ended');
    assert.equal((await new Browser().signIn('paul')).status, 200);
  });

  test('can be a passkey, which signs in by itself', async () => {
    const browser = new Browser();
    await browser.signIn('vera');
    const { origin } = new URL(server.url.replace('127.0.0.1', 'localhost'));
    const phone = new SoftAuthenticator(origin);
    const { json: creation } = await browser.ask('GET', '/access/me/passkeys/new');
    const added = await browser.ask('POST', '/access/me/passkeys', { name: 'phone', passkey: phone.create(creation) });
    assert.equal(added.status, 200, added.text);
    const signIn = async () => {
      const other = new Browser();
      const { json: request } = await other.ask('GET', '/access/sign-in/passkey');
      return other.ask('POST', '/access/sign-in', { passkey: phone.get(request) });
    };
    const signedIn = await signIn();
    assert.deepEqual([signedIn.status, signedIn.json.identity], [200, 'vera']);
    const { who, kind, object, session, result } = lastRecord();
    assert.deepEqual([who, kind, object, result], ['vera', 'user', 'vera', 'done']);
    assert.equal(session, signedIn.json.session.id);
    const id = phone.id.toString('base64url');
    const removed = await browser.ask('DELETE', `/access/me/passkeys/${id}`);
    assert.equal(removed.status, 204, removed.text);
    assert.equal((await signIn()).status, 401);
  });

  test('is demanded by a role: until there is one, nothing else is permitted', async () => {
    const [root, anna] = [new Browser(), new Browser()];
    await root.signIn('root');
    await anna.signIn('anna');
    const { json: role } = await root.ask('GET', '/access/roles/operator');
    const { name: _, ...operator } = role;
    const put = await root.ask('PUT', '/access/roles/operator', { ...operator, secondFactor: true });
    assert.equal(put.status, 204, put.text);
    assert.equal((await anna.ask('GET', '/data/alarms/')).status, 403);
    const { json: me } = await anna.ask('GET', '/access/me');
    assert.deepEqual([me.mustAddSecondFactor, me.permissions], [true, []]);
    const { json: totp } = await anna.ask('POST', '/access/me/totp');
    const code = presentCode({ secret: totp.secret, lastStep: 0 }, Date.now() * 1000);
    assert.equal((await anna.ask('PUT', '/access/me/totp', { code })).status, 200);
    assert.equal((await anna.ask('GET', '/data/alarms/')).status, 200);
  });
});
