import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { randomOf } from './random.ts';
import { counter, maxMovesAScan, ramp, sine, square, text, walk } from './time-functions.ts';

const bounds = fc
  .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map(([one, other]) => ({ low: Math.min(one, other), high: Math.max(one, other) }));
const period = fc.double({ min: 0.001, max: 1e9, noNaN: true });
const phase = fc.double({ min: -1e6, max: 1e6, noNaN: true });
/** The clock of the day, at speeds up to 1000. */
const seconds = fc.double({ min: 0, max: 2e12, noNaN: true });
const part = fc.double({ min: 0, max: 1, noNaN: true });

describe('a function of the clock', () => {
  test('stays between low and high, however wide and wherever in time', () => {
    fc.assert(
      fc.property(bounds, period, phase, seconds, part, ({ low, high }, period, phase, at, share) => {
        const fall = share * period;
        for (const wave of [
          sine({ low, high, period, phase }),
          ramp({ low, high, period, phase, fall }),
          square({ low, high, period, phase, duty: share }),
        ]) {
          const value = wave(at);
          assert.ok(value >= low && value <= high, `${value} of ${low} to ${high}`);
        }
      }),
    );
  });

  test('comes back after its period, and runs ahead by its phase', () => {
    const whole = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(whole, whole, fc.integer({ min: 0, max: 10_000 }), (period, phase, at) => {
        const [low, high, fall] = [-3, 17, period / 4];
        for (const make of [
          (phase: number) => sine({ low, high, period, phase }),
          (phase: number) => ramp({ low, high, period, phase, fall }),
        ]) {
          // A quarter past: no jump is near.
          const value = make(0)(at + 0.25 * period);
          assert.ok(Math.abs(make(0)(at + 1.25 * period) - value) < 1e-6);
          assert.ok(Math.abs(make(phase)(at + 0.25 * period - phase) - value) < 1e-6);
        }
      }),
    );
  });

  test('has the values that its name promises', () => {
    const wave = sine({ low: 4, high: 20, period: 60, phase: 0 });
    assert.deepEqual([0, 15, 30, 45].map(wave).map(Math.round), [12, 20, 12, 4]);
    const saw = ramp({ low: 0, high: 50, period: 60, phase: 0, fall: 30 });
    assert.deepEqual([0, 15, 30, 45, 60].map(saw), [0, 25, 50, 25, 0]);
    const drop = ramp({ low: 0, high: 100, period: 10, phase: 0, fall: 0 });
    assert.deepEqual([0, 5, 10].map(drop), [0, 50, 0]);
    const fallOnly = ramp({ low: 0, high: 100, period: 10, phase: 0, fall: 10 });
    assert.deepEqual([0, 5].map(fallOnly), [100, 50]);
    const pulse = square({ low: 1, high: 3, period: 10, phase: 0, duty: 0.2 });
    assert.deepEqual([0, 1.9, 2.1, 9.9].map(pulse), [3, 3, 1, 1]);
    const words = text({ words: 'stopped|starting|running', period: 5 });
    assert.deepEqual([0, 4.9, 5, 10, 15].map(words), ['stopped', 'stopped', 'starting', 'running', 'stopped']);
  });

  test('is at its low or its high for the whole period where the duty says so', () => {
    fc.assert(
      fc.property(seconds, period, (at, period) => {
        assert.equal(square({ low: 0, high: 1, period, phase: 0, duty: 0 })(at), 0);
        assert.equal(square({ low: 0, high: 1, period, phase: 0, duty: 1 })(at), 1);
      }),
    );
  });
});

describe('a walk', () => {
  const steps = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { maxLength: 40 });

  test('stays between low and high, begins at its start, and moves no further than its step', () => {
    fc.assert(
      fc.property(bounds, part, part, steps, ({ low, high }, startAt, stepShare, waits) => {
        const start = Math.min(high, Math.max(low, low * (1 - startAt) + high * startAt));
        const step = Math.min(Number.MAX_VALUE, high - low) * stepShare;
        const walked = walk({ low, high, start, step, period: 1 }, randomOf(1, 'x'));
        let at = 1e9;
        let last = walked(at);
        assert.equal(last, start);
        for (const wait of waits) {
          at += Math.min(1, wait);
          const value = walked(at);
          assert.ok(value >= low && value <= high);
          assert.ok(Math.abs(value - last) <= step * 2 + 1e-9 * Math.abs(high));
          last = value;
        }
      }),
      // Twice the low end is no number.
      { examples: [[{ low: -8.98846567431158e307, high: 0 }, 0, 9e-16, [1, 1, 1, 1, 1, 1, 1, 1]]] },
    );
  });

  test('goes the same way for the same seed and name, however often it is looked at; another for others', () => {
    const way = (seed: number, name: string, every: number) => {
      const walked = walk({ low: 0, high: 100, step: 1, period: 1 }, randomOf(seed, name));
      const values = [];
      for (let at = 0; at <= 60; at += every) {
        const value = walked(at);
        if (Number.isInteger(at / 10)) values.push(value);
      }
      return values;
    };
    assert.deepEqual(way(7, 'ph', 0.25), way(7, 'ph', 10));
    assert.notDeepEqual(way(7, 'ph', 10), way(8, 'ph', 10));
    assert.notDeepEqual(way(7, 'ph', 10), way(7, 'pH', 10));
  });

  test('that has fallen behind by millions of moves takes a bounded number of them', () => {
    const drawn = { count: 0 };
    const random = () => {
      drawn.count++;
      return 0.5;
    };
    const walked = walk({ low: 0, high: 1, step: 0.1, period: 0.001 }, random);
    walked(0);
    walked(1e9);
    assert.equal(drawn.count, maxMovesAScan);
    walked(1e9);
    assert.equal(drawn.count, maxMovesAScan);
  });
});

describe('a counter', () => {
  const count = (args: { low?: number; high?: number; step?: number; period?: number }, times: number[]) =>
    times.map(counter({ low: 0, step: 1, period: 1, ...args }, 'i'));

  test('begins when it is first looked at, and counts each period', () => {
    assert.deepEqual(count({ low: 5 }, [1000, 1000.9, 1001, 1003.5]), [5, 5, 6, 8]);
    assert.deepEqual(count({ period: 0.1 }, [0, 0.1, 0.2, 0.3, 0.7]), [0, 1, 2, 3, 7]);
  });

  test('begins again after its last value, which the step may miss', () => {
    assert.deepEqual(count({ high: 2 }, [0, 1, 2, 3, 4]), [0, 1, 2, 0, 1]);
    assert.deepEqual(count({ high: 5, step: 2 }, [0, 1, 2, 3]), [0, 2, 4, 0]);
    assert.deepEqual(count({ high: 5, step: -2 }, [0, 1, 2, 3]), [5, 3, 1, 5]);
  });

  test('without a high, goes to what its datatype holds exactly', () => {
    const last = { b: 1, q: 3, i: 2 ** 31 - 1, l: 2 ** 53 - 1, f: 2 ** 24, d: 2 ** 53 - 1 };
    for (const [datatype, high] of Object.entries(last) as [keyof typeof last, number][]) {
      assert.equal(counter({ low: 0, step: -1, period: 1 }, datatype)(0), high, datatype);
    }
  });
});
