import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServingTurns, type Waiting } from './serving-turns.ts';

/** Whose work takes as long as it says. */
function setUp() {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const done: string[] = [];
  const worker = (name: string, count: number, eachMs: number): Waiting & { left: number } => ({
    usedMs: 0,
    left: count,
    next() {
      clock.nowMs += eachMs;
      done.push(name);
      return --this.left > 0;
    },
  });
  const turns = new ServingTurns(clock);
  return { clock, done, worker, turns };
}

test('what takes longer than a slice goes on in the next turn of the event loop', async () => {
  const { done, worker, turns } = setUp();
  turns.join(worker('a', 10, 0.5));
  assert.deepEqual(done, []);
  await nextTurn();
  assert.equal(done.length, 2);
  await nextTurn();
  assert.equal(done.length, 4);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  assert.equal(done.length, 10);
});

test('who asks once in a while goes before those that never stop', async () => {
  const { done, worker, turns } = setUp();
  turns.join(worker('greedy', 1000, 1));
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  turns.join(worker('now and then', 1, 1));
  await nextTurn();
  await nextTurn();
  assert.ok(done.slice(-2).includes('now and then'), String(done.slice(-4)));
});

test('time is shared evenly, whether requests are many or expensive', async () => {
  const { done, worker, turns } = setUp();
  turns.join(worker('many', 1_000_000, 0.1));
  turns.join(worker('expensive', 1_000_000, 5));
  for (let turn = 0; turn < 500; turn++) await nextTurn();
  const spentMs = (name: string, eachMs: number) => eachMs * done.filter((each) => each === name).length;
  const [many, expensive] = [spentMs('many', 0.1), spentMs('expensive', 5)];
  assert.ok(Math.abs(many - expensive) <= 10, `${many} ms and ${expensive} ms`);
});

test('one that has paused has saved nothing up', async () => {
  const { done, worker, turns } = setUp();
  turns.join(worker('always', 1_000_000, 1));
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  turns.join(worker('late', 1_000_000, 1));
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  const late = done.slice(-100).filter((each) => each === 'late').length;
  assert.ok(late >= 45 && late <= 55, `${late} of 100`);
});

test('where everybody else is late, one piece of work is done in a turn', async () => {
  const { clock, done, worker, turns } = setUp();
  turns.join(worker('a', 1_000_000, 0.125));
  await nextTurn();
  const usual = done.length;
  assert.equal(usual, 8);
  clock.nowMs += 50; // a connector was busy
  await nextTurn();
  assert.equal(done.length, usual + 1);
});

test('who has left gets no turn', async () => {
  const { done, worker, turns } = setUp();
  const gone = worker('gone', 100, 0.1);
  turns.join(gone);
  turns.leave(gone);
  await nextTurn();
  assert.deepEqual(done, []);
});

test('steps are carried out in turns, until they are done, fail or are aborted', async () => {
  const { clock, turns } = setUp();
  let steps = 0;
  function* work(count: number) {
    for (let step = 0; step < count; step++) {
      clock.nowMs += 1;
      steps++;
      yield;
    }
  }
  await turns.run(work(10));
  assert.equal(steps, 10);
  function* failing() {
    yield;
    throw new Error('it cannot');
  }
  await assert.rejects(turns.run(failing()), /it cannot/);
  const ending = new AbortController();
  const running = turns.run(work(1_000_000), ending.signal);
  await nextTurn();
  ending.abort();
  await running;
  assert.ok(steps < 1000);
});

test('work that waits in between has a turn for each of its pieces, and others go before it', async () => {
  const { clock, done, worker, turns } = setUp();
  const work = async () => {
    const nextPiece = turns.pieces();
    for (let each = 0; each < 3; each++) {
      await nextPiece();
      clock.nowMs += 5;
      done.push('in pieces');
    }
  };
  const worked = work();
  turns.join(worker('other', 10, 0.5));
  await worked;
  assert.equal(done.filter((each) => each === 'in pieces').length, 3);
  assert.ok(done.indexOf('in pieces') < done.indexOf('other'));
  assert.equal(done.lastIndexOf('in pieces'), done.length - 1, String(done));
});
