// Promises of what guessing costs: delays that grow by account and source, and nobody who is locked out.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { type Attempted, Guessing } from './guessing.ts';

/** Always the same, so that no two names of these tests share a counter by chance. */
const key = Buffer.alloc(32, 7);
const setUp = () => {
  const clock = new ManualClock();
  const guessing = new Guessing(clock, key);
  /** Seconds to wait; undefined: it was let through, and failed. */
  const fail = (attempted: Partial<Attempted>) => waitOf(() => guessing.begin(of(attempted)));
  return { clock, guessing, fail };
};

const of = (attempted: Partial<Attempted>): Attempted => ({
  account: 'anna',
  source: '10.0.0.9',
  device: undefined,
  ...attempted,
});

function waitOf(work: () => unknown): number | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ProblemError && error.problem === 'too-many-attempts');
    assert.equal(error.message, `Try again in ${error.retryAfterS} s.`);
    return error.retryAfterS;
  }
}

describe('who fails', () => {
  test('may try an account five times, then waits twice as long each time, a minute at most', () => {
    const { clock, fail } = setUp();
    for (let time = 0; time < 5; time++) assert.equal(fail({}), undefined);
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
      assert.equal(fail({}), seconds);
      clock.advance(seconds * 1000 - 1);
      assert.equal(fail({}), 1);
      clock.advance(1);
      assert.equal(fail({}), undefined);
    }
  });

  test('waits as long from every address, and for names that nobody has', () => {
    const { fail } = setUp();
    for (const account of ['anna', 'nobody', '__proto__', '']) {
      for (let time = 0; time < 5; time++) assert.equal(fail({ account, source: `10.1.${time}.7` }), undefined);
      assert.equal(fail({ account, source: '10.7.7.7' }), 1, account);
    }
    assert.equal(fail({ account: 'tom' }), undefined);
  });

  test('waits after twenty tries of whatever accounts from one address, or one network of IPv6', () => {
    for (const sources of [
      ['10.0.0.9', '::ffff:10.0.0.9'],
      ['2001:db8::1', '2001:0db8:0:0:abcd::7', '2001:db8:0:0:1:2:3:4', '2001:DB8::1%eth0'],
    ]) {
      const { fail } = setUp();
      for (let time = 0; time < 20; time++) {
        assert.equal(fail({ account: `user${time}`, source: sources[time % sources.length] ?? '' }), undefined);
      }
      for (const source of sources) assert.equal(fail({ account: 'tom', source }), 1, source);
      assert.equal(fail({ account: 'tom', source: '10.0.0.10' }), undefined);
      assert.equal(fail({ account: 'tom', source: '2001:db8:0:1::1' }), undefined);
    }
  });

  test('gains nothing by asking many times at once', () => {
    const { guessing } = setUp();
    const outcomes = Array.from({ length: 100 }, () => waitOf(() => guessing.begin(of({}))));
    assert.equal(outcomes.filter((wait) => wait === undefined).length, 5);
  });

  test('gains nothing by signing in to an account of his own in between', () => {
    const { clock, guessing, fail } = setUp();
    for (let time = 0; time < 20; time++) {
      guessing.begin(of({ account: 'tom' })).succeeded();
      assert.equal(fail({ account: `user${time}` }), undefined);
    }
    assert.equal(fail({ account: 'another' }), 1);
    clock.advance(1000);
    guessing.begin(of({ account: 'tom' })).succeeded();
    assert.equal(fail({ account: 'another' }), undefined);
    assert.equal(fail({ account: 'another' }), 2);
  });

  test('is forgiven after an hour, by a sign-in, and where nothing was checked', () => {
    const { clock, guessing, fail } = setUp();
    for (let time = 0; time < 100; time++) guessing.begin(of({})).withdrawn();
    for (let time = 0; time < 4; time++) assert.equal(fail({}), undefined);
    guessing.begin(of({})).succeeded();
    for (let time = 0; time < 5; time++) assert.equal(fail({}), undefined);
    assert.equal(fail({}), 1);
    clock.advance(60 * 60_000);
    for (let time = 0; time < 5; time++) assert.equal(fail({}), undefined);
    assert.equal(fail({}), 1);
  });
});

describe('nobody is locked out', () => {
  test('after a thousand failures from elsewhere, and from its own address, a station that has signed in before signs in at once', () => {
    const { clock, guessing, fail } = setUp();
    for (let time = 0; time < 1000; time++) {
      fail({ source: `10.${time % 4}.3.${time % 250}` });
      fail({});
      clock.advance(100);
    }
    assert.ok((fail({}) ?? 0) > 1);
    const before = clock.monotonicMs();
    guessing.begin(of({ device: 'station' })).succeeded();
    assert.equal(clock.monotonicMs(), before);
  });

  test('a station that mistypes waits by itself, and other stations of the user do not', () => {
    const { clock, fail } = setUp();
    for (let time = 0; time < 10; time++) assert.equal(fail({ device: 'station' }), undefined);
    assert.equal(fail({ device: 'station' }), 1);
    assert.equal(fail({ device: 'other' }), undefined);
    assert.equal(fail({}), undefined);
    clock.advance(1000);
    assert.equal(fail({ device: 'station' }), undefined);
  });

  test('whatever others do: nobody ever waits longer than a minute', () => {
    const step = fc.record({
      account: fc.constantFrom('anna', 'tom'),
      source: fc.constantFrom('10.0.0.1', '::1'),
      device: fc.constantFrom(undefined, 'station'),
      seconds: fc.nat(90),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, fail } = setUp();
        for (const { seconds, ...attempted } of steps) {
          clock.advance(seconds * 1000);
          assert.ok((fail(attempted) ?? 0) <= 60);
        }
        clock.advance(60_000);
        for (const device of [undefined, 'station']) assert.equal(fail({ device }), undefined);
      }),
    );
  });
});
