import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Columns, type Kind } from '../records.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { readSummary, type Summary, type SummaryTimes, summarize, writeSummary } from './summary.ts';

type Row = readonly [value: number, quality: number];

function columnsOf(rows: readonly Row[]): Columns {
  const columns = new Columns(rows.length);
  rows.forEach(([value, quality], index) => {
    columns.times[index] = 1_700_000_000_000_000 + index * 1_000_000;
    columns.numbers[index] = value;
    columns.qualities[index] = quality;
  });
  columns.count = rows.length;
  return columns;
}

function spanOf(columns: Columns, from = 0, to = columns.count) {
  return { firstUs: columns.times[from] as number, lastUs: columns.times[to - 1] as number, count: to - from };
}

/** What a summary says, by another way. */
function expected(rows: readonly Row[], columns: Columns, kind: Kind): Summary {
  const at = (index: number) => ({
    time: columns.times[index] as number,
    value: (rows[index] as Row)[0],
    quality: (rows[index] as Row)[1],
  });
  const notBad = rows.flatMap(([value, quality], index) =>
    kind !== 'measurements' || (quality & 0xc0) !== 0 ? [{ value, index }] : [],
  );
  const values = notBad.map(({ value }) => value);
  const place = (value: number) => notBad.find((each) => each.value === value)?.index ?? 0;
  const empty = notBad.length === 0;
  return {
    count: rows.length,
    good: notBad.length,
    isAllGood: kind !== 'measurements' || rows.every(([, quality]) => (quality & 0xc0) === 0xc0),
    sum: values.reduce((sum, value) => sum + value, 0),
    first: at(0),
    last: at(rows.length - 1),
    min: empty ? undefined : at(place(values.reduce((a, b) => (b < a ? b : a)))),
    max: empty ? undefined : at(place(values.reduce((a, b) => (b > a ? b : a)))),
    times: timesOf(rows, columns, kind),
  };
}

/** The time from each record to the next; sums are rounded as they come. */
function timesOf(rows: readonly Row[], columns: Columns, kind: Kind): SummaryTimes | undefined {
  const isSound = (quality: number) => kind !== 'measurements' || (quality & 0xc0) !== 0;
  const isGood = (quality: number) => kind !== 'measurements' || (quality & 0xc0) === 0xc0;
  const usAt = (at: number) => (at + 1 < rows.length ? (columns.times[at + 1] ?? 0) - (columns.times[at] ?? 0) : 0);
  const sum = (count: (row: Row, at: number) => number) => rows.reduce((total, row, at) => total + count(row, at), 0);
  const sound = rows.filter(([, quality]) => isSound(quality)).map(([value]) => value);
  const mean = sound.reduce((total, value) => total + value, 0) / sound.length;
  const badUs = sum(([, quality], at) => (isSound(quality) ? 0 : usAt(at)));
  const isConstant = sound.length > 0 && sound.every((value) => value === sound[0]);
  const allUs = (columns.times[rows.length - 1] ?? 0) - (columns.times[0] ?? 0);
  const integral = isConstant
    ? (sound[0] as number) * (allUs - badUs)
    : sum(([value, quality], at) => (isSound(quality) ? value * usAt(at) : 0));
  const squares = isConstant ? 0 : sound.reduce((total, value) => total + (value - mean) * (value - mean), 0);
  if (!Number.isFinite(integral) || !Number.isFinite(squares)) return undefined;
  const rank = (quality: number) => (!isSound(quality) ? 0 : isGood(quality) ? 2 : 1);
  const worst = rows.map(([, quality]) => quality).reduce((a, b) => (rank(b) < rank(a) ? b : a));
  return {
    goodUs: sum(([, quality], at) => (isGood(quality) ? usAt(at) : 0)),
    badUs,
    trueUs: sum(([value, quality], at) => (isSound(quality) && value !== 0 ? usAt(at) : 0)),
    integral,
    squares,
    transitions: sound.filter((value, at) => at > 0 && (value === 0) !== (sound[at - 1] === 0)).length,
    worst: kind === 'measurements' ? worst & 0xff : 0xc0,
  };
}

const value = fc.oneof(
  fc.integer({ min: -50, max: 50 }).map((n) => n / 10),
  fc.double({ noNaN: true, min: -1e300, max: 1e300 }),
  fc.constantFrom(-0, 0, 5e-324),
);
const quality = fc.constantFrom(192, 192, 192, 0x1c0, 0, 24, 0x58, 0x80);
const rows = fc.array(fc.tuple(value, quality), { minLength: 1, maxLength: 60 });
const rowsOfKind = fc.oneof(
  fc.tuple(fc.constant<Kind>('measurements'), rows),
  fc.tuple(
    fc.constant<Kind>('commands'),
    rows.map((list) => list.map(([each]) => [each, 0] as Row)),
  ),
);

