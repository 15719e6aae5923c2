import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, test } from 'node:test';
import { datatypes, formatPrefixed, ProblemError, toTimestamp, type Value } from '@telltale/schema';
import fc from 'fast-check';
import { ArchiveBench, maxBackfillBytes } from '../../../test/archive-bench.ts';
import { backfill, mostRecords } from './backfill.ts';

const bench = new ArchiveBench();
const { archive } = bench;

before(() => bench.open());
after(() => bench.close());
beforeEach(async () => {
  archive.batches.length = 0;
  for (const name of ['level', ...datatypes.map((each) => `of_${each}`)]) {
    await archive.erase('measurements', name, 0, Number.MAX_SAFE_INTEGER);
  }
});

const stored = (name: string) =>
  archive.records('measurements', name).map(({ timeUs, text, quality }) => [text, toTimestamp(timeUs), quality]);

async function taken(path: string, body: string, type?: string): Promise<void> {
  const response = await bench.post(path, body, type);
  assert.equal(response.status, 204, await response.text());
}

async function refused(path: string, body: string, problem: string, type?: string): Promise<string> {
  const response = await bench.post(path, body, type);
  const { type: page, detail } = (await response.json()) as { type: string; detail: string };
  assert.equal(page, `/docs/#problem-${problem}`, detail);
  return detail;
}

const values: Record<string, fc.Arbitrary<Value>> = {
  b: fc.boolean(),
  q: fc.integer({ min: 0, max: 3 }),
  i: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  l: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  f: fc.float({ noNaN: true, noDefaultInfinity: true }),
  d: fc.double({ noNaN: true, noDefaultInfinity: true }),
  s: fc.string({ unit: 'grapheme' }),
};

