import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { CertificateAuthority } from '../test/certificate-authority.ts';
import { CertificateFolder } from './certificate-folder.ts';

const nowhere = () => {};

async function newFolder(t: TestContext, applicationUri: string, folder = temporaryFolder(t)) {
  const warnings: string[] = [];
  const log = { debug: nowhere, info: nowhere, warn: (text: string) => warnings.push(text), error: nowhere };
  const certificates = new CertificateFolder({
    folder,
    applicationUri,
    applicationName: 'Telltale',
    clock: systemClock,
    log,
  });
  await certificates.initialize();
  return { folder, certificates, warnings };
}

describe('a folder of certificates', () => {
  test('has a certificate of its own that is made once, and a key that nobody else may read', async (t) => {
    const { folder, certificates } = await newFolder(t, 'urn:a');
    const again = await newFolder(t, 'urn:a', folder);
    assert.ok(again.certificates.getCertificate().equals(certificates.getCertificate()));
    const key = join(folder, 'own', 'private-key.pem');
    assert.equal(statSync(key).mode & 0o077, 0);
    const certificate = new X509Certificate(certificates.getCertificate());
    assert.ok(certificate.checkPrivateKey(createPrivateKey(readFileSync(key))));
    assert.match(certificate.subjectAltName ?? '', /URI:urn:a\b/);
  });

  test('makes another certificate for another application URI, of the same key', async (t) => {
    const { folder, certificates } = await newFolder(t, 'urn:a');
    const key = readFileSync(join(folder, 'own', 'private-key.pem'), 'utf8');
    const { certificates: renamed } = await newFolder(t, 'urn:', folder);
    assert.ok(!renamed.getCertificate().equals(certificates.getCertificate()));
    assert.equal(readFileSync(join(folder, 'own', 'private-key.pem'), 'utf8'), key);
  });

  test('keeps a certificate that an authority has signed, also when it ends soon or is of another application URI', async (t) => {
    const authority = await CertificateAuthority.root('site');
    const { pem, keyPem } = await authority.application('urn:a', { untilMs: Date.now() + 3_600_000 });
    const { folder } = await newFolder(t, 'urn:a');
    writeFileSync(join(folder, 'own', 'certificate.pem'), pem);
    writeFileSync(join(folder, 'own', 'private-key.pem'), keyPem);
    for (const [applicationUri, warning] of [
      ['urn:a', /ends on .*, and an authority has signed it: replace the file/],
      ['urn:b', /is not that of the application URI urn:b, and an authority has signed it/],
    ] as const) {
      const { warnings } = await newFolder(t, applicationUri, folder);
      assert.match(warnings.join(), warning);
      assert.equal(readFileSync(join(folder, 'own', 'certificate.pem'), 'utf8'), pem);
    }
  });

  for (const name of ['certificate.pem', 'private-key.pem']) {
    test(`is as it was, refuses by the path, or reports that its certificate is new, where ${name} is damaged`, async (t) => {
      const { folder, certificates } = await newFolder(t, 'urn:a');
      const { certificate, privateKey } = certificates.ownFiles;
      const whole = { [certificate]: readFileSync(certificate), [privateKey]: readFileSync(privateKey) };
      const path = join(folder, 'own', name);
      const bytes = whole[path] ?? assert.fail();
      const places = Array.from({ length: 24 }, (_, at) => Math.floor((at * bytes.length) / 24));
      const flipped = (at: number, bit: number) => bytes.with(at, (bytes[at] ?? 0) ^ (1 << bit));
      const damages = [...places.map((at, bit) => flipped(at, bit % 8)), bytes.subarray(0, 500), bytes.subarray(0, 0)];
      for (const damage of [...damages, undefined]) {
        for (const [file, content] of Object.entries(whole)) writeFileSync(file, content);
        if (damage === undefined) rmSync(path);
        else writeFileSync(path, damage);
        try {
          const found = await newFolder(t, 'urn:a', folder);
          const isSame = found.certificates.getCertificate().equals(certificates.getCertificate());
          assert.equal(found.warnings.length, isSame ? 0 : 1, found.warnings.join());
          const own = new X509Certificate(found.certificates.getCertificate());
          assert.ok(own.checkPrivateKey(createPrivateKey(readFileSync(privateKey))));
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          assert.ok((error as Error).message.startsWith(`${privateKey} is damaged: restore a copy`), String(error));
        }
      }
    });
  }

  test('trusts the very certificates that a person has put there, and no others', async (t) => {
    const { folder, certificates, warnings } = await newFolder(t, 'urn:a');
    const [friend, stranger] = [await newFolder(t, 'urn:friend'), await newFolder(t, 'urn:stranger')];
    const check = async ({ certificates: of }: typeof friend) =>
      (await certificates.checkCertificate(of.getCertificate())).name;
    assert.equal(await check(friend), 'BadCertificateUntrusted');
    const [name = assert.fail(), ...others] = readdirSync(join(folder, 'rejected'));
    assert.deepEqual(others, []);
    const [from, to] = [join(folder, 'rejected', name), join(folder, 'trusted')];
    assert.match(warnings[0] ?? '', /"urn:friend".*: to trust it, telltale certificates trust [0-9a-f]{16}$/);
    renameSync(from, join(to, name));
    assert.equal(await check(friend), 'Good');
    assert.equal(await check(stranger), 'BadCertificateUntrusted');
    writeFileSync(join(to, 'stranger.pem'), readFileSync(join(stranger.folder, 'own', 'certificate.pem')));
    assert.equal(await check(stranger), 'Good');
  });

  test('survives what is no certificate, given or trusted, and keeps the newest hundred strangers', async (t) => {
    const { folder, certificates } = await newFolder(t, 'urn:a');
    writeFileSync(join(folder, 'trusted', 'readme.txt'), 'nothing');
    for (const bytes of [Buffer.alloc(0), Buffer.from('nothing'), Buffer.alloc(100_000, 0x30)]) {
      assert.equal((await certificates.checkCertificate(bytes)).name, 'BadCertificateInvalid');
    }
    for (let at = 0; at < 100; at++) {
      const file = join(folder, 'rejected', `${at}.der`);
      writeFileSync(file, '');
      utimesSync(file, 1e9 + ((at + 50) % 100), 1e9 + ((at + 50) % 100));
    }
    const stranger = await newFolder(t, 'urn:stranger');
    const { name } = await certificates.checkCertificate([stranger.certificates.getCertificate()]);
    assert.equal(name, 'BadCertificateUntrusted');
    const stored = readdirSync(join(folder, 'rejected'));
    assert.equal(stored.length, 100);
    assert.ok(stored.some((each) => /^[0-9a-f]{64}\.pem$/.test(each)));
    assert.ok(!stored.includes('50.der'), 'the oldest has gone');
  });
});
