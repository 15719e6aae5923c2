// Queries of records as they may lie in blocks and in memory, against plain arrays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  asked,
  assertThinned,
  cut,
  interval,
  type Part,
  type PlainRecord,
  plainOptions,
  readInTurns,
  requestOf,
  visible,
  world,
  written,
} from '../../../test/query-model.ts';
import { aggregates, type ReadRequest } from '../archive-access.ts';

function read(parts: readonly Part[], request: ReadRequest, size: number, sums = true): string {
  return String(readInTurns([{ parts, request, cut: size, sums }])[0]);
}

function expected(parts: readonly Part[], request: ReadRequest): string {
  return `{"level":[${asked(visible(parts), request).map(written).join(',')}]}`;
}

test('AR-25: records of any sources come in time order, those that are asked for, without those that are erased, expired or replaced', () => {
  fc.assert(
    fc.property(world, interval, plainOptions, cut, (parts, times, options, size) => {
      const request = requestOf({ ...times, ...options });
      assert.equal(read(parts, request, size), expected(parts, request));
    }),
    { numRuns: 2000 },
  );
});

test('a resampled answer has the record in force at each step', () => {
  const step = fc.constantFrom(100_000, 250_000, 333_333, 2_000_000, 60_000_000);
  fc.assert(
    fc.property(world, interval, plainOptions, cut, step, (parts, times, options, size, resampleUs) => {
      const request = requestOf({ ...times, ...options, resampleUs });
      assert.equal(read(parts, request, size), expected(parts, request));
    }),
    { numRuns: 2000 },
  );
});

test('each aggregate of each step is that of its records, however they are stored', () => {
  const step = fc.constantFrom(250_000, 333_333, 2_000_000, 60_000_000);
  const aggregate = fc.constantFrom(...aggregates);
  fc.assert(
    fc.property(world, interval, plainOptions, cut, step, aggregate, (parts, times, options, size, stepUs, which) => {
      fc.pre(which === 'first' || which === 'last' || parts.every(({ series }) => series.datatype !== 's'));
      const request = requestOf({ ...times, ...options, resampleUs: stepUs, aggregate: which });
      const [answer, wanted] = [read(parts, request, size), expected(parts, request)];
      if (which !== 'avg') assert.equal(answer, wanted);
      else assert.equal(toDigits(answer), toDigits(wanted));
    }),
    { numRuns: 3000 },
  );
});

test('an empty interval has no aggregates, wherever it is', () => {
  const series = { kind: 'measurements', name: 'level', datatype: 'd', number: 3 } as const;
  const records: PlainRecord[] = [{ datatype: 'd', time: 1, value: 1, quality: 0xc0 }];
  const parts = [{ series, sources: [{ records, tombstonesApplied: 0 }], tombstones: [], cutOffUs: 0 }];
  for (const atUs of [1, 2, 2 ** 53 - 1, 2 ** 53]) {
    for (const aggregate of aggregates) {
      const request = requestOf({ sinceUs: atUs, untilUs: atUs, warpHead: true, resampleUs: 1, aggregate });
      assert.equal(read(parts, request, 1), '{"level":[]}');
    }
  }
});

/** Sums may differ in their last digits with the order of adding. */
function toDigits(json: string): string {
  return json.replace(/"d([-0-9.]+)"/g, (_, number) => Number(number).toPrecision(9));
}

test('a thinned answer has the first, least, greatest and last record of each bucket', () => {
  const maxPoints = fc.integer({ min: 4, max: 40 });
  fc.assert(
    fc.property(world, interval, plainOptions, cut, maxPoints, (parts, times, options, size, points) => {
      const request = requestOf({ ...times, ...options, maxPoints: points });
      assert.equal(read(parts, request, size, false), expected(parts, request));
    }),
    { numRuns: 2000 },
  );
});

test('a thinned answer ends with the last record, also where the least and the greatest are at its time', () => {
  const series = { kind: 'measurements', name: 'level', datatype: 'd', number: 3 } as const;
  const { sinceUs } = requestOf({});
  const records = [5, 6, 7, 1, 9, 1].map((value, at): PlainRecord => {
    return { datatype: 'd', time: sinceUs + 1000 * Math.min(at, 3), value, quality: 0xc0 };
  });
  const sources = [
    { records, tombstonesApplied: 0 },
    { records: [], tombstonesApplied: 0 },
  ];
  const parts = [{ series, sources, tombstones: [], cutOffUs: 0 }];
  for (const sums of [true, false]) {
    const { level } = JSON.parse(read(parts, requestOf({ maxPoints: 4 }), 6, sums)) as { level: [string][] };
    assert.deepEqual(
      level.map(([value]) => value),
      ['d5', 'd9', 'd1'],
    );
  }
});

test('a thinned answer from summaries has no more records than are wanted, all of them true, extremes included', () => {
  const maxPoints = fc.integer({ min: 4, max: 40 });
  fc.assert(
    fc.property(world, interval, cut, maxPoints, (parts, times, size, points) => {
      const request = requestOf({ ...times, maxPoints: points });
      const { maxPoints: _, ...whole } = request;
      const all = asked(visible(parts), whole);
      const { level } = JSON.parse(read(parts, request, size)) as { level: unknown[] };
      assertThinned(
        level.map((record) => JSON.stringify(record)),
        all,
        points,
      );
    }),
    { numRuns: 2000 },
  );
});
