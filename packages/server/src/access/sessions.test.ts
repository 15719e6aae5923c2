// Promises of sessions: how long they act, how long they view, and when they end.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { closedAccess, type MemoryAccess } from '../../test/memory-access.ts';
import { cookieName } from './access.ts';
import { type Caller, nobody, ownerCaller } from './caller.ts';

const [minute, hour] = [60_000, 3_600_000];
let clock: ManualClock;
let access: MemoryAccess;

beforeEach(async () => {
  clock = new ManualClock();
  access = await closedAccess({ clock });
  await access.accounts.putUser('olga', { grants: [{ role: 'operator' }] }, ownerCaller);
});

async function begin(before?: string): Promise<{ cookie: string; caller: Caller }> {
  const cookie = await access.sessions.begin('olga', undefined, before);
  return { cookie, caller: find(cookie) };
}

const find = (cookie: string) => access.identify({ cookie: `${cookieName}=${cookie}` });
/** Whether it acts, views, or is over. */
const stateOf = ({ rights }: Caller) => (rights.has('write') ? 'acts' : rights.has('view') ? 'views' : 'over');

describe('a session', () => {
  test('acts until it was idle for as long as its role says, then views, until its user signs in anew', async () => {
    const { cookie, caller } = await begin();
    clock.advance(29 * minute);
    caller.used?.();
    clock.advance(29 * minute);
    assert.equal(stateOf(caller), 'acts');
    clock.advance(2 * minute);
    assert.equal(stateOf(caller), 'views');
    caller.used?.(); // to look is no reason to act again
    assert.equal(stateOf(find(cookie)), 'views');
    assert.deepEqual(
      access.sessions.list('olga').map(({ mode }) => mode),
      ['view'],
    );
    const anew = await begin(cookie);
    assert.equal(stateOf(anew.caller), 'acts');
    assert.deepEqual([stateOf(caller), find(cookie)], ['over', nobody]);
  });

  test('of who is disabled is over, and stays so when the user is enabled again', async () => {
    const { cookie, caller } = await begin();
    const grants = [{ role: 'operator' }];
    await access.putUser('olga', { grants, disabled: true }, ownerCaller);
    assert.deepEqual([stateOf(caller), find(cookie)], ['over', nobody]);
    await access.putUser('olga', { grants }, ownerCaller);
    assert.deepEqual([stateOf(caller), find(cookie)], ['over', nobody]);
  });

  test('that is used all the time views after the longest time of its role, and is over after 30 days', async () => {
    const { cookie, caller } = await begin();
    for (let passed = 0; passed < 12 * hour; passed += 20 * minute) {
      caller.used?.();
      assert.equal(stateOf(caller), 'acts');
      clock.advance(20 * minute);
    }
    clock.advance(1);
    caller.used?.();
    assert.equal(stateOf(caller), 'views');
    clock.advance(30 * 24 * hour);
    assert.deepEqual([stateOf(caller), find(cookie)], ['over', nobody]);
  });

  test('has the shortest times of several roles', async () => {
    const grants = [{ role: 'operator' }, { role: 'administrator' }];
    await access.accounts.putUser('olga', { grants }, ownerCaller);
    const { caller } = await begin();
    clock.advance(14 * minute);
    assert.equal(stateOf(caller), 'acts');
    clock.advance(2 * minute);
    assert.equal(stateOf(caller), 'views');
  });

  test('unused for longest ends where a person begins one too many; others of the person go on', async () => {
    const first = await begin();
    const others: Caller[] = [];
    for (let count = 1; count < 20; count++) {
      clock.advance(1000);
      others.push((await begin()).caller);
    }
    assert.equal(stateOf(first.caller), 'acts');
    clock.advance(1000);
    await begin();
    assert.equal(stateOf(first.caller), 'over');
    assert.deepEqual(new Set(others.map(stateOf)), new Set(['acts']));
  });

  test('has a cookie of its own of 32 random bytes, which no list shows', async () => {
    const [one, other] = [await begin(), await begin()];
    assert.notEqual(one.cookie, other.cookie);
    assert.equal(Buffer.from(one.cookie, 'base64url').length, 32);
    assert.ok(!JSON.stringify(access.sessions.list()).includes(one.cookie));
  });
});
