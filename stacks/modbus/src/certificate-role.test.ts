import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { type CertificateName, makeCertificates, pairOf, withoutOpenssl } from '../test/test-certificates.ts';
import { roleOf } from './certificate-role.ts';

describe('the role in a certificate', { skip: withoutOpenssl }, () => {
  test('is the text of its extension, and that alone', (t) => {
    const folder = temporaryFolder(t);
    makeCertificates(folder);
    const roles = (['operator', 'viewer', 'nobody', 'unread', 'elsewhere', 'ca'] as CertificateName[]).map((name) =>
      roleOf(new X509Certificate(pairOf(folder, name).cert)),
    );
    assert.deepEqual(roles, ['Operator', 'Viewer', undefined, undefined, undefined, undefined]);
    const { raw } = new X509Certificate(pairOf(folder, 'operator').cert);
    for (let end = 0; end < raw.length; end++) assert.equal(roleOf({ raw: raw.subarray(0, end) }), undefined);
  });
});

/** An element of DER. */
const element = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag, 0x82, content.length >> 8, content.length), content]);
};
const id = Buffer.from('060b2b0601040183890c862201', 'hex');
const extension = (value: Uint8Array, ...between: Uint8Array[]) => element(0x30, id, ...between, element(0x04, value));
const certificate = (...extensions: Buffer[]) => ({
  raw: element(0x30, element(0x30, element(0xa3, element(0x30, ...extensions)))),
});
const utf8 = (text: string) => element(0x0c, Buffer.from(text));

test('a role may be critical, and is never one of several', () => {
  assert.equal(roleOf(certificate(extension(utf8('Größe')))), 'Größe');
  assert.equal(roleOf(certificate(extension(utf8('a'), Buffer.from('0101ff', 'hex')))), 'a');
  assert.equal(roleOf(certificate(extension(utf8('a')), extension(utf8('b')))), undefined);
  assert.equal(roleOf(certificate(extension(Buffer.concat([utf8('a'), utf8('b')])))), undefined);
  assert.equal(roleOf(certificate(extension(utf8('')))), undefined);
  assert.equal(roleOf(certificate(extension(utf8('x'.repeat(257))))), undefined);
});

test('whatever is in the place of a certificate has no role', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.equal(roleOf({ raw: Buffer.from(bytes) }), undefined);
      roleOf(certificate(Buffer.from(bytes)));
    }),
  );
  for (const bytes of ['3080', '30ff', '3085ffffffffff', '3084ffffffff', '30']) {
    assert.equal(roleOf({ raw: Buffer.from(bytes, 'hex') }), undefined);
  }
});
