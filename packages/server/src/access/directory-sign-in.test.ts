// Promises of users who come from a directory, against OpenLDAP and oidc-provider.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, type TestContext, test } from 'node:test';
import { type Grant, ProblemError, type ProblemName } from '@telltale/schema';
import { cleanupOf, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { administrator, closedAccess } from '../../test/memory-access.ts';
import { client, OpenidProvider, signInAtProvider } from '../../test/openid-provider.ts';
import { groups, people, Slapd, service, withoutSlapd } from '../../test/slapd.ts';
import type { Access } from './access.ts';
import { type Caller, ownerCaller } from './caller.ts';

const owner = ownerCaller;
const callback = 'http://127.0.0.1:1/access/oidc/callback';

const refused =
  (problem: ProblemName, text: RegExp = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof ProblemError, String(error));
    assert.equal(error.problem, problem);
    assert.match(error.message, text);
    return true;
  };

/** With these directories, whatever comes of them is logged nowhere. */
async function accessTo(t: TestContext, directories: object, files: Record<string, string> = {}): Promise<Access> {
  const folder = temporaryFolder(t);
  const path = join(folder, 'directories.json');
  writeFileSync(path, JSON.stringify(directories));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const access = await closedAccess({ directories: path, oidcCallback: () => callback });
  cleanupOf(t).defer(() => access.close());
  return access;
}

async function callerOf(access: Access, cookie: Promise<string>): Promise<Caller> {
  return access.sessions.find(await cookie) as Caller;
}

