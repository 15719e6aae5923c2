import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Slices } from './slices.ts';

/** Holds the main thread for longer than a slice in each step, and counts the steps. */
function* heavySteps(steps: number, done: number[], number = 0): Generator<void, string> {
  for (let step = 0; step < steps; step++) {
    const begin = performance.now();
    while (performance.now() - begin < 9);
    done[number] = (done[number] ?? 0) + 1;
    yield;
  }
  return `${number} is done`;
}

function* lightSteps(steps: number, count: () => void): Generator<void, string> {
  for (let step = 0; step < steps; step++) {
    count();
    yield;
  }
  return 'done';
}

test('short work is done at once, long work begins at once and goes on in later turns', async () => {
  const slices = new Slices();
  let steps = 0;
  const count = () => steps++;
  assert.equal(slices.run(lightSteps(60, count)), 'done');
  assert.equal(steps, 60);
  const long = slices.run(lightSteps(1000, count));
  assert.ok(long instanceof Promise);
  assert.equal(steps, 60 + 64);
  assert.equal(await long, 'done');
  assert.equal(steps, 60 + 1000);
});

test('of all long work together, one has a slice in a turn, and they take turns', async () => {
  const slices = new Slices();
  const blocker = slices.next();
  const done: number[] = [];
  const works = [0, 1, 2].map((number) => slices.run(heavySteps(8, done, number)));
  assert.deepEqual(done, [4, 4, 4], 'where others wait, little is done at once');
  await blocker;
  for (const expected of [
    [5, 4, 4],
    [5, 5, 4],
    [5, 5, 5],
    [6, 5, 5],
  ]) {
    await nextTurn();
    assert.deepEqual(done, expected);
  }
  assert.deepEqual(await Promise.all(works), ['0 is done', '1 is done', '2 is done']);
});

test('work that is not wanted any more ends before its next slice', async () => {
  const slices = new Slices();
  let steps = 0;
  let isWanted = true;
  const work = slices.run(
    lightSteps(1_000_000_000, () => steps++),
    () => isWanted,
  );
  isWanted = false;
  assert.equal(await work, undefined);
  assert.equal(steps, 64);
});

test('items that are few share a slice, and an error ends the work', async () => {
  const slices = new Slices();
  const seen: number[] = [];
  await slices.each([1, 2, 3], (item) => seen.push(item));
  assert.deepEqual(seen, [1, 2, 3]);
  const fail = () => assert.fail('broken');
  await assert.rejects(slices.each([1], fail), /broken/);
  await slices.next();
});
