import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { systemClock } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { HeldDeadline, LeaseDeadline } from './lease-deadline.ts';

describe('the deadline of a lease', () => {
  test('holds for the epoch that it is of, until it has passed by the monotonic clock, and for no other', () => {
    const clock = new ManualClock();
    const held = new HeldDeadline(clock);
    const other = new LeaseDeadline(clock, held.buffer);
    assert.deepEqual([held.isValid(0), other.isValid(1)], [false, false]);
    held.extend(7, clock.monotonicMs() + 1000);
    assert.deepEqual([other.epoch, other.isValid(7), other.isValid(6), other.isValid(0)], [7, true, false, false]);
    clock.jump(3_600_000);
    assert.equal(other.remainingMs(7), 1000);
    clock.advance(999.5);
    assert.equal(other.isValid(7), true);
    clock.advance(0.5);
    assert.deepEqual([other.isValid(7), other.remainingMs(7), other.epoch], [false, 0, 7]);
  });

  test('never comes earlier but by an end, whatever answers come in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5000), { minLength: 1 }), (untils) => {
        const clock = new ManualClock();
        const held = new HeldDeadline(clock);
        for (const untilMs of untils) held.extend(3, untilMs);
        assert.equal(held.remainingMs(3), Math.max(...untils));
        held.extend(4, 1);
        assert.deepEqual([held.remainingMs(3), held.remainingMs(4)], [0, 1]);
        held.end();
        assert.deepEqual([held.remainingMs(4), held.epoch], [0, 0]);
      }),
    );
  });

  test('is seen by other threads without a message: none of them finds it valid after it has ended', async (t) => {
    const held = new HeldDeadline(systemClock);
    const modules = ['./lease-deadline.ts', '../../../schema/src/clock.ts'].map(
      (path) => new URL(path, import.meta.url).href,
    );
    const script = `
      const { LeaseDeadline } = await import(${JSON.stringify(modules[0])});
      const { systemClock } = await import(${JSON.stringify(modules[1])});
      const { workerData, parentPort } = await import('node:worker_threads');
      const deadline = new LeaseDeadline(systemClock, workerData);
      while (!deadline.isValid(1)) {}
      let last = 0;
      for (;;) {
        const now = systemClock.monotonicMs();
        if (!deadline.isValid(1)) break;
        last = now;
      }
      parentPort.postMessage(last);`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
      workerData: held.buffer,
    });
    cleanupOf(t).defer(async () => void (await worker.terminate()));
    await once(worker, 'online');
    const untilMs = systemClock.monotonicMs() + 3000;
    held.extend(1, untilMs);
    const [last] = (await once(worker, 'message')) as [number];
    assert.ok(last > 0 && last <= untilMs, `${last} of ${untilMs}`);
  });
});
