import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '@telltale/schema/testing';
import { temporaryFolder } from '../testing/cleanup.ts';
import { ovenCertificate, pressCertificate } from '../testing/sample-certificates.ts';
import { thumbprintOf } from './certificate.ts';
import { deleteCertificate, moveCertificate, readCertificates, storeRejected } from './certificate-files.ts';
import { PeerCertificates } from './peer-certificates.ts';

const press = new X509Certificate(pressCertificate);
const oven = new X509Certificate(ovenCertificate);

function rig(t: TestContext, folder = temporaryFolder(t)) {
  const clock = new ManualClock();
  const warnings: string[] = [];
  const quiet = () => {};
  const log = { debug: quiet, info: quiet, warn: (text: string) => warnings.push(text), error: quiet };
  const peers = new PeerCertificates({ folder, clock, log });
  const rejected = async () => (await readCertificates(folder, 'rejected')).map(({ refusal }) => refusal);
  return { folder, clock, warnings, peers, rejected };
}

describe('the certificates of peers', () => {
  test('are kept with who presented them, when and how often, in a file of the owner alone', async (t) => {
    const { folder, clock, peers, rejected, warnings } = rig(t);
    await peers.reject(press, '192.168.5.20:8883', 'it is self-signed');
    const firstMs = clock.now() / 1000;
    assert.deepEqual(await rejected(), [
      { address: '192.168.5.20:8883', reason: 'it is self-signed', firstMs, lastMs: firstMs, count: 1 },
    ]);
    const thumbprint = thumbprintOf(press);
    assert.match(warnings[0] ?? '', new RegExp(`to trust it, telltale certificates trust ${thumbprint.slice(0, 16)}$`));
    const file = join(folder, 'rejected', `${thumbprint}.pem`);
    assert.equal(statSync(file).mode & 0o077, 0);
    assert.match(readFileSync(file, 'utf8'), /^address: 192\.168\.5\.20:8883\n/);
    for (let again = 0; again < 5; again++) await peers.reject(press, '192.168.5.21:8883', 'it is self-signed');
    assert.equal((await rejected())[0]?.count, 1, 'not written again at once');
    clock.advance(1000);
    await peers.close();
    assert.deepEqual(await rejected(), [
      { address: '192.168.5.21:8883', reason: 'it is self-signed', firstMs, lastMs: firstMs, count: 6 },
    ]);
  });

  test('are there once, also while they are written again, or were not written to the end', async (t) => {
    const { folder, peers, rejected } = rig(t);
    await peers.reject(press, 'a', 'x');
    const place = join(folder, 'rejected');
    const name = `${thumbprintOf(press)}.pem`;
    const refusal = { address: 'a', reason: 'x', firstMs: 1, lastMs: 2, count: 3 };
    const writing = Promise.all(Array.from({ length: 20 }, () => storeRejected(folder, press, refusal)));
    for (let looks = 0; looks < 200; looks++) {
      assert.deepEqual(
        readdirSync(place).filter((each) => !each.startsWith('.')),
        [name],
      );
      await nextTurn();
    }
    await writing;
    writeFileSync(join(place, `.${name}.1`), readFileSync(join(place, name)));
    assert.equal((await rejected()).length, 1);
  });

  test('are counted on from where an earlier start had ended', async (t) => {
    const { folder, peers } = rig(t);
    await peers.reject(press, 'a', 'x');
    const { peers: later, rejected } = rig(t, folder);
    await later.reject(press, '', 'y');
    assert.deepEqual(
      (await rejected()).map((refusal) => [refusal?.address, refusal?.reason, refusal?.count]),
      [['a', 'y', 2]],
    );
  });

  test('are taken when they are trusted, refused when that is taken back, and forgotten when they are deleted', async (t) => {
    const { folder, peers, rejected } = rig(t);
    const thumbprint = thumbprintOf(press);
    assert.equal(await moveCertificate(folder, thumbprint, 'trusted'), false);
    await peers.reject(press, 'a', 'x');
    assert.equal(await peers.isTrusted(press), false);
    assert.equal(await moveCertificate(folder, thumbprint, 'trusted'), true);
    assert.equal(await peers.isTrusted(press), true);
    assert.equal(await peers.isTrusted(oven), false);
    assert.deepEqual(await rejected(), []);
    assert.equal(await moveCertificate(folder, thumbprint, 'rejected'), true);
    assert.equal(await peers.isTrusted(press), false);
    assert.equal((await rejected())[0]?.address, 'a');
    assert.equal(await deleteCertificate(folder, thumbprint, 'rejected'), true);
    assert.equal(await deleteCertificate(folder, thumbprint, 'rejected'), false);
    assert.deepEqual(await rejected(), []);
  });

  test('are trusted from a file that a person has put there, whatever its name and form', async (t) => {
    const { folder, peers } = rig(t);
    mkdirSync(join(folder, 'trusted'));
    writeFileSync(join(folder, 'trusted', 'readme.txt'), 'nothing');
    writeFileSync(join(folder, 'trusted', 'the press.der'), press.raw);
    writeFileSync(join(folder, 'trusted', 'oven'), ovenCertificate);
    assert.deepEqual([await peers.isTrusted(press), await peers.isTrusted(oven)], [true, true]);
  });

  test('are not written to disk without a limit, however many a peer makes, and the newest are kept', async (t) => {
    const { folder, clock, peers, warnings } = rig(t);
    // As many as one likes: only the thumbprint and the bytes matter here.
    const made = (number: number) =>
      ({
        fingerprint256: number.toString(16).padStart(64, '0'),
        raw: Buffer.from(`${number}`),
        subject: `CN=${number}`,
        toString: () => pressCertificate,
      }) as unknown as X509Certificate;
    for (let number = 0; number < 1000; number++) void peers.reject(made(number), 'a', 'x');
    await peers.close();
    assert.equal(readdirSync(join(folder, 'rejected')).length, 10);
    for (let number = 1000; number < 1200; number++) {
      clock.advance(1000);
      void peers.reject(made(number), 'a', 'x');
    }
    await peers.close();
    assert.equal(readdirSync(join(folder, 'rejected')).length, 100);
    assert.ok(warnings.includes('990 more unknown certificates were refused, and not kept'));
  });

  test('cannot write lines of their own into the file', async (t) => {
    const { peers, rejected } = rig(t);
    await peers.reject(press, `a\ncount: 99\n${pressCertificate}`, 'x\r\nlast: 1970-01-01');
    const [refusal] = await rejected();
    assert.equal(refusal?.count, 1);
    assert.ok(!/[\r\n]/.test(`${refusal?.address}${refusal?.reason}`));
  });
});
