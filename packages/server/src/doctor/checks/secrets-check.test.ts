import assert from 'node:assert/strict';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { doctorBench, found, put } from '../../../test/doctor-bench.ts';
import { checkSecrets } from './secrets-check.ts';

const noModes = process.platform === 'win32' ? 'Windows has no modes' : false;

describe('secrets', { skip: noModes }, () => {
  test('are in order: none, with a line break at the end, and a key of several lines', async (t) => {
    const bench = doctorBench(t);
    assert.deepEqual(await found(checkSecrets, bench), ['ok: There are none.']);
    put(join(bench.folder, 'secrets/broker/password'), 'hunter2\n');
    put(join(bench.folder, 'secrets/broker/key'), '-----BEGIN PRIVATE KEY-----\nabc\n');
    assert.deepEqual(await found(checkSecrets, bench), ['ok: 2 of them, each in order.']);
  });

  test('that are empty, links or in nobody’s folder are wrong; with spaces or several lines are looked at', async (t) => {
    const bench = doctorBench(t);
    const secrets = join(bench.folder, 'secrets');
    put(join(secrets, 'password'), 'hunter2');
    put(join(secrets, 'broker/empty'), '\nhunter2');
    put(join(secrets, 'broker/lines'), 'hunter2\r\nhunter3\r\n');
    put(join(secrets, 'broker/space'), 'hunter2 \n');
    symlinkSync(join(secrets, 'password'), join(secrets, 'broker/link'));
    const findings = await checkSecrets(bench);
    assert.deepEqual(await found(checkSecrets, bench), [
      'wrong: The first line of FOLDER/secrets/broker/empty is empty: that is the secret.',
      'note: FOLDER/secrets/broker/empty has several lines: only the first is the secret.',
      'note: FOLDER/secrets/broker/lines has several lines: only the first is the secret.',
      'wrong: FOLDER/secrets/broker/link is not a file: links are not followed.',
      'note: The secret in FOLDER/secrets/broker/space begins or ends with a space.',
      'wrong: FOLDER/secrets/password belongs to no connector or provider.',
    ]);
    assert.doesNotMatch(JSON.stringify(findings), /hunter/);
  });

  test('that other users can read are wrong, unless a folder above keeps them out', async (t) => {
    const bench = doctorBench(t);
    put(join(bench.folder, 'secrets/broker/password'), 'hunter2', 0o644);
    chmodSync(join(bench.folder, 'secrets/broker/password'), 0o644);
    assert.match((await found(checkSecrets, bench)).join(), /^ok: /);
    for (const folder of ['secrets', 'secrets/broker']) chmodSync(join(bench.folder, folder), 0o755);
    assert.deepEqual(await found(checkSecrets, bench), [
      'wrong: FOLDER/secrets/broker/password can be read by other users.',
    ]);
  });
});
