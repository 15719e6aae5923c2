// Promises of the certificate that the service makes itself, as OpenSSL reads it.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, isIPv6 } from 'node:net';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { addressBytes } from './make-certificate.ts';
import { makeSelfSigned } from './self-signed.ts';
import { tlsOptions } from './tls-options.ts';

const nowMs = Date.UTC(2026, 5, 1, 12, 30);
const hosts = ['localhost', 'plant.example', '127.0.0.1', '::1', 'fd00::12:ab'];

test('it is of P-256, signs itself and nothing else, and is good for the hosts that it is made for', () => {
  const { certificate, key } = makeSelfSigned({ title: 'Telltale on plant', hosts, nowMs });
  const made = new X509Certificate(certificate);
  assert.match(key, /^-----BEGIN PRIVATE KEY-----/);
  const { asymmetricKeyType, asymmetricKeyDetails } = made.publicKey;
  assert.deepEqual([asymmetricKeyType, asymmetricKeyDetails?.namedCurve], ['ec', 'prime256v1']);
  assert.equal(made.verify(made.publicKey), true);
  assert.deepEqual([made.ca, made.subject, made.issuer], [false, 'CN=Telltale on plant', 'CN=Telltale on plant']);
  assert.deepEqual([made.validFrom, made.validTo], ['May 31 12:30:00 2026 GMT', 'May 29 12:30:00 2036 GMT']);
  for (const host of ['localhost', 'plant.example']) assert.equal(made.checkHost(host), host);
  for (const address of ['127.0.0.1', '::1', 'fd00::12:ab']) assert.notEqual(made.checkIP(address), undefined, address);
  assert.equal(made.checkHost('evil.example'), undefined);
  assert.equal(made.checkIP('127.0.0.2'), undefined);
});

test('each is another, with a serial number that is positive and long', () => {
  const all = Array.from({ length: 20 }, () => makeSelfSigned({ title: 't', hosts, nowMs }));
  assert.equal(new Set(all.map(({ key }) => key)).size, 20);
  const serials = all.map(({ certificate }) => new X509Certificate(certificate).serialNumber);
  assert.equal(new Set(serials).size, 20);
  for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{31}$/);
});

test('dates after 2049 and long lists of hosts can be read as well', () => {
  const many = Array.from({ length: 50 }, (_, at) => `host-${at}.plant.example`);
  const { certificate } = makeSelfSigned({ title: 'x'.repeat(100), hosts: many, nowMs: Date.UTC(2045, 0, 1) });
  const made = new X509Certificate(certificate);
  assert.equal(made.validTo, 'Dec 30 00:00:00 2054 GMT');
  assert.equal(made.checkHost('host-49.plant.example'), 'host-49.plant.example');
});

test('an address is written in the bytes that it stands for, however it is spelled', () => {
  assert.equal(addressBytes('10.0.0.255').toString('hex'), '0a0000ff');
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      fc.pre(isIPv6(address));
      const { certificate } = makeSelfSigned({ title: 't', hosts: [address], nowMs });
      assert.notEqual(new X509Certificate(certificate).checkIP(address), undefined);
    }),
    { numRuns: 20 },
  );
});

test('a client that trusts it, and nothing else, connects by its names', async (t) => {
  const pair = makeSelfSigned({ title: 't', hosts, nowMs: Date.now() });
  const server = createServer({ ...tlsOptions, cert: pair.certificate, key: pair.key }, (socket) => socket.end());
  cleanupOf(t).defer(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, ca: pair.certificate, servername: 'plant.example' });
  await once(socket, 'secureConnect');
  assert.equal(socket.authorized, true);
  socket.destroy();
});
