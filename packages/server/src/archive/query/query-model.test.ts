// Queries of records as they may lie in blocks and in memory, against plain arrays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertNearly } from '../../../test/aggregate-model.ts';
import {
  aggregated,
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
import { isOfTexts } from './aggregates.ts';

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

test('the newest records first are the same records, from the end of the interval back', () => {
  fc.assert(
    fc.property(world, interval, plainOptions, cut, (parts, times, { warpHead: _, ...options }, size) => {
      const request = requestOf({ ...times, ...options, newestFirst: true });
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

const isText = ({ series }: Part) => series.datatype === 's';

test('AG-1 each aggregate of each bucket is what plain arrays say, alone or among others, however records are stored', () => {
  const step = fc.constantFrom(250_000, 333_333, 2_000_000, 60_000_000);
  const some = fc.oneof(
    fc.constantFrom(...aggregates).map((each) => [each]),
    fc.shuffledSubarray([...aggregates], { minLength: 2 }),
  );
  fc.assert(
    fc.property(world, interval, plainOptions, cut, step, some, (parts, times, options, size, stepUs, which) => {
      fc.pre(which.every(isOfTexts) || !parts.some(isText));
      const request = requestOf({ ...times, ...options, resampleUs: stepUs, aggregates: which, flags: false });
      const wanted = `{"level":[${aggregated(visible(parts), request, which).join(',')}]}`;
      assertNearly(read(parts, request, size), wanted);
    }),
    { numRuns: 4000 },
  );
});

test('an empty interval has no aggregates, wherever it is', () => {
  const series = { kind: 'measurements', name: 'level', datatype: 'd', number: 3 } as const;
  const records: PlainRecord[] = [{ datatype: 'd', time: 1, value: 1, quality: 0xc0 }];
  const parts = [{ series, sources: [{ records, tombstonesApplied: 0 }], tombstones: [], cutOffUs: 0 }];
  for (const atUs of [1, 2, 2 ** 53 - 1, 2 ** 53]) {
    for (const aggregate of aggregates) {
      const request = requestOf({
        sinceUs: atUs,
        untilUs: atUs,
        warpHead: true,
        resampleUs: 1,
        aggregates: [aggregate],
      });
      assert.equal(read(parts, request, 1), '{"level":[]}');
    }
  }
});

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
