import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { doctorBench, found, put } from '../../../test/doctor-bench.ts';
import { copyBefore } from '../../upgrade/index.ts';
import { checkBeforeUpgrade } from './before-upgrade-check.ts';

test('copies of before an upgrade are looked at until they are deleted', async (t) => {
  const bench = doctorBench(t);
  const none = ['ok: There are none of before an upgrade.'];
  assert.deepEqual(await found(checkBeforeUpgrade, bench), none);
  put(join(bench.folder, 'cfgdb.sqlite'), 'hunter2');
  copyBefore(bench.folder, 1);
  const findings = await checkBeforeUpgrade(bench);
  assert.match(
    (await found(checkBeforeUpgrade, bench)).join(),
    /^note: FOLDER\/before-upgrade has the files of before/,
  );
  assert.equal(findings[0]?.fix, `rm -r ${join(bench.folder, 'before-upgrade')}`);
  rmSync(join(bench.folder, 'before-upgrade'), { recursive: true });
  assert.deepEqual(await found(checkBeforeUpgrade, bench), none);
});