describe('backfill', () => {
  for (const datatype of datatypes) {
    test(`keeps every value of ${datatype} exactly, from JSON and from CSV`, async () => {
      const time = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
      const record = fc.tuple(values[datatype] ?? assert.fail(), time, fc.integer({ min: 0, max: 255 }));
      const list = fc.uniqueArray(record, { selector: ([, us]) => us, maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(list, fc.boolean(), async (records, isCsv) => {
          await archive.erase('measurements', `of_${datatype}`, 0, Number.MAX_SAFE_INTEGER + 1);
          const rows = records.map(([value, us, q]) => [formatPrefixed(datatype, value), toTimestamp(us), q] as const);
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const line = ([text, [s, us], q]: (typeof rows)[number]) =>
            `${s}.${String(us).padStart(6, '0')},${quoted(text.slice(1))},${q}\n`;
          if (isCsv)
            await taken(`/measurements/of_${datatype}`, `time,value,quality\n${rows.map(line).join('')}`, 'text/csv');
          else await taken(`/measurements/of_${datatype}`, JSON.stringify(rows));
          const inOrder = [...rows].sort(([, [s, us]], [, [s2, us2]]) => s - s2 || us - us2);
          assert.deepEqual(stored(`of_${datatype}`), inOrder);
        }),
        { numRuns: 30 },
      );
    });
  }

  test('takes what a read gave, in either form', async () => {
    await taken('/measurements/level', '{"level":[["d21.5",[1,0],192],["d22",[2,5],24]]}');
    const csv = await bench.fetch('/measurements/level/0.1/9', { headers: { accept: 'text/csv' } });
    const text = await csv.text();
    const before = stored('level');
    await archive.erase('measurements', 'level', 0, 9e15);
    await taken('/measurements/level', text, 'text/csv');
    assert.deepEqual(stored('level'), before);
  });

  test('takes times with an offset and without fraction, and good where no quality is said', async () => {
    const rows = ['time,value', '1970-01-02 01:00:00+01:00,1', '1970-01-01T00:00:00.5Z,2', '3.000001,3', ''];
    await taken('/measurements/level', rows.join('\r\n'), 'text/csv');
    assert.deepEqual(stored('level'), [
      ['d2', [0, 500_000], 192],
      ['d3', [3, 1], 192],
      ['d1', [86_400, 0], 192],
    ]);
  });

  test('is of commands as well, and of what only the archive still knows', async () => {
    await taken('/commands/setpoint', '[["d1",[1,0]]]');
    await taken('/commands/setpoint', 'name,time,value\r\nsetpoint,2,2\r\n', 'text/csv');
    assert.deepEqual(
      archive.records('commands', 'setpoint').map(({ text }) => text),
      ['d1', 'd2'],
    );
    archive.add({ kind: 'measurements', name: 'gone', datatype: 'i' }, 1, 'i7');
    await taken('/measurements/gone', '[["i8",[2,0],192]]');
    await refused('/measurements/other', '[]', 'unknown-object');
    await refused('/measurements/names', '[]', 'unknown-object');
  });

  for (const [what, body, detail] of [
    ['of another datatype', '["i1",[1,0],192]', /Record 2: "i1" does not start with d/],
    ['without a quality', '["d1",[1,0]]', /Record 2/],
    ['with a quality of 16 bits', '["d1",[1,0],256]', /Record 2: \/2 must be <= 255/],
    ['beyond all times', '["d1",[9007199255,0],192]', /Record 2: .*later than/],
    ['that is no record', '"d1"', /Record 2/],
    ['that is no JSON', '[d1]', /Item 2 is not JSON/],
  ] as const) {
    test(`refuses a record ${what}, says which it is, and keeps those before it`, async () => {
      const problem = what === 'that is no JSON' ? 'malformed-json' : 'invalid-record';
      const text = await refused('/measurements/level', `[["d5",[5,0],192],${body},["d6",[6,0],192]]`, problem);
      assert.match(text, detail);
      assert.match(text, /The record before it was taken\.$/);
      assert.deepEqual(stored('level'), [['d5', [5, 0], 192]]);
    });
  }

  for (const [row, detail] of [
    ['2026-02-30T00:00:00Z,1,192', /is no time/],
    ['2026-01-01T00:00:00,1,192', /is no time/],
    ['2026-01-01T25:00:00Z,1,192', /is no time/],
    ['-1,1,192', /is no time/],
    ['12345678901,1,192', /is no time/],
    ['.5,1,192', /is no time/],
    ['1.,1,192', /is no time/],
    ['1.1234567,1,192', /is no time/],
    [',1,192', /is no time/],
    ['1,1,1x', /is no quality/],
    ['1,1e3,192', /is not a decimal/],
    ['1,1,256', /is no quality/],
    ['1,1', /it has 2 fields, not 3/],
    ['1,"1', /ends within quotes/],
  ] as const) {
    test(`refuses the row ${row}`, async () => {
      const problem = row.includes('"') ? 'malformed-csv' : 'invalid-record';
      const text = await refused('/measurements/level', `time,value,quality\n5,5,192\n${row}\n`, problem, 'text/csv');
      assert.match(text, detail);
      assert.match(text, /The record before it was taken\.$/);
    });
  }

  test('refuses records of another name, a header that says nothing, and other types', async () => {
    const ofAnother = 'name,time,value\nother,1,1\n';
    assert.match(
      await refused('/measurements/level', ofAnother, 'invalid-record', 'text/csv'),
      /of "other", not of level/,
    );
    await refused('/measurements/level', '{"other":[["d1",[1,0],192]]}', 'invalid-record');
    for (const header of ['1,2,3', 'time', 'time,value,value', 'time,value,colour']) {
      assert.match(await refused('/measurements/level', `${header}\n`, 'invalid-record', 'text/csv'), /The header/);
    }
    await refused('/measurements/level', '<a/>', 'unsupported-media-type', 'application/xml');
    await refused('/measurements/level', '', 'malformed-json');
    assert.deepEqual(stored('level'), []);
  });

  test('gives others their turn every few kilobytes, however it arrives', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `${1_600_000_000 + at},${at},192\n`);
    const body = Buffer.from(`time,value,quality\n${rows.join('')}`);
    let [turns, records, isOver] = [0, 0, false];
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await backfill({
      kind: 'measurements',
      name: 'level',
      datatype: 'd',
      body: Readable.from([body]),
      type: 'text/csv',
      take: async (batch) => {
        records += batch.count;
      },
    });
    isOver = true;
    assert.equal(records, rows.length);
    assert.ok(turns >= body.length / 4096 - 1, `${turns} turns for ${body.length} bytes`);
  });

  test('goes in batches of a bounded size, however long the body', async () => {
    const rows = Array.from({ length: 150_000 }, (_, at) => `${at},1\n`);
    await taken('/measurements/of_b', `time,value\n${rows.join('')}`, 'text/csv').catch(() => assert.fail());
    assert.equal(
      archive.batches.reduce((sum, count) => sum + count, 0),
      rows.length,
    );
    assert.ok(
      archive.batches.length > 2 && archive.batches.every((count) => count <= mostRecords),
      `${archive.batches}`,
    );
  });

  test('longer than the limit is refused, and says what sets it', async () => {
    const body = `[${' '.repeat(maxBackfillBytes)}]`;
    assert.match(await refused('/measurements/level', body, 'body-too-large'), /--max-backfill-size/);
  });

  test('that the disk does not take says how much it took before', async () => {
    const original = archive.backfill.bind(archive);
    let calls = 0;
    archive.backfill = async (key, batch) => {
      if (++calls === 2) throw new ProblemError('storage-failed', 'No space is left.');
      await original(key, batch);
    };
    try {
      const rows = Array.from({ length: 100_000 }, (_, at) => `${at},1\n`);
      const detail = await refused('/measurements/of_b', `time,value\n${rows.join('')}`, 'storage-failed', 'text/csv');
      assert.match(detail, /^No space is left\. The \d+ records before it were taken\.$/);
    } finally {
      archive.backfill = original;
    }
  });
});
