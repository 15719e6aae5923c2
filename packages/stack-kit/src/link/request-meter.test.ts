import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RequestMeter } from './request-meter.ts';

test('the median and the 99th of a hundred are reported within a tenth', () => {
  const times = fc.array(fc.double({ min: 0.001, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(times, (each) => {
      const meter = new RequestMeter(() => 0);
      for (const ms of each) meter.answered(ms);
      const sorted = each.toSorted((a, b) => a - b);
      const { p50Ms, p99Ms } = meter.roundTrip() ?? assert.fail();
      const exact = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] as number;
      for (const [reported, truth] of [
        [p50Ms, exact(0.5)],
        [p99Ms, exact(0.99)],
      ] as const) {
        assert.ok(Math.abs(reported / truth - 1) < 0.1, `${reported} for ${truth}`);
      }
    }),
  );
});

test('answers that took no time at all, or years, are counted with the others', () => {
  const meter = new RequestMeter(() => 0);
  meter.answered(0);
  assert.ok((meter.roundTrip()?.p50Ms ?? 1) < 0.01);
  for (let i = 0; i < 10; i++) meter.answered(1e12);
  assert.ok((meter.roundTrip()?.p50Ms ?? 0) > 1e6);
});

test('what was long ago is forgotten, and what was not is kept', () => {
  let nowMs = 0;
  const meter = new RequestMeter(() => nowMs);
  meter.answered(5);
  nowMs = 40_000;
  assert.ok(meter.roundTrip() !== undefined);
  nowMs = 75_000;
  assert.equal(meter.roundTrip(), undefined);
  meter.answered(7);
  nowMs = 1_000_000;
  assert.equal(meter.roundTrip(), undefined);
});

test('requests are counted, answered or not', () => {
  const meter = new RequestMeter(() => 0);
  meter.answered(1);
  meter.failed();
  meter.overrun();
  assert.deepEqual(meter.counts, { requests: 2, requestsFailed: 1, overruns: 1, held: 0, unread: 0 });
});
