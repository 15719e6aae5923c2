import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StackPoint } from '@telltale/stack-kit';
import { StackPointsFeed } from './stack-points.ts';

function setUp() {
  const said: string[] = [];
  const feed = new StackPointsFeed({
    putPoints: (role, name, { measurements, commands }) =>
      said.push(`${role} ${name} put ${measurements.length} ${commands.length}`),
    removePoints: (role, name, { measurements, commands }) =>
      said.push(`${role} ${name} remove ${measurements} ${commands}`),
    pointsDone: (role, name) => said.push(`${role} ${name} done`),
  });
  return { feed, said };
}

const point = (id: number): StackPoint => ({ id, name: `p${id}`, address: '', datatype: 'd', properties: {} });

test('what goes is said before what comes, and then that it was all', () => {
  const { feed, said } = setUp();
  feed.putMeasurement('connector', 'c', point(1));
  feed.remove('connector', 'c', 'measurements', 1);
  feed.putCommand('connector', 'c', { ...point(2), last: undefined });
  feed.remove('provider', 'c', 'commands', 9);
  feed.touch('connector', 'idle');
  assert.deepEqual(
    feed.done().map(({ role, name }) => `${role} ${name}`),
    ['connector c', 'provider c', 'connector idle'],
  );
  assert.deepEqual(said, [
    'connector c remove 1 ',
    'connector c put 1 1',
    'connector c done',
    'provider c remove  9',
    'provider c done',
    'connector idle done',
  ]);
  said.length = 0;
  assert.deepEqual([feed.done(), said], [[], []]);
});

test('many points go in slices', () => {
  const { feed, said } = setUp();
  for (let id = 0; id < 1200; id++) feed.putMeasurement('connector', 'c', point(id));
  feed.done();
  assert.deepEqual(said, [...[500, 500, 200].map((count) => `connector c put ${count} 0`), 'connector c done']);
});

test('one that is forgotten is told nothing', () => {
  const { feed, said } = setUp();
  feed.putMeasurement('connector', 'c', point(1));
  feed.forget('connector', 'c');
  assert.deepEqual([feed.done(), said], [[], []]);
});
