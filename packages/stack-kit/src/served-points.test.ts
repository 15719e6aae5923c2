import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch, quality } from '@telltale/schema';
import { ServedPoints } from './served-points.ts';

test('a command that was never written has no value, and no older one', () => {
  const points = new ServedPoints();
  const command = { id: 2, name: 'speed', address: 'a', datatype: 'd' as const, properties: {}, last: undefined };
  points.setPoints({ measurements: [{ ...command, id: 1 }], commands: [command] });
  const publish = (fill: (batch: Batch) => void) => {
    const batch = new Batch();
    fill(batch);
    points.take(batch);
  };
  for (const id of [1, 2]) publish((batch) => batch.number(id, 5, quality.good, 7));
  for (const id of [1, 2]) publish((batch) => batch.number(id, 0, quality.bad.notConnected, 0));
  assert.deepEqual(
    points.all.map(({ value }) => value),
    [0, undefined],
  );
});

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
