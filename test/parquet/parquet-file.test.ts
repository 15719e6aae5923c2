// What the command line writes as Parquet is what others read of it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ArchiveKind } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { parquetBytes } from '../../packages/cli/src/parquet/parquet-file.ts';
import { OpenedParquet, queryDuckDb, withoutDuckDb } from './readers.ts';
import { anyRuns, framesOf, measurementColumns, type Run, rowsOf } from './records.ts';

const folder = temporaryFolder(suiteCleanup());
const file = join(folder, 'records.parquet');

async function bytesOf(kind: ArchiveKind, runs: readonly Run[], most = 3584): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const bytes of parquetBytes(kind, framesOf(kind, runs, most), () => ({ key: 'värde' }))) {
    pieces.push(Buffer.from(bytes));
  }
  return Buffer.concat(pieces);
}

async function write(runs: readonly Run[]): Promise<void> {
  writeFileSync(file, await bytesOf('measurements', runs));
}

const series = (name: string, count: number, values: (at: number) => number): Run => ({
  name,
  datatype: 'd',
  times: Array.from({ length: count }, (_, at) => 1_760_000_000_000_000 + at * 1_000_000),
  values: Array.from({ length: count }, (_, at) => values(at)),
  qualities: Array.from({ length: count }, () => 192),
  flags: Array.from({ length: count }, () => 0),
});

describe('a Parquet file', { skip: withoutDuckDb }, () => {
  test('gives DuckDB every record of every datatype, bit for bit', async () => {
    await fc.assert(
      fc.asyncProperty(anyRuns, async (runs) => {
        await write(runs);
        assert.deepEqual(await queryDuckDb(`select ${measurementColumns} from '${file}'`), rowsOf(runs));
      }),
      { numRuns: 60 },
    );
  });

  test('has counters of 64 bits that grow beyond what a double has', async () => {
    const counts = Array.from({ length: 1000 }, (_, at) => BigInt(at) * (2n ** 51n + 1n));
    await write([{ ...series('energy', counts.length, () => 0), datatype: 'l', values: counts }]);
    const rows = await queryDuckDb(`select long from '${file}'`);
    assert.deepEqual(rows.flat(), counts);
  });

  test('has commands without a quality', async () => {
    const run = series('setpoint', 2, (at) => at);
    writeFileSync(file, await bytesOf('commands', [run]));
    const rows = await queryDuckDb(`from '${file}'`);
    assert.deepEqual(
      rows.map(([name, , ...rest]) => [name, ...rest]),
      [0, 1].map((value) => ['setpoint', value, null, null, null, false, 'd']),
    );
  });

  test('has the transitions of alarms, and leaves out what is none', async () => {
    const texts = ['ACT_UNACK 7 triggerToo high', '', 'ACT_ACK 3 a\nbå😀', 'INACT_ACK 0 '];
    const run: Run = { ...series('high', 4, () => 0), datatype: 's', values: texts, flags: [0, 0, 0, 1] };
    writeFileSync(file, await bytesOf('alarms', [run]));
    assert.deepEqual(
      await queryDuckDb(`select name, epoch_us(time), state, authority, description, simulated from '${file}'`),
      [
        ['high', 1_760_000_000_000_000n, 'ACT_UNACK', 'trigger', 'Too high', false],
        ['high', 1_760_000_002_000_000n, 'ACT_ACK', 'a\nb', 'å😀', false],
        ['high', 1_760_000_003_000_000n, 'INACT_ACK', '', '', true],
      ],
    );
  });

  test('has times with their zone, so that they mean the same everywhere', async () => {
    await write([series('level', 1, () => 1)]);
    assert.deepEqual(await queryDuckDb(`select typeof(time), typeof(number), typeof(quality) from '${file}'`), [
      ['TIMESTAMP WITH TIME ZONE', 'DOUBLE', 'INTEGER'],
    ]);
  });

  test('is the same however its records came', async () => {
    const long = 'text '.repeat(2000);
    const texts = Array.from({ length: 6000 }, (_, at) => `${long}${at}`); // more than one row group for their length
    const runs = [
      series('level', 200_000, (at) => at % 1000),
      { ...series('log', 6000, () => 0), datatype: 's' as const, values: texts },
    ];
    const whole = await bytesOf('measurements', runs);
    for (const most of [100_000, 997]) assert.ok((await bytesOf('measurements', runs, most)).equals(whole), `${most}`);
    writeFileSync(file, whole);
    const [[count, distinct] = []] = await queryDuckDb(`select count(*), count(distinct text) from '${file}'`);
    assert.deepEqual([count, distinct], [206_000n, 6000n]);
    assert.ok(new OpenedParquet(file).metadata.row_groups.length >= 5);
  });

  test('without records has its columns', async () => {
    await write([]);
    assert.deepEqual(await queryDuckDb(`select count(*) from '${file}'`), [[0n]]);
    assert.deepEqual(await queryDuckDb(`select ${measurementColumns} from '${file}'`), []);
  });

  test('says what it is about', async () => {
    await write([]);
    const [[value] = []] = await queryDuckDb(`select decode(value) from parquet_kv_metadata('${file}')`);
    assert.equal(value, 'värde');
  });
});

