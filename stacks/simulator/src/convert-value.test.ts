import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch, quality } from '@telltale/schema';
import { putNumberAs, putValueAs } from './convert-value.ts';

test('a value that does not fit is bad, sensor failure, and carries none; the next one is good again', () => {
  const batch = new Batch();
  const put = putValueAs('i');
  for (const value of [7, 7.5, 8n]) put(batch, 1, value, quality.good, 5);
  assert.deepEqual(
    [0, 1, 2].map((at) => batch.valueAt(at)),
    [7, undefined, 8],
  );
  assert.deepEqual([...batch.qualities.slice(0, 3)], [0xc0, 0x10, 0xc0]);
});

test('what a function makes is rounded for the datatype, and never a negative zero', () => {
  const batch = new Batch();
  for (const datatype of ['i', 'q', 'b', 'l', 'f', 'd'] as const) putNumberAs(datatype)(batch, 1, 0.6, 5);
  putNumberAs('i')(batch, 1, -0.2, 5);
  const values = Array.from({ length: batch.count }, (_, at) => batch.valueAt(at));
  assert.deepEqual(values, [1, 1, 1, 1n, Math.fround(0.6), 0.6, 0]);
});
