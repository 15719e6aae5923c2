// Promises of who asks: whatever is known of a credential, it holds for as long as it does, and not a request longer.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { closedAccess, type MemoryAccess } from '../../test/memory-access.ts';
import { cookieName } from './access.ts';
import { type Caller, ownerCaller } from './caller.ts';

let clock: ManualClock;
let access: MemoryAccess;
let caller: Caller;
let cookie: string;
beforeEach(async () => {
  clock = new ManualClock();
  access = await closedAccess({ clock });
  await access.accounts.putUser('anna', { grants: [{ role: 'operator' }] }, ownerCaller);
  cookie = `theme=dark; ${cookieName}=${await access.sessions.begin('anna', undefined)}`;
  caller = access.identify({ cookie });
});

const makeToken = async (seconds = 3600, networks?: string[]) => {
  const body = { grants: [{ role: 'operator' }], expires: clock.now() / 1e6 + seconds, ...(networks && { networks }) };
  return `Bearer ${await access.tokens.make('t', body, caller)}`;
};

/** Twice: the second time it is known. */
function knows(credentials: Parameters<MemoryAccess['identify']>[0], author: string): Caller {
  const found = access.identify(credentials);
  assert.equal(found.author, author);
  assert.equal(access.identify(credentials), found);
  return found;
}

const refuses = (authorization: string, source?: string) =>
  assert.throws(() => access.identify({ authorization, source }), { problem: 'invalid-token' });

describe('a token that was used', () => {
  test('is refused from the moment on at which it is deleted, or its owner is', async () => {
    const authorization = await makeToken();
    const found = knows({ authorization }, 'token/t');
    await access.tokens.delete('t');
    refuses(authorization);
    assert.ok(!found.rights.has('view'));
    const other = await makeToken();
    knows({ authorization: other }, 'token/t');
    await access.deleteUser('anna', ownerCaller);
    refuses(other);
  });

  test('ends when it expires, whether or not anything else happens', async () => {
    const authorization = await makeToken(60);
    knows({ authorization }, 'token/t');
    clock.advance(59_000);
    knows({ authorization }, 'token/t');
    clock.advance(1_000);
    refuses(authorization);
  });

  test('is looked at by where it comes from each time', async () => {
    const authorization = await makeToken(60, ['10.0.0.0/8']);
    knows({ authorization, source: '10.1.2.3' }, 'token/t');
    refuses(authorization, '192.168.0.1');
    refuses(authorization);
    knows({ authorization, source: '10.1.2.3' }, 'token/t');
  });

  test('may do what its owner may by now', async () => {
    const authorization = await makeToken();
    const { rights } = knows({ authorization }, 'token/t');
    assert.ok(rights.has('write'));
    await access.accounts.putUser('anna', { grants: [{ role: 'viewer' }] }, ownerCaller);
    const now = access.identify({ authorization }).rights;
    assert.deepEqual([now.has('view'), now.has('write')], [true, false]);
    await access.accounts.putUser('anna', { grants: [{ role: 'operator' }], disabled: true }, ownerCaller);
    refuses(authorization);
    await access.accounts.putUser('anna', { grants: [{ role: 'operator' }] }, ownerCaller);
    knows({ authorization }, 'token/t');
  });

  test('of a function module is refused when its run is over', () => {
    const token = access.modules.issue('loop', 'a*');
    knows({ authorization: `Bearer ${token}` }, 'module/loop');
    access.modules.revoke(token);
    refuses(`Bearer ${token}`);
  });
});

test('one person makes 200 tokens at most: others can make theirs', async () => {
  const body = { grants: [{ role: 'operator' }], expires: clock.now() / 1e6 + 3600 };
  for (let count = 0; count < 200; count++) await access.tokens.make(`t${count}`, body, caller);
  await assert.rejects(access.tokens.make('more', body, caller), { problem: 'too-many-requests' });
  await access.accounts.putUser('bert', { grants: [{ role: 'operator' }] }, ownerCaller);
  const bert = access.sessions.find(await access.sessions.begin('bert', undefined)) as Caller;
  await access.tokens.make('of_bert', body, bert);
  await access.tokens.delete('t0');
  await access.tokens.make('more', body, caller);
});

describe('a password that is replaced while somebody signs in with it', () => {
  const signIn = async (meanwhile: () => Promise<void>) => {
    let isMeanwhile = false;
    access = await closedAccess({
      clock,
      passwords: {
        hash: (password) => Promise.resolve(password),
        verify: async (password, hash) => {
          if (isMeanwhile) await meanwhile();
          return password === hash;
        },
        needsRehash: () => true,
        faultOf: () => undefined,
      },
    });
    isMeanwhile = true;
    return access.signIn({ user: 'root', password: 'the administrator' }, {});
  };

  test('begins no session; one that is only hashed anew does', async () => {
    const replaced = signIn(() => access.setPassword('root', 'another one', { manager: ownerCaller }));
    await assert.rejects(replaced, { problem: 'wrong-credentials' });
    assert.deepEqual(access.sessions.list('root'), []);
    const { cookie: begun } = await signIn(() => Promise.resolve());
    assert.equal(access.sessions.find(begun)?.author, 'root');
  });
});

describe('a session that was used', () => {
  test('is nobody from the moment on at which it ends, by whatever way', async () => {
    const other = `${cookieName}=${await access.sessions.begin('anna', undefined)}`;
    knows({ cookie: other }, 'anna');
    await access.sessions.endById(caller.session ?? '');
    assert.equal(access.identify({ cookie }).kind, 'nobody');
    knows({ cookie: other }, 'anna');
    await access.setPassword('anna', 'three dogs on a roof', { manager: ownerCaller });
    assert.equal(access.identify({ cookie: other }).kind, 'nobody');
    clock.advance(1000);
    const last = `${cookieName}=${await access.sessions.begin('anna', undefined)}`;
    knows({ cookie: last }, 'anna');
    clock.advance(31 * 24 * 3600_000);
    assert.equal(access.identify({ cookie: last }).kind, 'nobody');
  });

  test('is nobody where the header has two of the cookie', () => {
    knows({ cookie }, 'anna');
    assert.equal(access.identify({ cookie: `${cookie}; ${cookieName}=other` }).kind, 'nobody');
  });
});

test("signing in compiles nobody's rights anew; what changes them does", async () => {
  const { version } = access.accounts;
  await access.signIn({ user: 'root', password: 'the administrator' }, {});
  assert.equal(access.accounts.version, version);
  assert.equal(access.accounts.user('root', ownerCaller).lastSignIn, Math.floor(clock.now() / 1e6));
  const { rights } = caller;
  await access.accounts.putUser('anna', { grants: [{ role: 'operator' }], displayName: 'Anna' }, ownerCaller);
  assert.equal(caller.rights, rights);
  for (const change of [
    () => access.accounts.putUser('anna', { grants: [{ role: 'viewer' }] }, ownerCaller),
    () => access.accounts.putUser('anna', { grants: [{ role: 'viewer' }], disabled: true }, ownerCaller),
    () => access.accounts.putRole('viewer', { permissions: ['view', 'diagnose'] }, ownerCaller),
    () => access.accounts.noteUser('anna', { absent: true }),
    () => access.accounts.noteUser('anna', { factors: { totp: { secret: 'A', lastStep: 0 } } }),
    () => access.accounts.deleteUser('anna', ownerCaller),
  ]) {
    const before = access.accounts.version;
    await change();
    assert.notEqual(access.accounts.version, before);
  }
});
