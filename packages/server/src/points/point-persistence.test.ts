import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import type { StoredCommand } from './commands.ts';
import { PointPersistence } from './point-persistence.ts';

/** A disk whose answers the test gives, one by one. */
function bench() {
  const clock = new ManualClock();
  const asked: string[] = [];
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const present = new Map<string, string>();
  const ask = (what: string) => {
    asked.push(what);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    answers.push({ resolve, reject });
    return promise;
  };
  const store = {
    save: ({ name, value }: StoredCommand) => ask(`${name}=${value}`),
    delete: (name: string) => ask(`delete ${name}`),
  };
  const of = (name: string, value: string | undefined) =>
    value === undefined ? undefined : { name, value, timeUs: 1 };
  const persistence = new PointPersistence(store, clock, (name) => of(name, present.get(name)));
  const settle = async (isTaken: boolean) => {
    const answer = answers.shift();
    if (isTaken) answer?.resolve();
    else answer?.reject(new Error('full'));
    await new Promise(setImmediate);
  };
  /** Moves the clock, and lets everybody hear of it. */
  const advance = async (ms: number) => {
    clock.advance(ms);
    await new Promise(setImmediate);
  };
  /** A write, which is shown when it is on disk. */
  const write = (name: string, value: string) =>
    persistence.operate(name, async () => {
      await persistence.save({ name, value, timeUs: 1 });
      present.set(name, value);
    });
  /** The name shows the value, and the disk has refused it. */
  const refuse = async (name: string, value: string) => {
    present.set(name, value);
    const refused = persistence.operate(name, () => persistence.save({ name, value, timeUs: 1 }));
    await Promise.all([assert.rejects(refused, /full/), settle(false)]);
    asked.length = 0;
  };
  return { clock, persistence, asked, present, settle, advance, write, refuse };
}

describe('what the disk has refused', () => {
  test('is saved again every second, as it is by then, until the disk takes it', async () => {
    const { clock, persistence, asked, present, settle, advance, refuse } = bench();
    await refuse('a', 'd1');
    await advance(1000);
    await settle(false);
    present.set('a', 'd2');
    await advance(1000);
    assert.equal(persistence.unsaved, 1);
    await settle(true);
    await advance(10_000);
    assert.deepEqual([asked, persistence.unsaved, clock.pending], [['a=d1', 'a=d2'], 0, 0]);
  });

  test('never overwrites a newer one that is on its way', async () => {
    const { persistence, asked, settle, advance, write, refuse } = bench();
    await refuse('a', 'd1');
    const newer = write('a', 'd2');
    await advance(1000);
    assert.deepEqual(asked, ['a=d2']);
    await settle(true);
    await newer;
    await advance(10_000);
    assert.deepEqual([asked, persistence.unsaved], [['a=d2'], 0]);
  });

  test('is deleted when its point is gone, and retried until the disk takes it', async () => {
    const { clock, persistence, asked, present, settle, advance, refuse } = bench();
    await refuse('a', 'd1');
    present.delete('a');
    persistence.changed('a');
    await advance(0);
    await settle(false);
    await advance(1000);
    assert.equal(persistence.unsaved, 1);
    await settle(true);
    await advance(10_000);
    assert.deepEqual([asked, persistence.unsaved, clock.pending], [['delete a', 'delete a'], 0, 0]);
  });

  test('is tried once more at the end, and not after it', async () => {
    const { clock, persistence, asked, settle, advance, refuse } = bench();
    await refuse('a', 'd1');
    persistence.close();
    await settle(false);
    await advance(10_000);
    assert.deepEqual([asked, clock.pending], [['a=d1'], 0]);
  });
});

test('a change in the middle of an operation is saved behind it, as it is by then', async () => {
  const { persistence, asked, present, settle, advance, write } = bench();
  present.set('a', 'd1');
  const newer = write('a', 'd2');
  present.delete('a');
  persistence.changed('a');
  await advance(0);
  assert.deepEqual(asked, ['a=d2']);
  await settle(true);
  await newer;
  await settle(true);
  assert.deepEqual(asked, ['a=d2', 'a=d2']);
});
