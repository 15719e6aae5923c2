import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { ovenCertificate, pressCertificate } from '../testing/sample-certificates.ts';
import { factsOf, isInForce, parseCertificate, parseCertificates, titleOf } from './certificate.ts';

const press = new X509Certificate(pressCertificate);

test('a certificate is known by its thumbprints, names, addresses and time', () => {
  const facts = factsOf(press);
  assert.match(facts.thumbprint, /^[0-9a-f]{64}$/);
  assert.match(facts.sha1, /^[0-9a-f]{40}$/);
  assert.equal(facts.subject, 'CN=press 1');
  assert.equal(facts.issuer, 'CN=press 1');
  assert.equal(facts.isSelfSigned, true);
  assert.deepEqual(facts.names, ['press.example']);
  assert.deepEqual(facts.addresses.toSorted(), ['192.168.5.20', 'urn:press']);
  assert.equal(facts.validFromMs, Date.UTC(2026, 0, 1));
  assert.equal(facts.validUntilMs, Date.UTC(2027, 0, 1));
  assert.equal(titleOf(press), '"urn:press"');
});

test('it is in force from its first to its last moment', () => {
  const [from, until] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
  assert.deepEqual(
    [from - 1, from, until, until + 1].map((nowMs) => isInForce(press, nowMs)),
    [false, true, true, false],
  );
});

test('one whose times cannot be read is never in force, and has expired', () => {
  const damaged = (time: string) => {
    const bytes = Buffer.from(press.raw);
    const at = bytes.indexOf(time);
    assert.ok(at > 0);
    bytes.write('991399999999Z', at);
    return parseCertificate(bytes) ?? assert.fail();
  };
  const nowMs = Date.UTC(2026, 5, 1);
  for (let time = 0; time < 20; time++) {
    const [noStart, noEnd] = [damaged('260101000000Z'), damaged('270101000000Z')];
    assert.deepEqual([isInForce(noStart, nowMs), isInForce(noEnd, nowMs)], [false, false]);
    assert.deepEqual([factsOf(noStart).validFromMs, factsOf(noEnd).validUntilMs], [0, 0]);
  }
});

test('what is no certificate, or too long, is none; a file may have several, with other text between them', () => {
  for (const bytes of [undefined, Buffer.alloc(0), Buffer.from('nothing'), Buffer.alloc(100_000, 0x30)]) {
    assert.equal(parseCertificate(bytes), undefined);
  }
  const several = parseCertificates(Buffer.from(`press:\n${pressCertificate}\noven:\n${ovenCertificate}`));
  assert.deepEqual(
    several.map(({ subject }) => subject),
    ['CN=press 1', 'CN=oven'],
  );
  assert.equal(parseCertificates(press.raw).length, 1);
  assert.deepEqual(parseCertificates(Buffer.from('nothing')), []);
  assert.equal(parseCertificates(Buffer.from(pressCertificate.repeat(300))).length, 200);
});
