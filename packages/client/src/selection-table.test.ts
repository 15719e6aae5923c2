import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TelltaleProblem } from './errors.ts';
import { SelectionTable } from './selection-table.ts';
import { type NamedUpdate, UpdateQueue } from './update-queue.ts';

const update = (name: string): NamedUpdate => ({ name });

/** A table whose service answers when the test says so. */
function bench() {
  const asked: { selector: unknown; answer: (id: number) => void; refuse: (error: Error) => void }[] = [];
  const ended: unknown[] = [];
  const silences: unknown[] = [];
  const table = new SelectionTable<NamedUpdate>({
    watch: (selector) =>
      new Promise((answer, refuse) => {
        asked.push({ selector, answer, refuse });
      }),
    unwatch: (selector) => ended.push(selector),
    settled: async () => undefined,
    onSilence: (error) => silences.push(error),
  });
  const reader = () => {
    const queue = new UpdateQueue<NamedUpdate>({ maxPending: 100, conflates: true, onEnd: () => table.remove(queue) });
    return queue;
  };
  return { table, asked, ended, silences, reader };
}

const shown = async (queue: UpdateQueue<NamedUpdate>) =>
  ((await queue.next()).value?.updates ?? []).map(({ name, left }) => `${name}${left ? ' left' : ''}`);
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('what a selector selects', () => {
  test('is not lost where it comes before the answer is read; what is of nobody is passed over', async () => {
    const { table, asked, reader } = bench();
    table.connected();
    table.notify(7, [update('early of nobody')], 0);
    const queue = reader();
    table.add(queue, { names: ['a*'] });
    table.notify(7, [update('a1'), update('a2')], 0);
    table.notify(7, [{ ...update('a1'), left: true }], 3);
    table.notify(8, [update('b')], 0);
    asked[0]?.answer(7);
    assert.deepEqual(await shown(queue), ['a1', 'a2']);
    assert.deepEqual(await shown(queue), ['a1 left']);
    table.notify(8, [update('b')], 0);
    table.notify(7, [update('a3')], 0);
    assert.deepEqual(await shown(queue), ['a3']);
  });

  test('is asked once for equal selectors, and a later reader begins with what is known', async () => {
    const { table, asked, ended, reader } = bench();
    table.connected();
    const [first, second] = [reader(), reader()];
    table.add(first, { names: ['a*'] });
    asked[0]?.answer(1);
    await turn();
    table.notify(1, [update('a1'), update('a2')], 0);
    table.notify(1, [{ ...update('a1'), left: true }], 0);
    table.add(second, { names: ['a*'] });
    assert.deepEqual(await shown(second), ['a2']);
    assert.equal(asked.length, 1);
    first.close();
    assert.deepEqual(ended, []);
    second.close();
    assert.deepEqual(ended, [{ names: ['a*'] }]);
  });

  test('is asked again after a loss: what was there and does not come again has left', async () => {
    const { table, asked, silences, reader } = bench();
    const queue = reader();
    table.add(queue, { quality: ['bad'] });
    assert.equal(asked.length, 0);
    table.connected();
    asked[0]?.answer(1);
    await turn();
    table.notify(1, [update('a'), update('b')], 0);
    assert.deepEqual(await shown(queue), ['a', 'b']);
    table.lost();
    table.notify(1, [update('too late')], 0);
    table.connected();
    table.notify(2, [update('b'), update('c')], 0);
    asked[1]?.answer(2);
    assert.deepEqual((await queue.next()).value?.resumed, true);
    assert.deepEqual(await shown(queue), ['a left']);
    assert.deepEqual(silences, []);
  });

  test('that is asked again twice in a row reports nothing as left that comes with the second answer', async () => {
    const { table, asked, reader } = bench();
    table.connected();
    const queue = reader();
    table.add(queue, { names: ['a*'] });
    asked[0]?.answer(1);
    await turn();
    table.notify(1, [update('a1')], 0);
    assert.deepEqual(await shown(queue), ['a1']);
    table.askAgain();
    table.askAgain();
    asked[1]?.answer(2);
    await turn();
    asked[2]?.answer(3);
    table.notify(3, [update('a1')], 0);
    await turn();
    assert.deepEqual(await shown(queue), ['a1']);
    table.notify(3, [update('a2')], 0);
    assert.deepEqual(await shown(queue), ['a2']);
  });

  test('fails where the service refuses it; where it says nothing, the connection is of no use', async () => {
    const { table, asked, silences, reader } = bench();
    table.connected();
    const [refused, silent] = [reader(), reader()];
    table.add(refused, { names: ['a*'] });
    table.add(silent, { names: ['b*'] });
    asked[0]?.refuse(TelltaleProblem.of('too-many-watches', 'Too many.'));
    await assert.rejects(refused.next(), TelltaleProblem);
    asked[1]?.refuse(new Error('silence'));
    await turn();
    assert.equal(silences.length, 1);
    assert.equal(silent.hasEnded, false);
  });
});
