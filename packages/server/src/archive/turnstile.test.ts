import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turnstile } from './turnstile.ts';

const limits = { inside: 2, insideOfClient: 2, waiting: 6, waitingOfClient: 4 };

test('clients take turns, whoever asked first and for however much', async () => {
  const turnstile = new Turnstile({ ...limits, inside: 1 }, 'queries');
  const order: string[] = [];
  const visit = async (client: string) => {
    const leave = await turnstile.enter(client);
    order.push(client);
    assert.equal(turnstile.inside, 1);
    leave();
    leave(); // twice is once
  };
  const first = await turnstile.enter('greedy');
  const visits = ['greedy', 'greedy', 'greedy', 'quiet', 'other', 'quiet'].map(visit);
  assert.deepEqual([turnstile.inside, turnstile.waiting], [1, 6]);
  first();
  await Promise.all(visits);
  assert.deepEqual(order, ['greedy', 'quiet', 'other', 'greedy', 'quiet', 'greedy']);
  assert.deepEqual([turnstile.inside, turnstile.waiting], [0, 0]);
});

test('a client with all that it may have inside leaves room for others', async () => {
  const turnstile = new Turnstile({ ...limits, inside: 3 }, 'queries');
  await turnstile.enter('greedy');
  await turnstile.enter('greedy');
  turnstile.enter('greedy');
  assert.deepEqual([turnstile.inside, turnstile.waiting], [2, 1]);
  await turnstile.enter('quiet');
  assert.deepEqual([turnstile.inside, turnstile.waiting], [3, 1]);
});

test('what is too much to wait, of a client and in all, is refused and counted', async () => {
  const turnstile = new Turnstile(limits, 'queries');
  for (let at = 0; at < 6; at++) turnstile.enter('greedy');
  assert.deepEqual([turnstile.inside, turnstile.waiting], [2, 4]);
  await assert.rejects(turnstile.enter('greedy'), { problem: 'overloaded' });
  turnstile.enter('quiet');
  turnstile.enter('quiet');
  await assert.rejects(turnstile.enter('quiet'), { problem: 'overloaded' });
  assert.deepEqual([turnstile.inside, turnstile.waiting, turnstile.refused], [2, 6, 2]);
});

test('who gives up while it waits takes nobody’s place', async () => {
  const turnstile = new Turnstile({ ...limits, inside: 1 }, 'queries');
  const leave = await turnstile.enter('one');
  const leaving = new AbortController();
  const given = turnstile.enter('two', leaving.signal);
  const third = turnstile.enter('three');
  leaving.abort(new Error('gone'));
  await assert.rejects(given, /gone/);
  await assert.rejects(turnstile.enter('two', leaving.signal), /gone/);
  leave();
  (await third)();
  assert.deepEqual([turnstile.inside, turnstile.waiting], [0, 0]);
});
