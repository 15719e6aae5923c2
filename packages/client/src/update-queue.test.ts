import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Overrun } from './errors.ts';
import { type NamedUpdate, UpdateQueue } from './update-queue.ts';

interface Numbered extends NamedUpdate {
  readonly number: number;
}

const queueOf = (maxPending: number, conflates = true) =>
  new UpdateQueue<Numbered>({ maxPending, conflates, onEnd: () => undefined });

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');

test('every update is read or counted as skipped, in order, and the newest of each name is read', async () => {
  const reads = fc.array(fc.array(name, { maxLength: 30 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), reads, async (maxPending, bursts) => {
      const queue = queueOf(maxPending);
      let number = 0;
      let reported = 0;
      for (const burst of bursts.filter(({ length }) => length > 0)) {
        const newest = new Map<string, number>();
        for (const each of burst) {
          newest.set(each, ++number);
          queue.push({ name: each, number });
        }
        const { value } = await queue.next();
        assert.ok(value !== undefined);
        const numbers = value.updates.map((update) => update.number);
        assert.deepEqual(
          numbers,
          numbers.toSorted((a, b) => a - b),
        );
        assert.equal(value.updates.length + value.skipped, burst.length);
        if (burst.length <= maxPending) assert.equal(value.skipped, 0);
        assert.ok(value.updates.length <= Math.max(maxPending, newest.size));
        for (const newestNumber of newest.values()) assert.ok(numbers.includes(newestNumber));
        reported += value.updates.length + value.skipped;
      }
      assert.equal(reported, number);
    }),
  );
});

test('what may not be passed over is all read, until too much of it ends the iteration with an error', async () => {
  const queue = queueOf(3, false);
  for (let number = 1; number <= 3; number++) queue.push({ name: 'alarm', number });
  const { value } = await queue.next();
  assert.deepEqual(
    value?.updates.map(({ number }) => number),
    [1, 2, 3],
  );
  for (let number = 4; number <= 7; number++) queue.push({ name: 'alarm', number });
  assert.deepEqual(
    (await queue.next()).value?.updates.map(({ number }) => number),
    [4, 5, 6, 7],
  );
  await assert.rejects(queue.next(), Overrun);
  assert.deepEqual(await queue.next(), { done: true, value: undefined });
});

test('readers that wait at the same time get each its own batch', async () => {
  const queue = queueOf(3);
  const [first, second] = [queue.next(), queue.next()];
  queue.push({ name: 'a', number: 1 });
  queue.wake();
  queue.push({ name: 'a', number: 2 });
  queue.wake();
  const batches = await Promise.all([first, second]);
  assert.deepEqual(
    batches.map(({ value }) => value?.updates.map(({ number }) => number)),
    [[1], [2]],
  );
});
