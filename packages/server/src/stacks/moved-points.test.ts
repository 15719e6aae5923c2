import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch } from '@telltale/schema';
import { MovedPoints } from './moved-points.ts';

function told(points: MovedPoints, ids: readonly number[], given: number): number[] {
  const batch = new Batch();
  for (const id of ids) batch.number(id, id / 2, 0xc0, 1000 + id);
  const settled = points.settled(batch, given);
  const positions = Array.from({ length: settled.count }, (_, at) => at);
  for (const at of positions) {
    const id = settled.points[at] as number;
    assert.deepEqual([settled.valueAt(at), settled.qualities[at], settled.times[at]], [id / 2, 0xc0, 1000 + id]);
  }
  return positions.map((at) => settled.points[at] as number);
}

test('a point counts again when the thread has it as it is now, the others all the time', () => {
  const points = new MovedPoints();
  points.started();
  points.moved([1, 2, 3]);
  points.whole();
  assert.deepEqual(told(points, [1, 2, 3], 1), [1, 2, 3]);
  points.moved([2]);
  assert.deepEqual(told(points, [1, 2, 3], 1), [1, 3], 'it is on its way');
  points.whole();
  points.moved([3]);
  points.whole();
  assert.deepEqual(told(points, [1, 2, 3], 1), [1]);
  assert.deepEqual(told(points, [1, 2, 3], 2), [1, 2]);
  assert.deepEqual(told(points, [1, 2, 3], 3), [1, 2, 3]);
});

test('a point that is on its way when the thread has all before it still waits', () => {
  const points = new MovedPoints();
  points.whole();
  points.moved([1]);
  points.whole();
  points.moved([2]);
  assert.deepEqual(told(points, [1, 2], 2), [1]);
  points.whole();
  assert.deepEqual(told(points, [1, 2], 2), [1]);
  assert.deepEqual(told(points, [1, 2], 3), [1, 2]);
});

test('one that is started anew goes on with the points that it had, and counts from the start', () => {
  const points = new MovedPoints();
  points.whole();
  points.moved([1]);
  points.started();
  assert.deepEqual(told(points, [1, 2], 0), [1, 2]);
  points.moved([1]);
  points.whole();
  assert.deepEqual(told(points, [1, 2], 0), [2]);
  assert.deepEqual(told(points, [1, 2], 1), [1, 2]);
});
