import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isInOrder, sortByTime } from './time-order.ts';

test('positions come into the order of their times, and those of the same time stay as they are', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 300 }), fc.nat(20), (values, from) => {
      const times = Float64Array.from(values);
      const order = Uint32Array.from({ length: from + values.length }, (_, at) => Math.max(0, at - from));
      for (const _ of sortByTime(order, from, order.length, times));
      const expected = [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b);
      assert.deepEqual([...order.subarray(from)], expected);
      assert.ok(isInOrder(order, from, order.length, times));
    }),
  );
});

test('a long sort gives others a turn', () => {
  const count = 50_000;
  const times = Float64Array.from({ length: count }, (_, at) => count - at);
  const order = Uint32Array.from({ length: count }, (_, at) => at);
  let turns = 0;
  for (const _ of sortByTime(order, 0, count, times)) turns++;
  assert.ok(turns > 10);
  assert.ok(order.every((at, index) => at === count - 1 - index));
});
