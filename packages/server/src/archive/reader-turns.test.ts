import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReaderTurns } from './reader-turns.ts';

test('a query that has just come has its turn next, however many go on', () => {
  const turns = new ReaderTurns();
  for (let id = 1; id <= 100; id++) turns.goOn(id);
  turns.begin(101);
  assert.deepEqual(turns.next(), { id: 101, isFirst: true });
  assert.deepEqual(turns.next(), { id: 1, isFirst: false });
  turns.goOn(1);
  turns.goOn(1);
  assert.deepEqual(turns.next(), { id: 2, isFirst: false });
  for (let id = 3; id <= 100; id++) turns.next();
  assert.deepEqual([turns.next()?.id, turns.next(), turns.isEmpty], [1, undefined, true]);
});

test('those that go on have a turn now and then, however many come', () => {
  const turns = new ReaderTurns();
  turns.goOn(1);
  for (let id = 2; id <= 30; id++) turns.begin(id);
  const order = Array.from({ length: 10 }, () => turns.next()?.id);
  assert.deepEqual(order, [2, 3, 4, 5, 6, 7, 8, 9, 1, 10]);
});

test('one that is dropped has no turn any more', () => {
  const turns = new ReaderTurns();
  turns.begin(1);
  turns.goOn(2);
  turns.drop(1);
  turns.drop(2);
  assert.equal(turns.isEmpty, true);
  assert.equal(turns.next(), undefined);
});
