import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '@telltale/schema/testing';
import { RequestMeter } from '../link/index.ts';
import { ServedClients } from './served-clients.ts';
import { ServedMessages } from './served-messages.ts';
import { ServingTurns } from './serving-turns.ts';

function setUp({ aClient = 100, inAll = 1000 } = {}) {
  const clock = new ManualClock();
  const meter = new RequestMeter(() => clock.monotonicMs());
  const turns = new ServingTurns(clock);
  const variables = { maxClientRequestsPerSecond: aClient, maxRequestsPerSecond: inAll };
  const clients = new ServedClients({ clock, turns, meter, variables });
  const taken: string[] = [];
  const messages = new ServedMessages<string>({ clients, take: (message) => taken.push(message) });
  /** The time stands still meanwhile: so all that may be done is done in one turn. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 5) {
      clock.advance(5);
      await nextTurn();
      await nextTurn();
    }
  };
  return { clock, messages, taken, counts: meter.counts, pass };
}

test('messages are carried out in their order, each once', async () => {
  const { messages, taken, counts, pass } = setUp();
  for (let each = 0; each < 50; each++) assert.equal(messages.hear('a', `a${each}`, 100), true);
  await pass(5);
  assert.deepEqual(
    taken,
    Array.from({ length: 50 }, (_, each) => `a${each}`),
  );
  assert.deepEqual([counts.requests, counts.held, counts.unread], [50, 0, 0]);
});

test('one that sends more than it may waits, and others do not', async () => {
  const { messages, taken, counts, pass } = setUp();
  for (let each = 0; each < 150; each++) messages.hear('greedy', 'greedy', 100);
  messages.hear('other', 'other', 100);
  await pass(5);
  assert.ok(taken.includes('other'));
  assert.ok(taken.length >= 101 && taken.length <= 103, `${taken.length} at once`);
  assert.ok(counts.held > 0);
  await pass(300);
  assert.ok(taken.length > 120 && taken.length < 140, `${taken.length} after 0.3 s`);
});

test('all together are bounded, and take turns', async () => {
  const { messages, taken, pass } = setUp({ aClient: 1000, inAll: 100 });
  for (let each = 0; each < 1000; each++) for (const name of ['a', 'b']) messages.hear(name, name, 100);
  await pass(500);
  const share = taken.filter((each) => each === 'a').length / taken.length;
  assert.ok(taken.length >= 140 && taken.length <= 160, `${taken.length} in 0.5 s`);
  assert.ok(share > 0.4 && share < 0.6, `${share}`);
});

test('what finds no room is counted, and there is room for others', async () => {
  const { messages, taken, counts, pass } = setUp();
  let stored = 0;
  for (let sender = 0; sender < 8; sender++) {
    for (let each = 0; each < 20_000; each++) if (messages.hear(`greedy${sender}`, 'greedy', 1000)) stored++;
  }
  assert.equal(counts.unread, 8 * 20_000 - stored);
  assert.ok(stored > 1000 && stored < 5000, `${stored} stored`);
  assert.equal(messages.hear('other', 'other', 1000), true);
  await pass(5);
  assert.ok(taken.includes('other'));
});

test('what has waited for more than 2 s is not carried out any more, but counted', async () => {
  const { messages, taken, counts, pass } = setUp({ aClient: 10 });
  for (let each = 0; each < 100; each++) messages.hear('a', 'a', 100);
  await pass(4000);
  assert.ok(taken.length >= 28 && taken.length <= 32, `${taken.length} carried out`);
  assert.equal(taken.length + counts.unread, 100);
});

test('very many senders are not all remembered', async () => {
  const { messages, taken, counts, pass } = setUp({ inAll: 10_000 });
  for (let sender = 0; sender < 3000; sender++) {
    messages.hear(`sender ${sender}`, 'hello', 100);
    if (sender % 100 === 0) await pass(5);
  }
  await pass(100);
  assert.equal(taken.length + counts.unread, 3000);
  assert.ok(taken.length > 2000);
});

test('what is stored when it ends is thrown away', async () => {
  const { messages, taken, pass } = setUp();
  messages.hear('a', 'a', 100);
  messages.close();
  await pass(50);
  assert.deepEqual(taken, []);
});
