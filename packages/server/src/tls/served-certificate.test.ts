// Promises of the served certificate: new files count by themselves, wrong ones change nothing, and people are told.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import pino from 'pino';
import { filesIn, newPair, writePair } from '../../test/made-files.ts';
import { UnusableTls } from './read-tls.ts';
import { lookPeriodMs, ServedCertificate } from './served-certificate.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 5, 1);

async function rig(t: Scope, pair = newPair(startMs)) {
  const folder = temporaryFolder(t);
  const files = filesIn(folder);
  writePair(files, pair);
  const clock = new ManualClock(startMs * 1000);
  const lines: { level: number; msg: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const changes: SecureContextOptions[] = [];
  const served = await ServedCertificate.open({ files, clock, log, onChange: (context) => changes.push(context) });
  cleanupOf(t).defer(() => served.close());
  served.begin();
  const looked = async () => {
    while (clock.pending === 0) await new Promise(setImmediate);
  };
  /** The files are looked at, and have been when it resolves. */
  const look = async () => {
    await looked();
    clock.advance(lookPeriodMs);
    await looked();
  };
  const texts = () => lines.map(({ msg }) => msg);
  return { folder, files, clock, served, changes, look, lines, texts };
}

const printOf = ({ certificate }: { certificate: string }) => new X509Certificate(certificate).fingerprint256;

describe('files that are replaced', () => {
  test('count from the next look on, by themselves, and only then', async (t) => {
    const first = newPair(startMs);
    const { files, served, changes, look } = await rig(t, first);
    assert.equal(served.fingerprint, printOf(first));
    for (let again = 0; again < 3; again++) await look();
    assert.equal(changes.length, 0);
    const second = newPair(startMs);
    writePair(files, second);
    await look();
    assert.equal(served.fingerprint, printOf(second));
    assert.deepEqual([changes.length, served.counts, served.warnings], [1, { reloads: 1, failures: 0 }, []]);
    createSecureContext(changes[0]);
  });

  test('count as well where a link leads elsewhere now', async (t) => {
    const { folder, files, served, look } = await rig(t);
    const second = newPair(startMs);
    writePair(filesIn(temporaryFolder(t)), second);
    const moved = { certFile: join(folder, 'c2.pem'), keyFile: join(folder, 'k2.pem') };
    writePair(moved, second);
    for (const [link, target] of [
      [files.certFile, moved.certFile],
      [files.keyFile, moved.keyFile],
    ] as const) {
      rmSync(link);
      symlinkSync(target, link);
    }
    await look();
    assert.equal(served.fingerprint, printOf(second));
  });

  test('one after the other are not told as a fault: the second one may follow', async (t) => {
    const { files, served, look, lines } = await rig(t);
    const second = newPair(startMs);
    writeFileSync(files.certFile, second.certificate);
    await look();
    assert.deepEqual([served.warnings, served.counts.failures, lines.length], [[], 0, 0]);
    writeFileSync(files.keyFile, second.key);
    await look();
    assert.equal(served.fingerprint, printOf(second));
    assert.equal(served.counts.failures, 0);
  });
});

describe('files that cannot be used', () => {
  const wrong: readonly (readonly [string, (files: ReturnType<typeof filesIn>) => void, RegExp])[] = [
    [
      'a key of another certificate',
      ({ keyFile }) => writeFileSync(keyFile, newPair().key),
      /is not that of the certificate/,
    ],
    [
      'no certificate',
      ({ certFile }) => writeFileSync(certFile, 'nothing'),
      /certificate\.pem has no certificate in PEM/,
    ],
    ['an empty key', ({ keyFile }) => writeFileSync(keyFile, ''), /key\.pem has no private key in PEM/],
    ['a file that is gone', ({ keyFile }) => rmSync(keyFile), /key\.pem cannot be read: ENOENT/],
    ['a huge file', ({ certFile }) => writeFileSync(certFile, 'x'.repeat(2 << 20)), /larger than 1 MiB/],
    ['an expired pair', (files) => writePair(files, newPair(Date.UTC(2001, 0, 1))), /has expired/],
  ];

  for (const [what, replace, text] of wrong) {
    test(`${what}: the old pair is served on, the log and a warning say so once, until it is mended`, async (t) => {
      const first = newPair(startMs);
      const { files, served, changes, look, lines, texts } = await rig(t, first);
      replace(files);
      for (let again = 0; again < 5; again++) await look();
      assert.deepEqual([served.fingerprint, changes.length], [printOf(first), 0]);
      assert.deepEqual([served.counts, served.isBehind], [{ reloads: 0, failures: 1 }, true]);
      assert.equal(served.warnings.length, 1);
      assert.match(served.warnings[0] ?? '', text);
      assert.deepEqual([lines.length, lines[0]?.level], [1, 50]);
      assert.match(texts()[0] ?? '', /the old certificate is served on/);
      const second = newPair(startMs);
      writePair(files, second);
      for (let again = 0; again < 2; again++) await look();
      assert.deepEqual([served.fingerprint, served.warnings, served.isBehind], [printOf(second), [], false]);
    });
  }

  test('at the start are a reason not to start, in one sentence', async (t) => {
    for (const [, replace, text] of wrong.slice(0, 5)) {
      const files = filesIn(temporaryFolder(t));
      writePair(files, newPair());
      replace(files);
      const options = { files, clock: new ManualClock(), log: pino({ level: 'silent' }), onChange: () => undefined };
      await assert.rejects(ServedCertificate.open(options), (error: Error) => {
        assert.match(error.message, text);
        return error instanceof UnusableTls;
      });
    }
  });
});

test('a certificate that expires is told 30 days before, once a day, and louder when it has', async (t) => {
  const { served, clock, look, lines } = await rig(t);
  const leftDays = Math.round((served.facts.validUntilMs - startMs) / dayMs);
  assert.deepEqual(served.warnings, []);
  clock.advance((leftDays - 29) * dayMs);
  for (let again = 0; again < 3; again++) await look();
  assert.deepEqual([lines.length, lines[0]?.level], [1, 40]);
  assert.match(served.warnings[0] ?? '', /expires on 2036-05-29: replace .*certificate\.pem/);
  clock.advance(30 * dayMs);
  await look();
  assert.deepEqual([lines.length, lines[1]?.level], [2, 50]);
  assert.match(served.warnings[0] ?? '', /expired on 2036-05-29/);
});
