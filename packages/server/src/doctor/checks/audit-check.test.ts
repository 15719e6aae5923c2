import assert from 'node:assert/strict';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { doctorBench, found } from '../../../test/doctor-bench.ts';
import { fieldsOfWrite, linesIn, openTrail, putLines, startMs } from '../../../test/trail-bench.ts';
import { segmentsIn } from '../../audit/segments.ts';
import { checkAudit } from './audit-check.ts';

function write(folder: string, segmentBytes?: number): void {
  const trail = openTrail(folder, segmentBytes);
  for (let number = 0; number < 20; number++) trail.commit([fieldsOfWrite(number)], startMs);
  trail.close();
}

describe('the audit trail', () => {
  test('is in order where there is none, and where its newest records are as they were written', async (t) => {
    const bench = doctorBench(t);
    assert.deepEqual(await found(checkAudit, bench), ['ok: There is none yet.']);
    write(bench.folder);
    assert.deepEqual(await found(checkAudit, bench), [
      'ok: The last 21 records are as they were written; record 21 is the last, 1 the last signature.',
    ]);
  });

  test('is looked at where it is newest alone: all of it may be long', async (t) => {
    const bench = doctorBench(t);
    write(bench.folder, 1000);
    const [oldest] = segmentsIn(join(bench.folder, 'audit'));
    rmSync(oldest?.path ?? '');
    assert.match((await found(checkAudit, bench)).join(), /^ok: /);
  });

  test('in which a record was changed or dropped is wrong, with the first fault', async (t) => {
    const bench = doctorBench(t);
    write(bench.folder);
    const lines = linesIn(bench.folder);
    putLines(bench.folder, lines.toSpliced(5, 1));
    assert.deepEqual(await found(checkAudit, bench), [
      'wrong: audit-0000000000000001.jsonl, line 6: the records 6 to 6 are missing before 7.',
    ]);
    const [{ fix } = { fix: '' }] = await checkAudit(bench);
    assert.match(fix ?? '', /telltale audit verify/);
  });

  test('whose key others can read is wrong; one that is gone is looked at', async (t) => {
    const bench = doctorBench(t);
    write(bench.folder);
    const key = join(bench.folder, 'audit.key');
    chmodSync(key, 0o644);
    if (process.platform !== 'win32') assert.match((await found(checkAudit, bench)).join(), /^wrong: .*other users/);
    rmSync(key);
    assert.match((await found(checkAudit, bench)).join(), /^note: FOLDER\/audit\.key is missing/);
  });
});
