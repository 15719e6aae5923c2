import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { doctorBench, found, put } from '../../../test/doctor-bench.ts';
import { checkCertificates } from './certificates-check.ts';

const noOpenssl = spawnSync('openssl', ['version']).status === 0 ? false : 'there is no openssl on this machine';

/** A certificate of 40 days from now, with its key beside it. */
function make(certificate: string, key: string): void {
  for (const path of [certificate, key]) mkdirSync(dirname(path), { recursive: true });
  const args =
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 40 -subj /CN=plant -keyout`.split(' ');
  const { status, stderr } = spawnSync('openssl', [...args, key, '-out', certificate]);
  assert.equal(status, 0, String(stderr));
}

/** Microseconds since 1970, so many days from now. */
const inDays = (days: number) => new ManualClock((Date.now() + days * 86_400_000) * 1000);

describe('certificates', { skip: noOpenssl }, () => {
  test('that are valid are in order, soon expire are looked at, and have expired are wrong', async (t) => {
    const bench = doctorBench(t, { machine: { clock: inDays(1) } });
    assert.deepEqual(await found(checkCertificates, bench), ['ok: There are none.']);
    const own = join(bench.folder, 'stacks/server/own');
    make(join(own, 'certificate.pem'), join(own, 'private-key.pem'));
    put(join(bench.folder, 'stacks/server/certificate.txt'), 'no certificate');
    const at = async (days: number) =>
      (await found(checkCertificates, { ...bench, machine: { ...bench.machine, clock: inDays(days) } })).join();
    assert.match(await at(1), /^ok: 1 of them/);
    assert.match(await at(20), /^note: FOLDER\/stacks\/server\/own\/certificate\.pem expires on 20/);
    assert.match(await at(50), /^wrong: .* has expired on 20/);
    assert.match(await at(-2), /^wrong: .* is not valid before 20/);
  });

  test('that were renewed may have expired', async (t) => {
    const bench = doctorBench(t, { machine: { clock: inDays(50) } });
    const own = join(bench.folder, 'stacks/connector-press/own');
    make(join(own, 'certificate-before.pem'), join(own, 'private-key.pem'));
    assert.deepEqual(await found(checkCertificates, bench), ['ok: There are none.']);
  });

  test('that do not fit the key beside them are wrong; those that were rejected are nobody’s business', async (t) => {
    const bench = doctorBench(t, { machine: { clock: inDays(1) } });
    const place = (path: string) => join(bench.folder, 'secrets/broker', path);
    make(place('a/client.crt'), place('b/client.key'));
    make(place('b/client.crt'), place('a/client.key'));
    make(place('rejected/peer.pem'), place('rejected/other.key'));
    assert.deepEqual(await found(checkCertificates, bench), [
      'wrong: FOLDER/secrets/broker/a/client.crt does not belong to the private key beside it.',
      'wrong: FOLDER/secrets/broker/b/client.crt does not belong to the private key beside it.',
    ]);
  });
});
