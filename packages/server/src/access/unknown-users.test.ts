// Promises of signing in as somebody who is not there: it is the same work, with the same delays and the same answers, as for
// somebody who is there with a wrong password. So nobody finds out who there is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { closedAccess } from '../../test/memory-access.ts';
import { ownerCaller } from './caller.ts';
import { Passwords } from './passwords/passwords.ts';
import { presentCode } from './passwords/totp.ts';
import { recoveryName } from './stored-user.ts';

const password = 'three dogs on a roof';
/** Enough for the longest delays. */
const tries = 40;

/** Everything that happens at one try after another of the same wrong password, in the eyes of the machine and of whoever tries. */
async function guessing(user: string, isMarked = false): Promise<string[]> {
  const clock = new ManualClock();
  const work: string[] = [];
  const passwords = new Passwords(async (text, salt, parameters, bytes) => {
    work.push(`argon2id of ${text}, ${JSON.stringify(parameters)}, salt of ${salt.length}, ${bytes} bytes`);
    return Buffer.alloc(bytes, text.length);
  });
  const access = await closedAccess({ clock, passwords });
  const hash = await passwords.hash(password);
  const grants = [{ role: 'operator' }];
  const put = (name: string, more: object) => access.accounts.putUser(name, { grants, ...more }, ownerCaller, more);
  await put('anna', { password: hash });
  await put('coded', { password: hash });
  await put('disabled', { password: hash, disabled: true });
  await put('passwordless', {});
  await put('ofDirectory', { origin: 'ldap', subject: '1' });
  const { secret } = access.factors.beginTotp('coded');
  await access.factors.confirmTotp('coded', presentCode({ secret, lastStep: 0 }, clock.now()));
  await access.recover(password);
  clock.advance(5 * 3600_000);
  const { marks } = await access.signIn({ user: 'anna', password }, {});
  const cookie = isMarked ? { cookie: `__Host-telltale-known=${marks}` } : {};
  work.length = 0;
  for (let time = 0; time < tries; time++) {
    const tried = access.signIn({ user, password: 'a wrong password' }, { source: '10.0.0.9', ...cookie });
    const error = await tried.catch((refused: unknown) => refused);
    assert.ok(error instanceof ProblemError);
    work.push(`${JSON.stringify(error)} ${error.retryAfterS}`);
    clock.advance(time * 300);
  }
  return work;
}

test('whoever there is, and in whatever state, is guessed at with the same hashes, delays and answers as nobody', async () => {
  const nobody = await guessing('nobody');
  assert.ok(nobody.some((each) => each.startsWith('argon2id')) && nobody.some((each) => each.includes('Try again in')));
  for (const user of ['anna', 'coded', 'disabled', 'passwordless', 'ofDirectory', recoveryName, 'ANNA', '__proto__']) {
    assert.deepEqual(await guessing(user), nobody, user);
  }
});

test('a browser that has signed in as somebody else learns no more', async () => {
  const nobody = await guessing('nobody', true);
  for (const user of ['coded', 'disabled', 'ofDirectory']) assert.deepEqual(await guessing(user, true), nobody, user);
});
