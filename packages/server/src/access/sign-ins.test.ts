// Promises of signing in: what proves who somebody is, that each code and key counts once, and what guessing costs.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ProblemError, type SignIn } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { problemOf } from '../../test/points-bench.ts';
import { SoftAuthenticator } from '../../test/soft-authenticator.ts';
import { Access } from './access.ts';
import type { ChangedEntry } from './access-store.ts';
import { ownerCaller } from './caller.ts';
import { ModuleTokens } from './module-tokens.ts';
import { siteAt } from './passwords/passkeys.ts';
import { Passwords } from './passwords/passwords.ts';
import { presentCode } from './passwords/totp.ts';

const password = 'three dogs on a roof';
const origin = 'https://plant.example';
let clock: ManualClock;
let stored: Map<string, ChangedEntry>;
let hashed: string[];
let access: Access;

/** As fast as no hash should be. */
const quick = new Passwords(async (text, salt, _parameters, bytes) => {
  hashed.push(text);
  return Buffer.from(text.padEnd(bytes).slice(0, bytes)).map(
    (byte, at) => byte ^ (salt[at % salt.length] ?? 0),
  ) as Buffer;
});

/** What a start finds on disk. */
async function start(): Promise<Access> {
  const store = {
    missing: [],
    open: () => Promise.resolve([...stored.values()].filter(({ value }) => value !== null)),
    change: async (entries: readonly ChangedEntry[]) => {
      for (const entry of entries) stored.set(`${entry.kind} ${entry.key}`, structuredClone(entry));
    },
  };
  const made = new Access({ store, tokens: new ModuleTokens(), passwords: quick, site: () => siteAt(origin), clock });
  await made.open();
  return made;
}

beforeEach(async () => {
  clock = new ManualClock();
  stored = new Map();
  hashed = [];
  access = await start();
  const hash = await quick.hash(password);
  const put = (name: string, role: string) =>
    access.accounts.putUser(name, { grants: [{ role }] }, ownerCaller, { password: hash });
  await put('root', 'administrator');
  await put('anna', 'operator');
});

const cookieOf = (marks: string | undefined) =>
  marks === undefined ? {} : { cookie: `__Host-telltale-known=${marks}` };

const signIn = (given: SignIn, marks?: string, source = '10.0.0.9') =>
  access.signIn(given, { source, ...cookieOf(marks) });

const withPassword = (more: SignIn = {}) => ({ user: 'anna', password, ...more });

describe('a password', () => {
  test('signs in its user, and nobody else does', async () => {
    const { cookie } = await signIn(withPassword());
    assert.equal(access.sessions.find(cookie)?.author, 'anna');
    for (const given of [
      withPassword({ password: `${password}.` }),
      withPassword({ user: 'tom' }),
      withPassword({ user: '__proto__' }),
      withPassword({ user: 'Anna' }),
    ])
      assert.equal(await problemOf(signIn(given)), 'wrong-credentials');
    for (const given of [{}, { user: 'anna' }, { password }]) {
      assert.equal(await problemOf(signIn(given)), 'invalid-body');
    }
  });

  test('of a user that is not there, or is disabled, costs one hash too, and is refused in the same words', async () => {
    await access.accounts.putUser('gone', { grants: [], disabled: true }, ownerCaller, {
      password: access.accounts.stored('anna')?.password ?? '',
    });
    hashed = [];
    const refusals = new Set<string>();
    for (const user of ['anna', 'nobody', 'gone']) {
      const given = { user, password: user === 'gone' ? password : 'a wrong password' };
      const error = await signIn(given).catch((refused: unknown) => refused);
      assert.ok(error instanceof ProblemError);
      refusals.add(JSON.stringify(error));
    }
    assert.deepEqual([refusals.size, hashed.length], [1, 3]);
  });

  test('that was hashed with less is hashed anew when it signs in', async () => {
    const weak = (access.accounts.stored('anna')?.password ?? '').replace('m=65536', 'm=1024');
    await access.accounts.noteUser('anna', { password: weak });
    await signIn(withPassword());
    const now = access.accounts.stored('anna')?.password ?? '';
    assert.match(now, /m=65536,t=3,p=1/);
    await signIn(withPassword());
    assert.equal(access.accounts.stored('anna')?.password, now);
  });

  test('is tried again by whoever has a session, and slowed down by that session alone', async () => {
    for (let time = 0; time < 10; time++) {
      assert.equal(await problemOf(access.checkPassword('anna', 'wrong', 'stolen')), 'wrong-credentials');
    }
    assert.equal(await problemOf(access.checkPassword('anna', password, 'stolen')), 'too-many-attempts');
    await access.checkPassword('anna', password, 'own');
    await signIn(withPassword());
  });
});

