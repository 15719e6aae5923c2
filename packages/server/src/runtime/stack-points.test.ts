import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StackPoint } from '@telltale/stack-kit';
import { StackPointsFeed } from './stack-points.ts';

/** `isRunning`: whether the connectors and providers have been started. */
function setUp(isRunning = true) {
  const said: string[] = [];
  const feed = new StackPointsFeed({
    has: () => isRunning,
    putPoints: (role, name, { measurements, commands }) =>
      said.push(`${role} ${name} put ${JSON.parse(measurements).length} ${commands.length}`),
    dropPoints: (role, name) => said.push(`${role} ${name} drop`),
    pointsDone: (role, name, gone) =>
      said.push(`${role} ${name} done without ${gone?.measurements} and ${gone?.commands}`),
  });
  return { feed, said };
}

const point = (id: number): StackPoint => ({ id, name: `p${id}`, address: '', datatype: 'd', properties: {} });

test('what comes is said, and then that it was all, and what went', () => {
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
    'connector c put 1 1',
    'connector c done without 1 and ',
    'provider c done without  and 9',
    'connector idle done without  and ',
  ]);
  said.length = 0;
  assert.deepEqual([feed.done(), said], [[], []]);
});

for (const isRunning of [true, false]) {
  test(`many points go in slices, ${isRunning ? 'ahead' : 'after the start where it is yet to come'}`, () => {
    const { feed, said } = setUp(isRunning);
    for (let id = 0; id < 1200; id++) feed.putMeasurement('connector', 'c', point(id));
    assert.equal(said.length, isRunning ? 2 : 0);
    feed.done();
    const slices = [500, 500, 200].map((count) => `connector c put ${count} 0`);
    assert.deepEqual(said, [...slices, 'connector c done without  and ']);
  });
}

test('what is dropped neither comes nor goes', () => {
  const { feed, said } = setUp();
  feed.putMeasurement('connector', 'c', point(1));
  feed.remove('connector', 'c', 'measurements', 2);
  feed.drop();
  assert.deepEqual([feed.done(), said], [[], ['connector c drop']]);
});

test('one that is forgotten is sent nothing', () => {
  const { feed, said } = setUp();
  feed.putMeasurement('connector', 'c', point(1));
  feed.forget('connector', 'c');
  assert.deepEqual([feed.done(), said], [[], []]);
});
