// Promises of whoever manages the users of a part of the plant: nobody who has rights elsewhere is theirs, and nothing that
// they do gives rights elsewhere.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { type Grant, ProblemError, type Scope } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { closedAccess, type MemoryAccess } from '../../test/memory-access.ts';
import { access as operationsOf } from '../operations/implementations/access.ts';
import { secondFactors } from '../operations/implementations/second-factors.ts';
import { type Caller, ownerCaller } from './caller.ts';
import type { FirstAdministrator } from './first-administrator.ts';
import { GrantedRights } from './rights.ts';
import { recoveryName, type StoredUser } from './stored-user.ts';

const password = 'three dogs on a roof';
const clock = new ManualClock();
let access: MemoryAccess;
beforeEach(async () => {
  access = await closedAccess({ clock });
});

/** Somebody with the permission for these parts; not a user that could be changed itself. */
const managerOf = (...parts: Scope[]): Caller => ({
  ...ownerCaller,
  author: 'chief',
  kind: 'user',
  rights: new GrantedRights(parts.map((part) => ({ permissions: ['manage-users'], ...part }))),
});
const north = managerOf({ area: 'north' });

const problemOf = (done: Promise<unknown>) =>
  done.then(
    () => undefined,
    (error: unknown) => (error instanceof ProblemError ? error.problem : assert.fail(String(error))),
  );

type Done = (name: string, manager: Caller) => unknown;
type Implementation = (input: object, asked: object) => unknown;

const asked = (caller: Caller) => ({ caller, note: () => undefined });

/** Every operation by which a manager learns of a user, or changes it. */
function managing(): Record<string, Done> {
  const parts = {
    access,
    confirmations: { isExcepted: () => false },
    first: {} as FirstAdministrator,
    setupPage: () => Promise.resolve(Buffer.alloc(0)),
    signInPage: () => Promise.resolve(Buffer.alloc(0)),
  };
  const all = { ...operationsOf(parts), ...secondFactors({ access, clock }) } as Record<string, unknown>;
  const by =
    (operation: string, more: object = {}): Done =>
    (account, caller) =>
      (all[operation] as Implementation)({ account, ...more }, asked(caller));
  return {
    get: by('getUser'),
    endSession: (name, caller) =>
      (all.endSession as Implementation)({ session: access.sessions.list(name)[0]?.id ?? 'none' }, asked(caller)),
    deleteToken: (name, caller) =>
      (all.deleteToken as Implementation)({ account: access.tokens.list(name)[0]?.name ?? 'none' }, asked(caller)),
    put: by('putUser', { grants: [{ role: 'viewer', area: 'north' }] }),
    disable: by('putUser', { grants: [{ role: 'viewer', area: 'north' }], disabled: true }),
    setPassword: by('setPassword', { password }),
    removeSecondFactors: by('removeSecondFactors'),
    delete: by('deleteUser'),
  };
}

const seenBy = (manager: Caller) => access.accounts.users(manager).map(({ name }) => name);

/** With a session and a token, where it can have them. */
async function holding(name: string): Promise<void> {
  await access.sessions.begin(name, undefined);
  const maker = { ...ownerCaller, author: name, kind: 'user' as const };
  await access.tokens.make(`of_${name}`, { grants: [], expires: clock.now() / 1e6 + 3600 }, maker);
}

async function refusesAll(name: string, manager: Caller): Promise<void> {
  const before = JSON.stringify([...access.stored]);
  assert.ok(!seenBy(manager).includes(name), name);
  for (const [what, does] of Object.entries(managing())) {
    const problem = await problemOf(Promise.resolve().then(() => does(name, manager)));
    assert.match(problem ?? 'done', /^(?:not-allowed|unknown-object|reserved-name)$/, `${what} of ${name}`);
  }
  assert.equal(JSON.stringify([...access.stored]), before, name);
}

const grants = fc.array(
  fc.record(
    {
      role: fc.constantFrom('viewer', 'operator', 'administrator'),
      area: fc.constantFrom('', 'north', 'north.pumps', 'northern', 'south'),
    },
    { requiredKeys: ['role'] },
  ) as fc.Arbitrary<Grant>,
  { maxLength: 3 },
);
const isNorth = ({ area = '' }: Scope) => area === 'north' || area.startsWith('north.');