describe('users of LDAP', { skip: withoutSlapd }, () => {
  const cleanup = suiteCleanup();
  let slapd: Slapd;
  let access: Access;
  before(async () => {
    slapd = await Slapd.start(cleanup);
  });
  beforeEach(async (t) => {
    const ldap = {
      url: slapd.ldaps,
      caFile: 'ca.pem',
      bindDn: service.dn,
      bindPasswordFile: 'password',
      base: people,
      timeoutMs: 30_000,
    };
    access = await accessTo(t as TestContext, { ldap }, { 'ca.pem': slapd.ca, password: service.password });
    await grant('operators', `CN=Operators, ${groups}`, [{ role: 'operator', area: 'north' }]);
  });

  const grant = (name: string, group: string, grants: Grant[]) =>
    access.accounts.putGroup(name, { directory: 'ldap', group, grants }, owner);
  const signIn = async (user: string, password = `${user} of the plant`) =>
    (await access.signIn({ user, password }, {})).cookie;

  test('may do what their groups are granted, and what is granted to them', async () => {
    const anna = await callerOf(access, signIn('anna'));
    assert.equal(anna.author, 'anna');
    assert.equal(anna.kind, 'user');
    assert.ok(anna.rights.on('write', 'valve', 'north.pumps'));
    assert.ok(!anna.rights.on('write', 'valve', 'south'));
    await access.accounts.putUser('anna', { grants: [{ role: 'viewer' }] }, owner);
    assert.ok(anna.rights.everywhere('view'));
    assert.ok(anna.rights.on('write', 'valve', 'north'));
    assert.deepEqual(access.describe(anna).grants, [{ role: 'viewer' }, { role: 'operator', area: 'north' }]);
    const { origin, hasPassword, groups: shown } = access.accounts.user('anna', owner);
    assert.deepEqual(
      { origin, hasPassword, shown },
      { origin: 'ldap', hasPassword: false, shown: [`cn=operators,${groups}`] },
    );
  });

  test('lose at once what is taken from a group', async () => {
    const anna = await callerOf(access, signIn('anna'));
    await grant('operators', `cn=operators,${groups}`, [{ role: 'viewer', area: 'north' }]);
    assert.ok(anna.rights.on('view', 'valve', 'north') && !anna.rights.has('write'));
    await access.accounts.deleteGroup('operators', owner);
    assert.ok(!anna.rights.has('view'));
  });

  test('are one user, however the name is typed', async () => {
    const anna = await callerOf(access, signIn('ANNA', 'anna of the plant'));
    assert.equal(anna.author, 'anna');
    assert.deepEqual(
      access.accounts
        .users(owner)
        .map(({ name }) => name)
        .toSorted(),
      ['anna', 'root'],
    );
  });

  test('without a group that has a role are refused, and nothing is stored of them', async () => {
    await assert.rejects(signIn('karl'), refused('sign-in-refused', /karl is in no group that has a role here/));
    assert.equal(access.accounts.stored('karl'), undefined);
  });

  test('with a wrong password get the very refusal of somebody unknown', async () => {
    for (const [name, password] of [
      ['anna', 'wrong'],
      ['nobody', 'wrong'],
      [administrator.name, 'wrong'],
    ] as const) {
      await assert.rejects(
        signIn(name, password),
        refused('wrong-credentials', /^The user or the password is wrong\.$/),
      );
    }
  });

  test('never take the name of a local user, whatever its case, nor its place', async () => {
    await access.accounts.putUser('Anna', { grants: [] }, owner, { password: 'the local one' });
    await assert.rejects(signIn('anna'), refused('sign-in-refused', /there is a user Anna already who is local/));
    await assert.rejects(signIn('Anna', 'anna of the plant'), refused('wrong-credentials'));
    assert.equal((await callerOf(access, signIn('Anna', 'the local one'))).author, 'Anna');
  });

  test('who come again under the name of another person are refused until that one is deleted', async () => {
    await signIn('anna');
    await access.accounts.noteUser('anna', { subject: 'somebody of before' });
    await assert.rejects(signIn('anna'), refused('sign-in-refused', /another person of the directory/));
    await access.deleteUser('anna', ownerCaller);
    await signIn('anna');
  });

  test('who are disabled here cannot sign in, and what they have open ends', async () => {
    const anna = await callerOf(access, signIn('anna'));
    await access.accounts.putUser('anna', { grants: [], disabled: true }, owner);
    assert.ok(!anna.rights.has('view'));
    await assert.rejects(signIn('anna'), refused('wrong-credentials'));
  });

  test('have their password in the directory, and nowhere else', async () => {
    await signIn('anna');
    await assert.rejects(
      access.setPassword('anna', 'another password', { manager: owner }),
      refused('not-allowed', /directory \(ldap\)/),
    );
  });

  test('alone never suffice: somebody local must be able to manage users', async () => {
    await grant('operators', `cn=operators,${groups}`, [{ role: 'administrator' }]);
    await signIn('anna');
    await assert.rejects(access.deleteUser(administrator.name, ownerCaller), refused('last-administrator'));
  });

  test('are looked up: new groups count, who has none or is gone may nothing, and is let in again when back', async () => {
    await grant('engineers', `cn=engineers,${groups}`, [{ role: 'engineer' }]);
    const cookie = await signIn('ben');
    const ben = access.sessions.find(cookie) as Caller;
    assert.ok(!ben.rights.has('configure'));
    slapd.modify(`dn: cn=engineers,${groups}\nchangetype: modify\nadd: member\nmember: uid=ben,${people}\n`);
    await access.directories.lookUp();
    assert.ok(ben.rights.has('configure'));
    await access.accounts.putUser('ben', { grants: [{ role: 'viewer' }] }, owner);
    slapd.modify(`dn: uid=ben,${people}\nchangetype: modrdn\nnewrdn: uid=benjamin\ndeleteoldrdn: 1\n`);
    await access.directories.lookUp();
    assert.ok(!ben.rights.has('view'));
    assert.equal(access.sessions.find(cookie), undefined);
    slapd.modify(`dn: uid=benjamin,${people}\nchangetype: modrdn\nnewrdn: uid=ben\ndeleteoldrdn: 1\n`);
    assert.ok((await callerOf(access, signIn('ben'))).rights.has('view'));
  });

  test('cannot sign in while the directory is down, which is said; local users can, and sessions go on', async (t) => {
    const cookie = await signIn('anna');
    await slapd.halt();
    cleanupOf(t as TestContext).defer(() => slapd.again());
    await assert.rejects(signIn('anna'), refused('directory-unavailable'));
    await assert.rejects(signIn('nobody'), refused('directory-unavailable'));
    await signIn(administrator.name, administrator.password);
    await access.directories.lookUp();
    assert.ok(access.sessions.find(cookie)?.rights.has('write'));
  });
});

