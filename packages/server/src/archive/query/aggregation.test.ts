// The rules of aggregates, one by one, and the worked examples of OPC UA Part 13 that apply to stepped values.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AggregateRow, type Datatype, quality, type Value } from '@telltale/schema';
import { type PlainRecord, readInTurns, requestOf } from '../../../test/query-model.ts';
import { type Aggregate, aggregates, type ReadRequest } from '../archive-access.ts';

const startUs = 1_700_000_000_000_000;
const second = 1_000_000;
const { good } = quality;
const lost = quality.bad.communicationFailure;
const doubtful = quality.uncertain.lastUsableValue;

type Row = readonly [seconds: number, value: Value, quality?: number];

interface Asked extends Partial<ReadRequest> {
  readonly datatype?: Datatype;
  readonly stepS: number;
  readonly untilS: number;
  readonly sinceS?: number;
  readonly sums?: boolean;
}

function read(
  rows: readonly Row[],
  { datatype = 'd', stepS, untilS, sinceS = 0, sums = true, ...more }: Asked,
): unknown[] {
  const records = rows.map(([seconds, value, q = good]): PlainRecord => {
    return { datatype, time: startUs + seconds * second, value, quality: more.kind === 'commands' ? 0 : q };
  });
  const series = { kind: more.kind ?? 'measurements', name: 'level', datatype, number: 3 };
  const sources = [records, []].map((each) => ({ records: each, tombstonesApplied: 0 }));
  const request = requestOf({
    sinceUs: startUs + sinceS * second,
    untilUs: startUs + untilS * second,
    resampleUs: stepS * second,
    flags: false,
    ...more,
  });
  const parts = [{ series, sources, tombstones: [], cutOffUs: 0 }];
  const [answer] = readInTurns([{ parts, request, cut: 3, sums }]);
  return JSON.parse(String(answer)).level;
}

/** Of each bucket, the values without their letters. */
function tableOf(rows: readonly Row[], some: readonly Aggregate[], asked: Asked): (number | string | null)[][] {
  const found = read(rows, { ...asked, aggregates: some }) as AggregateRow[];
  return found.map((row) => some.map((each) => (typeof row[each] === 'string' ? Number(row[each].slice(1)) : null)));
}

/** Historians 3 and 4 of Part 13, Annex A: stepped data, 16 s a bucket. Uncertain values count here. */
const numbers: readonly Row[] = [
  [2, 10],
  [25, 20],
  [28, 25],
  [39, 30],
  [42, 0, lost],
  [48, 40],
  [52, 50],
  [72, 60],
  [77, 70, doubtful],
  [83, 70],
  [86, 80],
  [90, 90],
];
const states: readonly Row[] = [
  [2, true],
  [25, false],
  [28, true],
  [39, true],
  [42, false, lost],
  [48, true],
  [52, false],
  [72, false],
  [77, true, doubtful],
  [83, true],
  [86, false],
  [90, true],
];
const sixteen = { stepS: 16, untilS: 96 };

