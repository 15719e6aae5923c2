import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Batch } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { maxHistoryRecords } from '@telltale/stack-kit';
import { PastMetrics, type PastOwner } from './past-metrics.ts';

function setUp() {
  const clock = new ManualClock();
  const stored: [id: number, value: unknown, timeUs: number][] = [];
  const warnings: string[] = [];
  const archive = { isBusy: false, batches: 0 };
  const gone = new Set<PastOwner>();
  const publish = async (batch: Batch) => {
    archive.batches++;
    assert.ok(batch.count <= maxHistoryRecords);
    if (archive.isBusy) throw new Error('busy');
    for (let at = 0; at < batch.count; at++) {
      stored.push([batch.points[at] ?? -1, batch.valueAt(at), batch.times[at] ?? -1]);
    }
    return { stored: batch.count, dropped: 0 };
  };
  const quiet = () => {};
  const past = new PastMetrics({
    clock,
    log: { debug: quiet, info: quiet, warn: (text) => warnings.push(text), error: quiet },
    history: { publish, lastRecorded: async () => [] },
    isServed: (owner) => !gone.has(owner),
  });
  const add = (owner: PastOwner, value: number | undefined, timeUs: number) =>
    past.add({ owner, value, quality: 0xc0, timeUs });
  /** Time passes, and what is asked of the archive is answered. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { past, add, pass, stored, warnings, archive, gone };
}

describe('historical metrics', () => {
  const one = { point: { id: 1 } };
  const other = { point: { id: 2 } };

  test('go to the archive together, in order of time', async () => {
    const { past, add, pass, stored, archive } = setUp();
    past.begin();
    add(one, 5, 2000);
    add(other, undefined, 1000);
    assert.equal(archive.batches, 0);
    await pass(50);
    assert.deepEqual(stored, [
      [2, undefined, 1000],
      [1, 5, 2000],
    ]);
    assert.equal(archive.batches, 1);
  });

  test('are handed on again where the archive is busy, also after the link was lost meanwhile', async () => {
    const { past, add, pass, stored, archive } = setUp();
    past.begin();
    archive.isBusy = true;
    add(one, 1, 1);
    await pass(50);
    add(one, 2, 2);
    past.end();
    archive.isBusy = false;
    await pass(10_000);
    assert.equal(stored.length, 0);
    past.begin();
    await pass(50);
    assert.deepEqual(
      stored.map(([, value]) => value),
      [1, 2],
    );
    archive.isBusy = true;
    add(one, 3, 3);
    await pass(50);
    archive.isBusy = false;
    await pass(1000);
    assert.equal(stored.length, 3);
  });

  test('of points that are gone are dropped', async () => {
    const { past, add, pass, stored, gone } = setUp();
    past.begin();
    add(one, 1, 1);
    add(other, 2, 2);
    gone.add(one);
    await pass(50);
    assert.deepEqual(stored, [[2, 2, 2]]);
  });

  test('are bounded while the archive takes none, and people are told how many are lost', async () => {
    const { past, add, pass, stored, warnings, archive } = setUp();
    past.begin();
    archive.isBusy = true;
    for (let at = 0; at <= 100_000; at++) add(one, at, at);
    assert.deepEqual(warnings, ['50000 historical values are lost: the archive does not take them in time']);
    archive.isBusy = false;
    for (let round = 0; round < 10; round++) await pass(1000);
    assert.equal(stored.length, 50_001);
    assert.deepEqual(stored.at(-1), [1, 100_000, 100_000]);
  });
});
