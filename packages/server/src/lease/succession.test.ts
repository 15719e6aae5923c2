import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Leader, Leadership } from './leader-key.ts';
import { leaseTimes } from './lease-times.ts';
import { Succession } from './succession.ts';

const times = leaseTimes(2000);
const own = { node: 'b', instance: 'mine' };
const leader = (fields: Partial<Leader> = {}): Leader => ({
  node: 'a',
  instance: 'theirs',
  sinceUs: 0,
  ttlMs: 2000,
  epoch: 5,
  modRevision: 5,
  ...fields,
});
const released = { node: 'a', epoch: 5, how: 'resigned', atUs: 0, modRevision: 9 } as const;

interface Step {
  readonly afterMs: number;
  readonly takesMs: number;
}

const anyStep = (most: number): fc.Arbitrary<Step> =>
  fc.record({ afterMs: fc.nat(most), takesMs: fc.oneof(fc.nat(20), fc.nat(4000)) });

describe('who waits for the lease of another', () => {
  test('ends it only when no renewal of it can be valid, whatever is late, with clocks that differ by 2 percent', () => {
    const anyRate = fc.double({ min: 0.99, max: 1.01, noNaN: true });
    const anyRun = fc.record({
      holderRate: anyRate,
      ownRate: anyRate,
      renewals: fc.array(anyStep(2000), { minLength: 1, maxLength: 20 }),
      reads: fc.array(fc.tuple(anyStep(700), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(9)), { maxLength: 60 }),
      expireTakesMs: fc.nat(3000),
    });
    let ended = 0;
    fc.assert(
      fc.property(anyRun, ({ holderRate, ownRate, renewals, reads, expireTakesMs }) => {
        let atMs = 0;
        const committed = renewals
          .map(({ afterMs, takesMs }) => {
            atMs += afterMs;
            return { sentMs: atMs, committedMs: atMs + takesMs };
          })
          .sort((one, two) => one.committedMs - two.committedMs);
        const newestAt = (ms: number) => committed.findLastIndex(({ committedMs }) => committedMs <= ms);
        const succession = new Succession(times, own);
        let readMs = 0;
        for (const [{ afterMs, takesMs }, when, fate] of reads) {
          const beganMs = readMs + afterMs;
          readMs = beganMs + takesMs;
          const newest = newestAt(beganMs + takesMs * when);
          if (newest < 0 || fate === 0) {
            succession.unanswered();
            continue;
          }
          const found = { leader: leader({ modRevision: newest }) };
          succession.read(found, readMs * ownRate);
          if (succession.next(found, readMs * ownRate).kind !== 'expire') continue;
          // etcd carries it out where the key is as it was read.
          const expiredMs = readMs + expireTakesMs;
          if (newestAt(expiredMs) !== newest) continue;
          ended++;
          const valid = committed.slice(0, newest + 1);
          for (const { sentMs } of valid) assert.ok(sentMs + times.validMs / holderRate < readMs);
        }
      }),
      { numRuns: 5000 },
    );
    assert.ok(ended > 100, `${ended}`);
  });

  test('gives it time to be renewed when etcd answers again after an outage', () => {
    const succession = new Succession(times, own);
    const found = { leader: leader() };
    succession.read(found, 0);
    succession.unanswered();
    succession.read(found, 10_000);
    assert.deepEqual(succession.next(found, 10_000), { kind: 'wait', forMs: times.steadyMs });
    assert.equal(succession.next(found, 10_000 + times.steadyMs).kind, 'expire');
  });

  test('waits as long as the TTL of the other asks for', () => {
    const succession = new Succession(times, own);
    const found = { leader: leader({ ttlMs: 10_000 }) };
    succession.read(found, 0);
    assert.equal(succession.next(found, 11_000).kind, 'wait');
    assert.equal(succession.next(found, 11_100).kind, 'expire');
  });

  test('takes what was released at once, but waits where it is kept for another', () => {
    const cases: readonly (readonly [Leadership, string])[] = [
      [{ released }, 'create'],
      [{ released: { ...released, to: 'b' } }, 'create'],
      [{ released: { ...released, to: 'c' } }, 'wait'],
      [{ leader: leader({ instance: 'mine' }) }, 'adopt'],
    ];
    for (const [found, kind] of cases) {
      const succession = new Succession(times, own);
      succession.read(found, 0);
      assert.equal(succession.next(found, 0).kind, kind);
      assert.notEqual(succession.next(found, times.reservedMs).kind, 'wait');
    }
  });

  test('waits where nobody leads and nobody has said so: a holder may not know yet that its key is gone', () => {
    const succession = new Succession(times, own);
    succession.read({ leader: leader() }, 0);
    succession.read({}, 5000);
    assert.equal(succession.next({}, 5000 + times.patienceMs - 1).kind, 'wait');
    assert.equal(succession.next({}, 5000 + times.patienceMs).kind, 'create');
  });
});

test('a TTL that leaves no time is refused', () => {
  for (const ttlMs of [999, 0, -1, Number.NaN]) assert.throws(() => leaseTimes(ttlMs), /a TTL of at least 1000 ms/);
});
