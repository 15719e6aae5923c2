// The queries of docs/guides/parquet.md, as they stand there, on what its first command writes of the demo plant.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import type { MeasurementRecord } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { runCli } from '../cli-process.ts';
import { moduleArgs, startServer } from '../server-process.ts';
import { root } from '../source-files.ts';
import { queryDuckDb, withoutDuckDb } from './readers.ts';

test('the queries of the guide answer', { skip: withoutDuckDb }, async (t) => {
  const folder = temporaryFolder(t);
  const { url } = await startServer(t, { data: join(folder, 'data'), args: ['--demo', ...moduleArgs] });
  const client = new TelltaleClient({ url });
  const records = [1, 2, 3].map((hour): MeasurementRecord => [`d${hour}`, [1_600_000_000 + 3600 * hour, 0], 192]);
  await client.archive.backfill('measurements', 'tank1_level', records);
  await client.alarms.activate('tank1_overflowing');
  const { code, stderr } = await runCli(['archive', 'export', '--parquet', join(folder, 'history')], { url });
  assert.equal(code, 0, stderr);
  const guide = readFileSync(join(root, 'docs/guides/parquet.md'), 'utf8');
  const queries = Array.from(guide.matchAll(/^```sql\n(.*?)^```$/gms), ([, sql = '']) => sql);
  assert.equal(queries.length, 3);
  for (const sql of queries) {
    const rows = await queryDuckDb(`set file_search_path = '${folder}'; ${sql}`);
    assert.ok(rows.length > 0, sql);
  }
});