describe('users of OpenID Connect', () => {
  const accounts = {
    'id-1': { preferred_username: 'anna', groups: ['operators'] },
    'id-2': { preferred_username: 'anna', groups: ['operators'] },
    'id-3': { preferred_username: 'root', groups: ['operators'] },
    'id-4': { preferred_username: '../../etc', groups: ['operators'] },
    'id-5': { preferred_username: 'karl', groups: ['visitors'] },
    'id-6': { preferred_username: 'local', groups: ['operators'] },
  };

  async function setUp(t: TestContext) {
    const provider = await OpenidProvider.start(t, { redirectUri: callback, accounts });
    const oidc = {
      issuer: provider.issuer,
      clientId: client.id,
      clientSecretFile: 'secret',
      scope: 'openid profile groups',
      timeoutMs: 30_000,
    };
    const access = await accessTo(t, { oidc }, { secret: client.secret });
    const body = { directory: 'oidc', group: 'operators', grants: [{ role: 'operator' }] } as const;
    await access.accounts.putGroup('operators', { ...body, grants: [...body.grants] }, owner);
    const signIn = async (id: string) => {
      const { url, attempt } = await access.directories.startOidc('/trends');
      const back = await signInAtProvider(url, id, callback);
      const { user, returnTo } = await access.directories.finishOidc(back.searchParams, attempt);
      assert.equal(returnTo, '/trends');
      return access.begin(user, {});
    };
    return { access, provider, signIn };
  }

  test('may do what their groups are granted', async (t) => {
    const { access, signIn } = await setUp(t);
    const anna = await callerOf(access, signIn('id-1'));
    assert.equal(anna.author, 'anna');
    assert.ok(anna.rights.everywhere('write'));
    assert.equal(access.accounts.user('anna', owner).origin, 'oidc');
  });

  test('are refused where the name is another person’s, a local user’s, no name, reserved, or without a role', async (t) => {
    const { access, signIn } = await setUp(t);
    await signIn('id-1');
    await assert.rejects(signIn('id-2'), refused('sign-in-refused', /another person/));
    await assert.rejects(signIn('id-3'), refused('sign-in-refused', /there is a user root already who is local/));
    await assert.rejects(signIn('id-4'), refused('sign-in-refused', /cannot be the name of a user/));
    await assert.rejects(signIn('id-5'), refused('sign-in-refused', /in no group that has a role/));
    await assert.rejects(signIn('id-6'), refused('sign-in-refused', /reserved/));
    assert.deepEqual(
      access.accounts
        .users(owner)
        .map(({ name }) => name)
        .toSorted(),
      ['anna', 'root'],
    );
  });

  test('cannot sign in with a password', async (t) => {
    const { access, signIn } = await setUp(t);
    await signIn('id-1');
    await assert.rejects(access.signIn({ user: 'anna', password: 'any' }, {}), refused('wrong-credentials'));
  });

  test('cannot sign in while the provider is down, which is said; local users can', async (t) => {
    const { access, provider } = await setUp(t);
    await provider.halt();
    await assert.rejects(access.directories.startOidc('/'), refused('directory-unavailable'));
    await access.signIn({ user: administrator.name, password: administrator.password }, {});
    await provider.again();
  });
});

test('without directories nobody is asked, and nothing of OpenID Connect is there', async () => {
  const access = await closedAccess();
  assert.ok(!access.directories.hasLdap && !access.directories.hasOidc);
  await assert.rejects(access.signIn({ user: 'anna', password: 'x' }, {}), refused('wrong-credentials'));
  await assert.rejects(access.directories.startOidc('/'), refused('unknown-path'));
  await assert.rejects(access.directories.finishOidc(new URLSearchParams(), undefined), refused('unknown-path'));
});