describe('an aggregate', () => {
  test('AG-3 avg is the time average, total the integral in seconds, without bad time', () => {
    const hour: Row[] = [[0, 10], ...Array.from({ length: 9 }, (_, at): Row => [3590 + at, 100])];
    assert.deepEqual(tableOf(hour, ['avg', 'mean', 'total'], { stepS: 3600, untilS: 3600 }), [[10.25, 91, 36_900]]);
    for (const sums of [true, false]) {
      assert.deepEqual(tableOf(numbers, ['avg', 'total'], { ...sixteen, sums }), [
        [10, 140],
        [15.625, 250],
        [26.5, 265],
        [47.5, 760],
        [56.875, 910],
        [80, 1280],
      ]);
    }
    const same: Row[] = Array.from({ length: 50 }, (_, at) => [at / 7, 72.93]);
    assert.deepEqual(tableOf(same, ['avg', 'mean'], { stepS: 9, untilS: 9 }), [[72.93, 72.93]]);
  });

  test('AG-1 AG-4 counts the value in force at the start: least, greatest, first, last, and what lies between', () => {
    const some = ['min', 'max', 'range', 'first', 'last', 'delta'] as const;
    assert.deepEqual(tableOf(numbers, some, sixteen), [
      [10, 10, 0, 10, 10, 0],
      [10, 25, 15, 10, 25, 15],
      [25, 30, 5, 25, 30, 5],
      [40, 50, 10, 40, 50, 10],
      [50, 70, 20, 50, 70, 20],
      [70, 90, 20, 70, 90, 20],
    ]);
    const quiet: Row[] = [[-100, 7]];
    assert.deepEqual(tableOf(quiet, [...some, 'avg', 'percent-good'], { stepS: 10, untilS: 20 }), [
      [7, 7, 0, 7, 7, 0, 7, 100],
      [7, 7, 0, 7, 7, 0, 7, 100],
    ]);
    const meter: Row[] = [
      [-1, 2n ** 60n],
      [15, 2n ** 60n + 5n],
      [20, 2n ** 60n + 7n],
    ];
    const deltas = tableOf(meter, ['delta', 'count'], { datatype: 'l', stepS: 10, untilS: 30 });
    assert.deepEqual(
      deltas,
      [
        [0, 0],
        [5, 1],
        [0, 1],
      ],
      'exact, and a record at the start of a bucket is its first',
    );
  });

  test('AG-5 count, mean and stddev are of the records that are not bad', () => {
    const rounded = tableOf(numbers, ['count', 'mean', 'stddev'], sixteen).map((row) =>
      row.map((each) => (each === null ? null : Math.round(Number(each) * 1e4) / 1e4)),
    );
    assert.deepEqual(rounded, [
      [1, 10, 0],
      [2, 22.5, 3.5355],
      [1, 30, 0],
      [2, 45, 7.0711],
      [2, 65, 7.0711],
      [3, 80, 10],
    ]);
    assert.deepEqual(tableOf([[-1, 5]], ['count', 'mean', 'stddev'], { stepS: 1, untilS: 1 }), [[0, null, null]]);
  });

  test('AG-6 AG-7 durations of states, and transitions, pass over what is bad', () => {
    for (const sums of [true, false]) {
      const some = ['duration-true', 'duration-false', 'transitions'] as const;
      assert.deepEqual(tableOf(states, some, { ...sixteen, datatype: 'b', sums }), [
        [14, 0, 1],
        [13, 3, 2],
        [10, 0, 0],
        [4, 12, 1],
        [3, 13, 1],
        [12, 4, 2],
      ]);
    }
    const known: Row[] = [
      [-5, true, lost],
      [1, true],
      [2, false],
    ];
    assert.deepEqual(tableOf(known, ['transitions', 'count'], { datatype: 'b', stepS: 9, untilS: 9 }), [[1, 2]]);
  });

  test('AG-2 AG-8 durations by quality: what is not known is bad', () => {
    assert.deepEqual(tableOf(numbers, ['duration-good', 'duration-bad', 'percent-good'], sixteen), [
      [14, 2, 87.5],
      [16, 0, 100],
      [10, 6, 62.5],
      [16, 0, 100],
      [13, 0, 81.25],
      [13, 0, 81.25],
    ]);
  });

  test('AG-5 counts records by their quality, and not what is only in force', () => {
    const rows: Row[] = [
      [0, 1],
      [5, 2, doubtful],
      [8, 3, lost],
      [9, 4],
    ];
    const some = ['count', 'count-good', 'count-bad'] as const;
    assert.deepEqual(tableOf(rows, some, { stepS: 10, untilS: 20 }), [
      [3, 2, 1],
      [0, 0, 0],
    ]);
  });

  test('AG-9 AG-10 the worst quality in force, and the quality of the bucket', () => {
    const rows = read(numbers, { ...sixteen, aggregates: ['worst-quality', 'avg'] }) as AggregateRow[];
    const { subnormal } = quality.uncertain;
    assert.deepEqual(
      rows.map(({ q, 'worst-quality': worst }) => [q, worst]),
      [
        [subnormal, 'i0'],
        [good, `i${good}`],
        [subnormal, `i${lost}`],
        [good, `i${good}`],
        [subnormal, `i${doubtful}`],
        [subnormal, `i${doubtful}`],
      ],
    );
    const override: Row[] = [
      [0, 1, quality.goodLocalOverride],
      [1, 2],
    ];
    assert.deepEqual(read(override, { stepS: 9, untilS: 9, aggregates: ['worst-quality'] }), [
      [`i${quality.goodLocalOverride}`, [1_700_000_000, 0], good],
    ]);
  });

  test('AG-11 a bucket of which nothing is known is left out, but for what can be said of it; one that is bad is not', () => {
    const late: Row[] = [
      [25, 4],
      [40, 5, lost],
    ];
    const at = (seconds: number) => [1_700_000_000 + seconds, 0];
    const asked = { stepS: 10, untilS: 60 };
    assert.deepEqual(read(late, { ...asked, aggregates: ['max'] }), [
      ['d4', at(20), quality.uncertain.subnormal],
      ['d4', at(30), good],
      ['d5', at(40), lost],
      ['d5', at(50), lost],
    ]);
    assert.deepEqual(read(late, { ...asked, untilS: 50, aggregates: ['max', 'total'] }), [
      { t: at(20), q: quality.uncertain.subnormal, max: 'd4', total: 'd20' },
      { t: at(30), q: good, max: 'd4', total: 'd40' },
      { t: at(40), q: lost, max: null, total: null },
    ]);
    assert.deepEqual(
      read(late, { ...asked, aggregates: ['count'] }).map((record) => (record as [string])[0]),
      ['l0', 'l0', 'l1', 'l0', 'l0', 'l0'],
    );
    assert.deepEqual(read([], { ...asked, aggregates: ['avg'] }), []);
    assert.deepEqual(read(late, { ...asked, aggregates: ['max', 'min'], limit: 2 }).length, 2);
  });

  test('AG-12 has the datatype of the values, or that of what it counts', () => {
    const rows: Row[] = [
      [0, 3],
      [5, 8],
    ];
    const [row] = read(rows, { datatype: 'i', stepS: 10, untilS: 10, aggregates: [...aggregates] }) as [AggregateRow];
    const letters = aggregates.map((each) => `${each} ${row[each]?.[0]}`);
    assert.deepEqual(letters.filter((each) => each.endsWith(' i')).sort(), [
      'first i',
      'last i',
      'max i',
      'min i',
      'worst-quality i',
    ]);
    assert.deepEqual(
      letters.filter((each) => each.endsWith(' l')),
      ['count l', 'transitions l', 'count-good l', 'count-bad l'],
    );
    assert.equal(letters.filter((each) => each.endsWith(' d')).length, aggregates.length - 9);
  });

  test('AG-12 is the greatest double where it would be more', () => {
    const { MAX_VALUE } = Number;
    const huge: Row[] = [
      [0, MAX_VALUE],
      [1, -MAX_VALUE],
      [2, MAX_VALUE],
    ];
    const some = ['avg', 'mean', 'total', 'range', 'delta', 'stddev'] as const;
    const [row = []] = tableOf(huge, some, { stepS: 3000, untilS: 3000 });
    assert.ok(
      row.every((each) => Number.isFinite(each)),
      String(row),
    );
    assert.deepEqual([row[2], row[3], row[4]], [MAX_VALUE, MAX_VALUE, 0]);
  });

  test('AG-13 of texts there are those that need no numbers', () => {
    const texts: Row[] = [
      [0, 'open'],
      [5, 'shut'],
      [8, '', lost],
    ];
    const asked = { datatype: 's', stepS: 10, untilS: 10 } as const;
    const some = ['first', 'last', 'count', 'duration-good', 'percent-good', 'worst-quality'] as const;
    assert.deepEqual(read(texts, { ...asked, aggregates: some }), [
      {
        t: [1_700_000_000, 0],
        q: quality.uncertain.subnormal,
        first: 'sopen',
        last: 'sshut',
        count: 'l2',
        'duration-good': 'd8',
        'percent-good': 'd80',
        'worst-quality': `i${lost}`,
      },
    ]);
    assert.throws(() => read(texts, { ...asked, aggregates: ['avg'] }), { problem: 'invalid-query' });
  });

  test('of commands has no quality, and none of them is bad', () => {
    const asked = { kind: 'commands', stepS: 10, untilS: 10 } as const;
    assert.deepEqual(read([[-1, 2]], { ...asked, aggregates: ['avg'] }), [['d2', [1_700_000_000, 0]]]);
    assert.deepEqual(read([[-1, 2]], { ...asked, aggregates: ['avg', 'percent-good'] }), [
      { t: [1_700_000_000, 0], avg: 'd2', 'percent-good': 'd100' },
    ]);
  });
});
