import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turnstile } from './turnstile.ts';

const limits = { inside: 2, insideOfConnection: 2, queued: 8, queuedOfConnection: 4 };

/** On its only connection. */
const one = (client: string) => ({ client });

test('clients take turns, whoever asked first and for however much', async () => {
  const turnstile = new Turnstile({ ...limits, inside: 1 }, 'queries');
  const order: string[] = [];
  const visit = async (client: string) => {
    const leave = await turnstile.enter(one(client));
    order.push(client);
    assert.equal(turnstile.inside, 1);
    leave();
    leave(); // twice is once
  };
  const first = await turnstile.enter(one('greedy'));
  const visits = ['greedy', 'greedy', 'greedy', 'quiet', 'other', 'quiet'].map(visit);
  assert.deepEqual([turnstile.inside, turnstile.queued], [1, 6]);
  first();
  await Promise.all(visits);
  assert.deepEqual(order, ['greedy', 'quiet', 'other', 'greedy', 'quiet', 'greedy']);
  assert.deepEqual([turnstile.inside, turnstile.queued], [0, 0]);
});

test('a client with all that it may have inside leaves room for others', async () => {
  const turnstile = new Turnstile({ ...limits, inside: 3 }, 'queries');
  await turnstile.enter(one('greedy'));
  await turnstile.enter(one('greedy'));
  turnstile.enter(one('greedy'));
  assert.deepEqual([turnstile.inside, turnstile.queued], [2, 1]);
  await turnstile.enter(one('quiet'));
  assert.deepEqual([turnstile.inside, turnstile.queued], [3, 1]);
});

test('what is too much to wait, of a client and in all, is refused and counted', async () => {
  const turnstile = new Turnstile(limits, 'queries');
  for (let at = 0; at < 6; at++) turnstile.enter(one('greedy'));
  assert.deepEqual([turnstile.inside, turnstile.queued], [2, 4]);
  await assert.rejects(turnstile.enter(one('greedy')), { problem: 'overloaded' });
  for (let at = 0; at < 4; at++) turnstile.enter(one('quiet'));
  await assert.rejects(turnstile.enter(one('another')), { problem: 'overloaded' });
  assert.deepEqual([turnstile.inside, turnstile.queued, turnstile.refused], [2, 8, 2]);
});

test('a client has one turn, on however many connections, which take turns within it', async () => {
  const turnstile = new Turnstile({ ...limits, inside: 1 }, 'queries');
  const order: string[] = [];
  const visit = async ([client, connection]: string) => {
    const leave = await turnstile.enter({ client, connection });
    order.push(`${client}${connection}`);
    leave();
  };
  const first = await turnstile.enter({ client: 'x' });
  const visits = ['a1', 'a1', 'a2', 'a3', 'b1', 'b1'].map(visit);
  first();
  await Promise.all(visits);
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'b1', 'a3', 'a1']);
});

test('a client on however many connections leaves a quarter of the places to others', async () => {
  const turnstile = new Turnstile({ ...limits, inside: 8 }, 'queries');
  let refused = 0;
  for (let connection = 0; connection < 100; connection++) {
    turnstile.enter({ client: 'greedy', connection }).catch(() => refused++);
  }
  assert.deepEqual([turnstile.inside, turnstile.queued], [6, 6]);
  for (let connection = 0; connection < 4; connection++) turnstile.enter({ client: 'quiet', connection });
  assert.deepEqual([turnstile.inside, turnstile.queued], [8, 8]);
  await Promise.resolve();
  assert.equal(refused, 88);
});

test('who gives up while it waits takes nobody’s place', async () => {
  const turnstile = new Turnstile({ ...limits, inside: 1 }, 'queries');
  const leave = await turnstile.enter(one('one'));
  const leaving = new AbortController();
  const given = turnstile.enter(one('two'), leaving.signal);
  const third = turnstile.enter(one('three'));
  leaving.abort(new Error('gone'));
  await assert.rejects(given, /gone/);
  await assert.rejects(turnstile.enter(one('two'), leaving.signal), /gone/);
  leave();
  (await third)();
  assert.deepEqual([turnstile.inside, turnstile.queued], [0, 0]);
});

test('who is let in by the event that ends it as well does not stay', async () => {
  const turnstile = new Turnstile({ ...limits, inside: 1 }, 'queries');
  const leaving = new AbortController();
  const leave = await turnstile.enter(one('one'));
  leaving.signal.addEventListener('abort', leave);
  const given = turnstile.enter(one('two'), leaving.signal);
  leaving.abort(new Error('gone'));
  await assert.rejects(given, /gone/);
  assert.deepEqual([turnstile.inside, turnstile.queued], [0, 0]);
});