describe('a summary', () => {
  test('says what the records say, and comes back as it was', () => {
    fc.assert(
      fc.property(rowsOfKind, ([kind, list]) => {
        const columns = columnsOf(list);
        const summary = summarize({ kind, datatype: 'd' }, columns, 0, list.length);
        assert.deepEqual(summary, expected(list, columns, kind));
        const out = new ByteWriter(16);
        writeSummary(out, summary, spanOf(columns));
        const reader = new ByteReader(out.written().slice());
        assert.deepEqual(readSummary(reader, spanOf(columns)), summary);
        assert.equal(reader.left, 0);
      }),
      { numRuns: 500 },
    );
  });

  test('is of the records that it was asked for alone', () => {
    const columns = columnsOf([
      [100, 192],
      [1, 192],
      [2, 64],
      [-100, 192],
    ]);
    const summary = summarize({ kind: 'measurements', datatype: 'i' }, columns, 1, 3);
    assert.deepEqual(
      [summary?.count, summary?.good, summary?.isAllGood, summary?.sum, summary?.min?.value, summary?.max?.value],
      [2, 2, false, 3, 1, 2],
    );
  });

  test('of longs is there where doubles hold them exactly', () => {
    const columns = columnsOf(Array.from({ length: 4 }, () => [0, 192] as Row));
    columns.longs.set([7n, 2n ** 53n - 1n, -(2n ** 53n), -5n]);
    const summary = summarize({ kind: 'measurements', datatype: 'l' }, columns, 1, 4);
    assert.deepEqual([summary?.first.value, summary?.min?.value], [2 ** 53 - 1, -(2 ** 53)]);
    columns.longs[2] = 2n ** 53n;
    assert.equal(summarize({ kind: 'measurements', datatype: 'l' }, columns, 1, 4), undefined);
  });

  test('there is none of texts, nor of a sum beyond all doubles, and that is read again', () => {
    const columns = columnsOf([
      [Number.MAX_VALUE, 192],
      [Number.MAX_VALUE, 192],
    ]);
    assert.equal(summarize({ kind: 'measurements', datatype: 'd' }, columns, 0, 2), undefined);
    assert.equal(summarize({ kind: 'alarms', datatype: 's' }, columns, 0, 2), undefined);
    const out = new ByteWriter(16);
    writeSummary(out, undefined, spanOf(columns));
    assert.equal(out.length, 1);
    assert.equal(readSummary(new ByteReader(out.written()), spanOf(columns)), undefined);
  });

  test('takes at most 70 bytes of decimals, and few of a constant', () => {
    const sizeOf = (list: readonly Row[]) => {
      const out = new ByteWriter(16);
      const columns = columnsOf(list);
      writeSummary(out, summarize({ kind: 'measurements', datatype: 'd' }, columns, 0, list.length), spanOf(columns));
      return out.length;
    };
    const decimals = Array.from({ length: 1024 }, (_, index): Row => [Math.round(1e5 * Math.sin(index)) / 100, 192]);
    assert.ok(sizeOf(decimals) <= 70);
    assert.ok(sizeOf(decimals.map(() => [21.5, 192])) <= 14);
  });

  test('of a program that knew nothing of times is read, and says nothing of them', () => {
    const columns = columnsOf([
      [1, 192],
      [2, 24],
    ]);
    const { times: _, ...old } = summarize({ kind: 'measurements', datatype: 'd' }, columns, 0, 2) ?? assert.fail();
    const out = new ByteWriter(16);
    writeSummary(out, { ...old, times: undefined }, spanOf(columns));
    const reader = new ByteReader(out.written().slice());
    assert.deepEqual(readSummary(reader, spanOf(columns)), { ...old, times: undefined });
    assert.equal(reader.left, 0);
  });

  test('that was changed or cut is refused or read, within its bounds', () => {
    fc.assert(
      fc.property(rowsOfKind, fc.nat(), fc.nat(255), fc.boolean(), ([kind, list], at, to, cut) => {
        const columns = columnsOf(list);
        const out = new ByteWriter(16);
        writeSummary(out, summarize({ kind, datatype: 'd' }, columns, 0, list.length), spanOf(columns));
        const bytes = out.written().slice();
        bytes[at % bytes.length] = to;
        try {
          readSummary(new ByteReader(bytes, 0, cut ? at % bytes.length : bytes.length), spanOf(columns));
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
      }),
    );
  });
});