describe('guessing', () => {
  const wrong = withPassword({ password: 'a wrong password' });

  test('a thousand times, from elsewhere and from its own address, leaves a station able to sign in at once, also after a restart', async () => {
    const { marks } = await signIn(withPassword());
    const outcomes: string[] = [];
    for (let time = 0; time < 1000; time++) {
      outcomes.push((await problemOf(signIn(wrong, undefined, time % 2 === 0 ? '10.0.0.9' : '10.9.9.9'))) ?? '');
      clock.advance(100);
    }
    const checked = outcomes.filter((outcome) => outcome === 'wrong-credentials').length;
    assert.ok(checked < 15, `${checked} passwords were checked in 100 s`);
    assert.equal(await problemOf(signIn(withPassword())), 'too-many-attempts');
    await signIn(withPassword(), marks);
    access = await start();
    for (let time = 0; time < 20; time++) await problemOf(signIn(wrong));
    assert.equal(await problemOf(signIn(withPassword())), 'too-many-attempts');
    await signIn(withPassword(), marks);
  });

  test('marks of another user, or of another installation, make nobody known', async () => {
    const { marks } = await signIn({ user: 'root', password });
    for (let time = 0; time < 5; time++) await problemOf(signIn(wrong));
    assert.equal(await problemOf(signIn(withPassword(), marks)), 'too-many-attempts');
    stored.delete('key devices');
    access = await start();
    for (let time = 0; time < 5; time++) await problemOf(signIn({ ...wrong, user: 'root' }));
    assert.equal(await problemOf(signIn({ user: 'root', password }, marks)), 'too-many-attempts');
  });

  test('does not count what was not checked', async () => {
    const { secret } = access.factors.beginTotp('anna');
    await access.factors.confirmTotp('anna', presentCode({ secret, lastStep: 0 }, clock.now()));
    for (let time = 0; time < 50; time++) {
      assert.equal(await problemOf(signIn(withPassword())), 'second-factor-needed');
    }
  });
});

describe('one-time codes', () => {
  async function setUp() {
    const { secret } = access.factors.beginTotp('anna');
    const code = () => presentCode({ secret, lastStep: 0 }, clock.now());
    const recovery = await access.factors.confirmTotp('anna', code());
    return { code, recovery };
  }

  test('count from the first right one on, and then nobody signs in without', async () => {
    const { secret } = access.factors.beginTotp('anna');
    assert.equal(await problemOf(access.factors.confirmTotp('anna', '000000')), 'wrong-code');
    await signIn(withPassword());
    clock.advance(10 * 60_000);
    const late = presentCode({ secret, lastStep: 0 }, clock.now());
    assert.equal(await problemOf(access.factors.confirmTotp('anna', late)), 'wrong-code');
    const { code } = await setUp();
    assert.equal(await problemOf(signIn(withPassword())), 'second-factor-needed');
    clock.advance(60_000);
    await signIn(withPassword({ code: code() }));
    assert.equal(access.accounts.user('anna', ownerCaller).hasSecondFactor, true);
  });

  test('are good once, whoever comes first, also after a restart', async () => {
    const { code } = await setUp();
    assert.equal(await problemOf(signIn(withPassword({ code: code() }))), 'wrong-credentials', 'that of the set-up');
    clock.advance(60_000);
    const given = withPassword({ code: code() });
    const outcomes = await Promise.all([problemOf(signIn(given)), problemOf(signIn(given))]);
    assert.equal(outcomes.filter((outcome) => outcome === 'wrong-credentials').length, 1);
    access = await start();
    assert.equal(await problemOf(signIn(given)), 'wrong-credentials');
  });

  test('are guessed as slowly as passwords', async () => {
    await setUp();
    for (let time = 0; time < 5; time++) {
      assert.equal(await problemOf(signIn(withPassword({ code: `00000${time}` }))), 'wrong-credentials');
    }
    assert.equal(await problemOf(signIn(withPassword({ code: '123456' }))), 'too-many-attempts');
  });

  test('are replaced by a code for recovery, once each, and by none of before where there are new ones', async () => {
    const { recovery } = await setUp();
    assert.equal(recovery.length, 10);
    const [one = '', other = ''] = recovery;
    await signIn(withPassword({ code: one.toUpperCase() }));
    assert.equal(await problemOf(signIn(withPassword({ code: one }))), 'wrong-credentials');
    assert.equal(access.factors.shown('anna').recoveryCodes, 9);
    const [fresh = ''] = await access.factors.renewRecoveryCodes('anna');
    assert.equal(await problemOf(signIn(withPassword({ code: other }))), 'wrong-credentials');
    await signIn(withPassword({ code: fresh }));
  });

  test('are not asked for when they are removed, by their owner or by whoever manages users', async () => {
    await setUp();
    await access.factors.removeTotp('anna');
    await signIn(withPassword());
    await setUp();
    await access.factors.removeAll('anna', ownerCaller);
    await signIn(withPassword());
    assert.equal(access.factors.shown('anna').recoveryCodes, 0);
  });
});