describe('the manager of a part of the plant', () => {
  test('sees and changes those who have rights there and nowhere else, by whatever way, signed in or not', async () => {
    const users = fc.record({
      own: grants,
      ofGroup: grants,
      state: fc.constantFrom<Partial<StoredUser>>({}, { disabled: true }, { absent: true }),
      isOfDirectory: fc.boolean(),
    });
    const property = fc.asyncProperty(users, async ({ own, ofGroup, state, isOfDirectory }) => {
      access = await closedAccess({ clock });
      await access.accounts.putGroup('group', { directory: 'ldap', group: 'cn=g', grants: ofGroup }, ownerCaller);
      const ofDirectory = { origin: 'ldap', subject: '1', groups: ['cn=g'] };
      const more = isOfDirectory ? { ...ofDirectory, ...state } : { password: 'x', ...state };
      await access.accounts.putUser('anna', { grants: own }, ownerCaller, more);
      await holding('anna');
      const all = isOfDirectory ? [...own, ...ofGroup] : own;
      if (all.length === 0 || !all.every(isNorth)) return refusesAll('anna', north);
      assert.deepEqual(seenBy(north), ['anna']);
      for (const [what, does] of Object.entries(managing())) {
        const problem = await problemOf(Promise.resolve().then(() => does('anna', north)));
        assert.equal(problem, what === 'setPassword' && isOfDirectory ? 'not-allowed' : undefined, what);
      }
      assert.equal(access.accounts.has('anna'), false);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('cannot touch whoever recovers access, before its time is over and after', async () => {
    await access.recover(password);
    await access.sessions.begin(recoveryName, undefined);
    await refusesAll(recoveryName, north);
    clock.advance(5 * 3600_000);
    await refusesAll(recoveryName, north);
    const hash = () => access.accounts.stored(recoveryName)?.password;
    await access.recover(password);
    await access.setPassword(recoveryName, `${password} again`, { manager: managerOf({}) });
    assert.equal(hash(), `${password} again`);
    await access.deleteUser(recoveryName, managerOf({}));
    assert.equal(hash(), undefined);
  });

  test('learns of what is not theirs as little as of what is not there', async () => {
    await access.accounts.putCertificate('panel', { subject: 'CN=panel', grants: [{ role: 'viewer' }] }, ownerCaller);
    const body = { directory: 'ldap' as const, group: 'cn=g', grants: [{ role: 'viewer' }] };
    await access.accounts.putGroup('crew', body, ownerCaller);
    const { accounts } = access;
    const refusal = (ask: () => unknown) => {
      try {
        return JSON.stringify(ask());
      } catch (error) {
        assert.ok(error instanceof ProblemError);
        return JSON.stringify([error.problem, error.message]);
      }
    };
    for (const [there, ask] of [
      ['root', (name: string) => accounts.user(name, north)],
      ['crew', (name: string) => accounts.group(name, north)],
      ['panel', (name: string) => accounts.certificate(name, north)],
    ] as const) {
      assert.equal(
        refusal(() => ask(there)),
        refusal(() => ask('none')).replaceAll('none', there),
      );
    }
    assert.deepEqual([accounts.groups(north), accounts.listCertificates(north), accounts.users(north)], [[], [], []]);
  });

  test('gives rights there, to users, groups and certificates, and nowhere else', async () => {
    const property = fc.asyncProperty(grants, grants, async (before, after) => {
      access = await closedAccess({ clock });
      const { accounts } = access;
      const group = { directory: 'ldap' as const, group: 'cn=g' };
      const puts = [
        (given: Grant[], by: Caller) => accounts.putUser('anna', { grants: given }, by),
        (given: Grant[], by: Caller) => accounts.putGroup('crew', { ...group, grants: given }, by),
        (given: Grant[], by: Caller) => accounts.putCertificate('panel', { subject: 'CN=p', grants: given }, by),
      ];
      const isTheirs = (given: Grant[]) => given.length > 0 && given.every(isNorth);
      for (const put of puts) {
        assert.equal(await problemOf(put(after, north)), isTheirs(after) ? undefined : 'not-allowed');
        await put(before, ownerCaller);
        const mayChange = isTheirs(before) && isTheirs(after);
        assert.equal(await problemOf(put(after, north)), mayChange ? undefined : 'not-allowed');
      }
    });
    await fc.assert(property, { numRuns: 40 });
    const role = { permissions: ['view' as const] };
    assert.equal(await problemOf(access.accounts.putRole('viewer', role, north)), 'not-allowed');
    assert.equal(await problemOf(access.accounts.putRole('mine', role, north)), 'not-allowed');
    assert.equal(await problemOf(access.accounts.deleteRole('viewer', north)), 'not-allowed');
  });

  test('takes no client its identity, by an entry of its own for the same certificate', async () => {
    const { accounts } = access;
    const [whole, part] = [[{ role: 'operator' }], [{ role: 'viewer', area: 'north' }]];
    for (const [name, known, again] of [
      ['panel', { subject: 'CN=panel' }, { subject: 'CN=panel' }],
      ['scada', { fingerprint: 'ab'.repeat(32) }, { fingerprint: Array(32).fill('AB').join(':') }],
    ] as const) {
      await accounts.putCertificate(name, { ...known, grants: whole }, ownerCaller);
      const taken = accounts.putCertificate('a', { ...again, grants: part }, north);
      assert.equal(await problemOf(taken), 'invalid-body');
      await accounts.putCertificate(name, { ...again, grants: whole }, ownerCaller);
    }
    assert.equal(accounts.certificates.find('ab'.repeat(32), '')?.name, 'scada');
  });

  test('makes tokens for what they may do themselves', async () => {
    const { accounts, tokens } = access;
    await accounts.putUser('nora', { grants: [{ role: 'administrator', area: 'north' }] }, ownerCaller);
    const nora = access.sessions.find(await access.sessions.begin('nora', undefined)) as Caller;
    const expires = clock.now() / 1e6 + 3600;
    const make = (given: Grant) => problemOf(tokens.make(`t_${given.area}`, { grants: [given], expires }, nora));
    assert.equal(await make({ role: 'administrator' }), 'not-allowed');
    assert.equal(await make({ role: 'administrator', area: 'south' }), 'not-allowed');
    assert.equal(await make({ role: 'operator', area: 'north' }), 'not-allowed');
    assert.equal(await make({ role: 'administrator', area: 'north.pumps' }), undefined);
  });

  test('who is regranted while a password is hashed sets it no more, nor who has lost the permission', async () => {
    const { accounts } = access;
    await accounts.putUser('nora', { grants: [{ role: 'administrator', area: 'north' }] }, ownerCaller);
    const nora = access.sessions.find(await access.sessions.begin('nora', undefined)) as Caller;
    const put = (...given: Grant[]) => accounts.putUser('anna', { grants: given }, ownerCaller, { password: 'first' });
    const hash = () => accounts.stored('anna')?.password;
    await put({ role: 'viewer', area: 'north' });
    access.onHash = () => put({ role: 'administrator' });
    assert.equal(await problemOf(access.setPassword('anna', password, { manager: nora })), 'unknown-object');
    await put({ role: 'viewer', area: 'north' });
    access.onHash = () => accounts.putUser('nora', { grants: [] }, ownerCaller);
    assert.equal(await problemOf(access.setPassword('anna', password, { manager: nora })), 'unknown-object');
    assert.equal(hash(), 'first');
  });
});

describe('a user who is deleted', () => {
  test('leaves no session and no token to another of the same name, also where the server ends meanwhile', async () => {
    const body = { grants: [{ role: 'administrator' }] };
    await access.accounts.putUser('anna', body, ownerCaller);
    const cookie = await access.sessions.begin('anna', undefined);
    const anna = access.sessions.find(cookie) as Caller;
    const token = await access.tokens.make('t', { ...body, expires: clock.now() / 1e6 + 3600 }, anna);
    await access.accounts.deleteUser('anna', ownerCaller); // and no more than that
    assert.equal(await problemOf(access.sessions.begin('anna', undefined)), 'wrong-credentials');
    access = await access.again();
    await access.accounts.putUser('anna', body, ownerCaller);
    assert.equal(access.sessions.find(cookie), undefined);
    assert.throws(() => access.identify({ authorization: `Bearer ${token}` }), /no token/);
  });
});