describe('queries of a Parquet file', { skip: withoutDuckDb }, () => {
  const names = Array.from({ length: 12 }, (_, at) => `point_${String(at).padStart(2, '0')}`);
  const runs = names.map((name, point) => series(name, 40_000, (at) => point * 100 + Math.round(at / 400) / 100));

  test('pass over row groups that cannot have what they ask for', async () => {
    await write(runs);
    const groups = await queryDuckDb(
      `select stats_min_value, stats_max_value from parquet_metadata('${file}') where path_in_schema = 'name'`,
    );
    assert.deepEqual(groups, [
      ['point_00', 'point_03'],
      ['point_03', 'point_06'],
      ['point_06', 'point_09'],
      ['point_09', 'point_11'],
    ]);
    assert.deepEqual(
      await queryDuckDb(`select count(*), min(number), max(number) from '${file}' where name = 'point_07'`),
      [[40_000n, 700, 701]],
    );
    assert.deepEqual(await queryDuckDb(`select count(*) from '${file}' where number >= 1100`), [[40_000n]]);
  });

  test('find the pages of a name and an hour by their index', async () => {
    await write(runs);
    const opened = new OpenedParquet(file);
    const rows = runs.flatMap(({ name, times }) => times.map((time) => ({ name, time: new Date(time / 1000) })));
    const starts = Array.from({ length: Math.ceil(rows.length / 131_072) }, (_, group) => group * 131_072);
    const expected = starts.flatMap((start) => {
      const group = rows.slice(start, start + 131_072);
      const pages = Array.from({ length: Math.ceil(group.length / 16_384) }, (_, page) => page * 16_384);
      return pages.map((row) => {
        const page = group.slice(row, row + 16_384).map(({ name, time }) => ({ name, time: time.getTime() }));
        return { row, names: page.map(({ name }) => name), times: page.map(({ time }) => time) };
      });
    });
    assert.deepEqual(
      opened.pages('name'),
      expected.map(({ row, names }) => ({ row, least: names[0], greatest: names.at(-1) })),
    );
    assert.deepEqual(
      opened.pages('time'),
      expected.map(({ row, times }) => {
        return { row, least: new Date(Math.min(...times)), greatest: new Date(Math.max(...times)) };
      }),
    );
    const from = new Date(1_760_000_000_000 + 3_600_000);
    const until = new Date(from.getTime() + 3_600_000);
    const found = await opened.find({ $and: [{ name: { $eq: 'point_07' } }, { time: { $gte: from, $lt: until } }] });
    assert.deepEqual(
      found.map(({ time, number }) => [Number(time as Date), number]),
      Array.from({ length: 3600 }, (_, at) => [from.getTime() + at * 1000, 700 + Math.round((3600 + at) / 400) / 100]),
    );
  });

  test('find numbers where some are none, and both zeroes', async () => {
    await write([series('level', 20_000, (at) => (at % 2 === 0 ? Number.NaN : -0))]);
    const count = async (where: string) => (await queryDuckDb(`select count(*) from '${file}' where ${where}`))[0]?.[0];
    assert.equal(await count('isnan(number)'), 10_000n);
    assert.equal(await count('number > 1e300'), 10_000n); // to DuckDB, what is no number is above all
    assert.equal(await count('number = 0'), 10_000n);
    await write([series('level', 10, (at) => (at === 0 ? 0 : -0))]);
    const { statistics } = new OpenedParquet(file).chunk('number');
    assert.deepEqual([statistics?.min_value, statistics?.max_value], [-0, 0]);
    assert.equal(await count('number = 0'), 10n);
    await write([series('level', 10, () => -0)]);
    assert.equal(await count('number = 0'), 10n);
    assert.equal(await count('number >= 0'), 10n);
  });
});