describe('a passkey', () => {
  const phone = () => new SoftAuthenticator(origin);

  async function add(authenticator: SoftAuthenticator, user = 'anna'): Promise<readonly string[]> {
    return access.factors.addPasskey(user, 'phone', authenticator.create(await access.factors.passkeyCreation(user)));
  }

  const present = async (authenticator: SoftAuthenticator) =>
    ({ passkey: authenticator.get(await access.factors.passkeyRequest()) }) as SignIn;

  test('signs in its owner without anything else, once an answer, and the password alone does not any more', async () => {
    const mine = phone();
    const recovery = await add(mine);
    const given = await present(mine);
    const { cookie } = await signIn(given);
    assert.equal(access.sessions.find(cookie)?.author, 'anna');
    assert.equal(await problemOf(signIn(given)), 'wrong-credentials');
    assert.equal(await problemOf(signIn(withPassword())), 'second-factor-needed');
    await signIn(withPassword({ code: recovery[0] ?? '' }));
    access = await start();
    await signIn(await present(mine));
    const [shown] = access.factors.shown('anna').passkeys;
    assert.deepEqual([shown?.name, shown?.lastUsed], ['phone', clock.now() / 1e6]);
  });

  test('that nobody has, or that was removed, signs in nobody, and is guessed slowly', async () => {
    const mine = phone();
    await add(mine);
    await access.factors.removePasskey('anna', mine.id.toString('base64url'));
    await signIn(withPassword());
    const stranger = phone();
    for (let time = 0; time < 5; time++) {
      assert.equal(await problemOf(signIn(await present(stranger))), 'wrong-credentials');
    }
    assert.equal(await problemOf(signIn(await present(stranger))), 'too-many-attempts');
    assert.equal(await problemOf(access.factors.removePasskey('anna', 'never')), 'unknown-object');
  });

  test('is of one user; whoever has several has codes for recovery once, and twenty at most', async () => {
    const mine = phone();
    assert.equal((await add(mine)).length, 10);
    assert.equal(await problemOf(add(mine, 'root')), 'invalid-passkey');
    for (let more = 0; more < 19; more++) assert.deepEqual(await add(phone()), []);
    assert.equal(await problemOf(add(phone())), 'too-many-requests');
  });

  test('of a user who is disabled signs in nobody', async () => {
    const mine = phone();
    await add(mine);
    await access.accounts.putUser('anna', { grants: [], disabled: true }, ownerCaller);
    assert.equal(await problemOf(signIn(await present(mine))), 'wrong-credentials');
  });
});

describe('a role that demands a second factor', () => {
  test('permits nothing to whoever has none, but to add one', async () => {
    const { name: _, ...operator } = access.accounts.role('operator');
    const caller = access.sessions.find((await signIn(withPassword())).cookie) ?? assert.fail();
    assert.equal(caller.rights.has('write'), true);
    await access.accounts.putRole('operator', { ...operator, secondFactor: true }, ownerCaller);
    assert.equal(caller.rights.has('view'), false);
    assert.deepEqual(
      [access.describe(caller).mustAddSecondFactor, access.factors.shown('anna').isRequired],
      [true, true],
    );
    const { secret } = access.factors.beginTotp('anna');
    await access.factors.confirmTotp('anna', presentCode({ secret, lastStep: 0 }, clock.now()));
    assert.deepEqual([caller.rights.has('write'), access.describe(caller).mustAddSecondFactor], [true, undefined]);
    await access.factors.removeTotp('anna');
    assert.equal(caller.rights.has('write'), false);
  });
});
