import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch } from '@telltale/schema';
import { ServedPoints } from './served-points.ts';

test('a measurement and a command of the same name keep each its own value when the points change', () => {
  const points = new ServedPoints();
  const point = (id: number) => ({ id, name: 'speed', address: `${id}`, datatype: 'd' as const, properties: {} });
  const set = () => points.setPoints({ measurements: [point(1)], commands: [{ ...point(2), last: undefined }] });
  set();
  const batch = new Batch();
  batch.number(1, 20, 0xc0, 1);
  batch.number(2, 50, 0xc0, 1);
  points.take(batch);
  set();
  assert.deepEqual(
    points.all.map(({ isCommand, value }) => [isCommand, value]),
    [
      [false, 20],
      [true, 50],
    ],
  );
});
