import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { doctorBench, found } from '../../../test/doctor-bench.ts';
import { filesIn, newPair, writePair } from '../../../test/made-files.ts';
import { checkTls } from './tls-check.ts';

test('files of TLS that fit are in order; a key for others, an end that is near and a wrong key are found', async (t) => {
  assert.deepEqual(await found(checkTls, doctorBench(t)), []);
  const nowMs = Date.UTC(2026, 5, 1);
  const bench = doctorBench(t);
  const files = filesIn(bench.folder);
  const settings = [`--tls-cert=${files.certFile}`, `--tls-key=${files.keyFile}`];
  writePair(files, newPair(nowMs));
  chmodSync(files.keyFile, 0o600);
  const at = async (ms: number) =>
    (await found(checkTls, doctorBench(t, { settings, machine: { clock: new ManualClock(ms * 1000) } }))).map((each) =>
      each.replaceAll(bench.folder, 'PLACE'),
    );
  assert.deepEqual(await at(nowMs), ['ok: PLACE/certificate.pem is valid until 2036-05-29, and fits its key.']);
  chmodSync(files.keyFile, 0o644);
  assert.deepEqual((await at(nowMs))[1], 'note: Others can read PLACE/key.pem.');
  assert.match((await at(Date.UTC(2036, 4, 20)))[0] ?? '', /^note: .* expires on 2036-05-29/);
  assert.match((await at(Date.UTC(2036, 5, 20)))[0] ?? '', /^wrong: .* has expired on 2036-05-29/);
  writeFileSync(files.keyFile, newPair().key);
  assert.match((await at(nowMs))[0] ?? '', /^wrong: The key in PLACE\/key\.pem is not that of the certificate/);
});
