import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { Liveness } from './liveness.ts';

function bench(timeoutMs = 1000) {
  const clock = new ManualClock();
  const reported: string[] = [];
  let queries = 0;
  const liveness = new Liveness({
    clock,
    timeoutMs,
    nextQueryId: () => ++queries,
    onReady: () => reported.push('ready'),
    onSilent: (reason) => reported.push(reason),
  });
  const connect = (name: string) => liveness.connected((id) => reported.push(`${name}: query ${id}`));
  return { clock, reported, liveness, connect };
}

test('it is asked as soon as it is connected, and is ready when it first answers', () => {
  const { reported, liveness, connect } = bench();
  liveness.begin();
  connect('a');
  assert.deepEqual(reported, ['a: query 1']);
  assert.equal(liveness.answered(1), true);
  assert.deepEqual(reported, ['a: query 1', 'ready']);
});

test('one that is connected before its process is known to be there is asked then', () => {
  const { reported, liveness, connect } = bench();
  connect('a');
  assert.deepEqual(reported, []);
  liveness.begin();
  assert.deepEqual(reported, ['a: query 1']);
});

for (const [timeoutMs, pauseMs] of [
  [1000, 500],
  [50, 100],
  [60_000, 10_000],
] as const) {
  test(`with a timeout of ${timeoutMs} ms it is asked again ${pauseMs} ms after each answer`, () => {
    const { clock, reported, liveness, connect } = bench(timeoutMs);
    liveness.begin();
    connect('a');
    clock.advance(10);
    liveness.answered(1);
    clock.advance(pauseMs - 1);
    assert.deepEqual(reported, ['a: query 1', 'ready']);
    clock.advance(1);
    assert.deepEqual(reported, ['a: query 1', 'ready', 'a: query 2']);
    liveness.answered(2);
    clock.advance(pauseMs);
    assert.deepEqual(reported.at(-1), 'a: query 3');
  });
}

test('a query that is unanswered for so long is silence, reported once', () => {
  const { clock, reported, liveness, connect } = bench();
  liveness.begin();
  connect('a');
  clock.advance(999);
  assert.deepEqual(reported, ['a: query 1']);
  clock.advance(1);
  assert.deepEqual(reported, ['a: query 1', 'left a query unanswered for 1000 ms']);
  clock.advance(100_000);
  assert.equal(reported.length, 2);
});

test('no connection for so long since the start is silence', () => {
  const { clock, reported, liveness } = bench();
  clock.advance(5000);
  liveness.begin();
  clock.advance(999);
  assert.deepEqual(reported, []);
  clock.advance(1);
  assert.deepEqual(reported, ['was not connected to the channel for 1000 ms']);
});

test('no connection for so long since the last was closed is silence; one that comes back in time is asked', () => {
  const { clock, reported, liveness, connect } = bench();
  liveness.begin();
  const first = connect('a');
  liveness.answered(1);
  first.closed();
  clock.advance(999);
  const second = connect('b');
  assert.equal(reported.at(-1), 'b: query 2');
  liveness.answered(2);
  second.closed();
  clock.advance(1000);
  assert.equal(reported.at(-1), 'was not connected to the channel for 1000 ms');
});

test('an answer that comes when its connection is gone leaves the time for another one', () => {
  const { clock, reported, liveness, connect } = bench();
  liveness.begin();
  connect('a').closed();
  clock.advance(999);
  liveness.answered(1);
  clock.advance(999);
  assert.deepEqual(reported, ['a: query 1', 'ready']);
  clock.advance(1);
  assert.equal(reported.at(-1), 'was not connected to the channel for 1000 ms');
});

test('a connection that is reported to be closed twice is closed once', () => {
  const { clock, reported, liveness, connect } = bench();
  liveness.begin();
  const connection = connect('a');
  liveness.answered(1);
  connection.closed();
  clock.advance(999);
  connection.closed();
  clock.advance(1);
  assert.equal(reported.at(-1), 'was not connected to the channel for 1000 ms');
});

test('one that connects again and again, and never answers, is silent all the same', () => {
  const { clock, reported, liveness, connect } = bench();
  liveness.begin();
  for (let round = 0; round < 10; round++) {
    const connection = connect('a');
    clock.advance(100);
    connection.closed();
  }
  assert.equal(reported.at(-1), 'left a query unanswered for 1000 ms');
});

test('an answer that was read late, since the service itself was busy, is still an answer', () => {
  const { clock, reported, liveness, connect } = bench();
  liveness.begin();
  connect('a');
  clock.after(1000, () => liveness.answered(1)); // falls due together with the end of the timeout, and after it
  clock.advance(1000);
  assert.deepEqual(reported, ['a: query 1', 'ready']);
});

test('of two connections the newest is asked; when it closes, the other one is', () => {
  const { clock, reported, liveness, connect } = bench();
  liveness.begin();
  const oldest = connect('o');
  connect('a');
  liveness.answered(1);
  const newest = connect('b');
  assert.equal(reported.at(-1), 'b: query 2');
  oldest.closed();
  assert.equal(reported.length, 4);
  newest.closed();
  newest.closed();
  assert.deepEqual(reported.slice(3), ['b: query 2', 'a: query 2']);
  liveness.answered(2);
  clock.advance(500);
  assert.equal(reported.at(-1), 'a: query 3');
});

test('only the query that is open can be answered', () => {
  const { reported, liveness, connect } = bench();
  liveness.begin();
  assert.equal(liveness.answered(0), false);
  connect('a');
  assert.equal(liveness.answered(2), false);
  assert.equal(liveness.answered(Number.NaN), false);
  assert.equal(liveness.answered(1), true);
  assert.equal(liveness.answered(1), false);
  assert.deepEqual(reported, ['a: query 1', 'ready']);
});

test('without a timeout it is never asked and never silent', () => {
  const { clock, reported, liveness, connect } = bench(0);
  liveness.begin();
  connect('a').closed();
  clock.advance(1_000_000);
  assert.deepEqual(reported, []);
  assert.equal(clock.pending, 0);
});

test('another timeout holds from when it is given', () => {
  const { clock, reported, liveness, connect } = bench(0);
  liveness.begin();
  connect('a');
  liveness.setTimeoutMs(1000);
  assert.deepEqual(reported, ['a: query 1']);
  clock.advance(900);
  liveness.setTimeoutMs(200);
  clock.advance(199);
  assert.equal(reported.length, 1);
  liveness.setTimeoutMs(0);
  clock.advance(10_000);
  assert.equal(liveness.answered(1), false);
  assert.equal(reported.length, 1);
  liveness.setTimeoutMs(300);
  clock.advance(300);
  assert.equal(reported.at(-1), 'left a query unanswered for 300 ms');
});

test('after its end nothing is asked and nothing waits', () => {
  const { clock, reported, liveness, connect } = bench();
  liveness.begin();
  const connection = connect('a');
  liveness.end();
  liveness.begin();
  connect('b');
  connection.closed();
  clock.advance(10_000);
  assert.equal(liveness.answered(1), false);
  assert.deepEqual(reported, ['a: query 1']);
  assert.equal(clock.pending, 0);
});
