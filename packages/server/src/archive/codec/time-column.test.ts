import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { decodeTimes, encodeTimes } from './time-column.ts';

const startUs = 1_700_000_000_000_000;

function encoded(times: readonly number[]): Uint8Array {
  const out = new ByteWriter(16);
  encodeTimes(Float64Array.from(times), 0, times.length, out);
  return out.written().slice();
}

function bytesARecord(times: readonly number[]): number {
  const bytes = encoded(times);
  const into = new Float64Array(times.length);
  const reader = new ByteReader(bytes);
  decodeTimes(reader, times.length, into, 0);
  assert.deepEqual([...into], times);
  assert.equal(reader.left, 0);
  return bytes.length / times.length;
}

function scan(periodUs: number, late: (index: number) => number): number[] {
  return Array.from({ length: 1024 }, (_, index) => Math.round(startUs + index * periodUs + late(index)));
}

function pseudoRandom(): () => number {
  let seed = 7;
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

const time = fc.oneof(
  fc.nat(2 ** 31 - 1).map((after) => startUs + after),
  fc.maxSafeNat(),
  fc.constantFrom(0, 2 ** 53 - 1, startUs),
);
const evenly = fc
  .tuple(time, fc.nat(2 ** 31), fc.array(fc.nat(1000), { maxLength: 300 }))
  .map(([first, period, jitters]) => jitters.map((jitter, i) => Math.min(first + i * period + jitter, 2 ** 53 - 1)));
const changing = fc
  .tuple(time, fc.nat(2 ** 30), fc.array(fc.tuple(fc.nat(9), fc.nat(1000)), { maxLength: 300 }))
  .map(([first, period, list]) => {
    let now = first;
    return list.map(([passed, jitter]) => {
      now = Math.min(now + (1 + passed) * period, 2 ** 53 - 2000);
      return now + jitter;
    });
  });
const series = fc
  .array(fc.oneof(fc.array(time, { maxLength: 200 }), evenly, changing), { minLength: 1, maxLength: 3 })
  .map((lists) => lists.flat());

describe('a column of times', () => {
  test('comes back as it was, in whatever order', () => {
    fc.assert(
      fc.property(series, fc.boolean(), (times, sorted) => {
        bytesARecord(sorted ? times.toSorted((a, b) => a - b) : times);
      }),
      { numRuns: 500 },
    );
  });

  test('comes back at the ends of its range, where not every line is exact', () => {
    const end = fc.tuple(fc.constantFrom(0, 2 ** 52, 2 ** 53 - 40_000_000), fc.nat(1000), fc.nat(1000));
    const near = fc.tuple(end, fc.array(fc.tuple(fc.nat(9), fc.nat(99)), { minLength: 32, maxLength: 140 }));
    fc.assert(
      fc.property(near, fc.constantFrom(0, 2 ** 52), ([[first, period, off], list], last) => {
        let now = first + off;
        const times = list.map(([passed, jitter]) => {
          now += passed * period;
          return now + jitter;
        });
        bytesARecord(last === 0 ? times : [...times, last + off]);
      }),
      { numRuns: 500 },
    );
  });

  test('that was changed or cut is refused or read, within its bounds', () => {
    fc.assert(
      fc.property(series, fc.nat(), fc.nat(255), fc.boolean(), fc.nat(600), (times, at, to, cut, count) => {
        const bytes = encoded(times);
        if (bytes.length === 0) return;
        bytes[at % bytes.length] = to;
        const reader = new ByteReader(bytes, 0, cut ? at % bytes.length : bytes.length);
        try {
          decodeTimes(reader, count, new Float64Array(count), 0);
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
        assert.ok(reader.at <= reader.end);
      }),
      { numRuns: 500 },
    );
  });

  test('costs next to nothing where a scan is exact', () => {
    assert.ok(bytesARecord(scan(1_000_000, () => 0)) <= 0.02);
    assert.ok(bytesARecord(scan(10_000_000, (index) => (index > 300 ? 86_400_000_000 : 0))) <= 0.04);
  });

  test('costs at most 1.3 bytes where a scan of a second jitters by half a millisecond to either side', () => {
    const random = pseudoRandom();
    assert.ok(bytesARecord(scan(1_000_000, () => (random() - 0.5) * 1000)) <= 1.3);
    assert.ok(bytesARecord(scan(1_000_003.7, () => (random() - 0.5) * 1000)) <= 1.3);
    // In the year 2112, too.
    assert.ok(bytesARecord(scan(1_000_000, () => 2 ** 52 - startUs + random() * 1000)) <= 1.3);
  });

  test('costs what the scans are where times are multiples of one', () => {
    const random = pseudoRandom();
    let now = startUs + 17;
    assert.ok(bytesARecord(Array.from({ length: 1024 }, () => (now += 100_000 * Math.ceil(30 * random())))) <= 0.72);
  });

  test('costs the jitter and the scans that were passed over where only changes are kept', () => {
    const random = pseudoRandom();
    let scans = 0;
    const changes = scan(0, () => {
      scans += Math.ceil(16 * random());
      return 1_000_000 * scans + (random() - 0.5) * 1000;
    });
    assert.ok(bytesARecord(changes) <= 1.85);
  });

  test('costs no more than its steps where there is no scan', () => {
    const random = pseudoRandom();
    let now = startUs;
    assert.ok(bytesARecord(Array.from({ length: 1024 }, () => (now += Math.ceil(1_000_000 * random())))) <= 2.55);
  });
});
