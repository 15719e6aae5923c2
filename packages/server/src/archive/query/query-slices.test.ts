// Queries that are cut into turns, as the thread that reads serves them: pages leave with their buffers, and what is
// answered does not depend on where turns and pages end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatText, formatTimestamp } from '@telltale/schema';
import fc from 'fast-check';
import {
  assertCells,
  type Cell,
  cellsOfColumns,
  cellsOfCsv,
  cellsOfJson,
  plainCells,
} from '../../../test/aggregate-cells.ts';
import { parseBinary, parseCsv } from '../../../test/parse-answers.ts';
import {
  asked,
  cut,
  interval,
  type PlainRecord,
  plainOptions,
  type Reader,
  readInTurns,
  requestOf,
  visible,
  world,
} from '../../../test/query-model.ts';
import { type Aggregate, aggregates, type ReadRequest, type RecordForm } from '../archive-access.ts';
import { simulated } from '../records.ts';
import { isOfTexts } from './aggregates.ts';

/** Resampled, aggregated, thinned out, or plain. */
const options: fc.Arbitrary<Partial<ReadRequest>> = fc.oneof(
  fc.constant({}),
  fc.record({ resampleUs: fc.constantFrom(100_000, 333_333, 2_000_000) }),
  fc.record({
    resampleUs: fc.constantFrom(250_000, 2_000_000),
    aggregates: fc.shuffledSubarray<Aggregate>([...aggregates], { minLength: 1, maxLength: 3 }),
    flags: fc.constant(false),
  }),
  fc.record({ maxPoints: fc.integer({ min: 4, max: 40 }) }),
  fc.constant({ newestFirst: true, warpHead: undefined }),
);

const reader: fc.Arbitrary<Reader> = fc
  .record({
    parts: world,
    times: interval,
    plain: plainOptions,
    options,
    cut,
    form: fc.constantFrom<RecordForm>('json', 'csv', 'binary'),
    isLate: fc.boolean(),
  })
  .filter(({ parts, options: { aggregates: some = [] } }) => {
    const hasTexts = parts.some(({ series }) => series.datatype === 's');
    return !hasTexts || some.every(isOfTexts);
  })
  // Summaries may thin out otherwise, which is true as well.
  .map(({ parts, times, plain, options: more, cut: size, form, isLate }) => ({
    parts,
    isLate,
    request: requestOf({ ...times, ...plain, ...more, form }),
    cut: size,
    sums: more.maxPoints === undefined,
  }));

const serving = fc.record({
  pageBytes: fc.constantFrom(1, 64, 300, 4096, 512 * 1024),
  stepsATurn: fc.integer({ min: 1, max: 9 }),
});

type Row = readonly [time: string, value: string, quality: number];

function rowOf({ time, datatype, value, quality }: Omit<PlainRecord, 'time'> & { time: number }): Row {
  return [formatTimestamp(time), formatText(datatype, value), quality];
}

const marks = (flags: number) => (flags === 1 ? simulated : 0);

function rowsIn(answer: Buffer, form: RecordForm): Row[] {
  if (form === 'csv') {
    const [header, ...rows] = parseCsv(answer.toString());
    assert.deepEqual(header, ['name', 'time', 'value', 'quality', 'flags']);
    return rows.map(([, time = '', value = '', quality, flags]) => [
      time,
      value,
      Number(quality) + marks(Number(flags)),
    ]);
  }
  if (form === 'binary') {
    return parseBinary(answer).flatMap(({ datatype, records }) => records.map((each) => rowOf({ ...each, datatype })));
  }
  const { level } = JSON.parse(answer.toString()) as { level: [string, [number, number], number, number][] };
  return level.map(([value, [seconds, us], quality, flags]) => [
    formatTimestamp(seconds * 1_000_000 + us),
    value.slice(1),
    quality + marks(flags),
  ]);
}

function checkAggregates(answer: Buffer, parts: Reader['parts'], request: ReadRequest, some: readonly Aggregate[]) {
  assertCells(cellsIn(answer, request.form, some), plainCells(visible(parts), request, some));
}

function cellsIn(answer: Buffer, form: RecordForm, some: readonly Aggregate[]): Cell[] {
  if (form === 'csv') return cellsOfCsv(answer.toString(), some).get('level') ?? [];
  if (form === 'json') return cellsOfJson(JSON.parse(answer.toString()).level, some);
  return parseBinary(answer).flatMap(({ records, ...frame }) => {
    const [times, values] = [records.map(({ time }) => time), records.map(({ value }) => value)];
    return cellsOfColumns({ ...frame, times, values, qualities: records.map(({ quality }) => quality) }, some, true);
  });
}

test('answers are those of plain arrays, whatever the pages, the turns, the other readers, and what is on its way', () => {
  fc.assert(
    fc.property(fc.array(reader, { minLength: 1, maxLength: 4 }), serving, (readers, how) => {
      const answers = readInTurns(readers, how);
      for (const [at, { parts, request }] of readers.entries()) {
        const answer = answers[at] as Buffer;
        if (request.aggregates !== undefined) checkAggregates(answer, parts, request, request.aggregates);
        else assert.deepEqual(rowsIn(answer, request.form), asked(visible(parts), request).map(rowOf));
      }
    }),
    { numRuns: 3000 },
  );
});

test('a turn in which nothing is written, after a page has left with its buffer, costs nothing of the answer', () => {
  const series = { kind: 'measurements', name: 'level', datatype: 'd', number: 1 } as const;
  const startUs = 1_700_000_000_000_000;
  const records = Array.from({ length: 400 }, (_, at): PlainRecord => {
    return { datatype: 'd', time: startUs + at * 25_000, value: at / 4, quality: 0xc0 };
  });
  const sources = [0, 100, 200, 300].map((from) => ({
    records: records.slice(from, from + 100),
    tombstonesApplied: 0,
  }));
  const parts = [{ series, sources, tombstones: [], cutOffUs: 0 }];
  for (const form of ['json', 'csv', 'binary'] as const) {
    for (const more of [
      {},
      { maxPoints: 40 },
      { resampleUs: 500_000 },
      { resampleUs: 500_000, aggregates: ['max', 'avg'], flags: false },
    ]) {
      const request = requestOf({ ...(more as Partial<ReadRequest>), form });
      const readers = [{ parts, request, cut: 10, sums: false }];
      const [answer] = readInTurns(readers, { pageBytes: 1, stepsATurn: 1 });
      if (request.aggregates !== undefined) checkAggregates(answer as Buffer, parts, request, request.aggregates);
      else assert.deepEqual(rowsIn(answer as Buffer, form), asked(visible(parts), request).map(rowOf));
    }
  }
});
