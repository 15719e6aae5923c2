// Real servers over TLS, each with a certificate that openssl has made.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { type Clock, systemClock } from '@telltale/schema';
import { cleanupOf, temporaryFolder } from '../testing/cleanup.ts';
import { missingPeers } from '../testing/peer-process.ts';
import { thumbprintOf } from './certificate.ts';
import { moveCertificate, readCertificates } from './certificate-files.ts';
import { PeerCertificates } from './peer-certificates.ts';
import { TlsPeer } from './tls-peer.ts';

const quiet = () => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

interface Rig {
  readonly folder: string;
  readonly certificate: X509Certificate;
  /** What the server was sent. */
  readonly received: () => string;
  /** Connects, sends a secret at once, and resolves with why it was refused; undefined where it was not. */
  readonly refusal: (options?: { name?: string; ca?: string; clock?: Clock }) => Promise<string | undefined>;
}

async function rig(t: TestContext): Promise<Rig> {
  const folder = temporaryFolder(t);
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=plc', '-addext', 'subjectAltName=DNS:plc.example'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...names], { stdio: 'pipe' });
  let received = '';
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    socket.on('error', quiet);
    socket.on('data', (chunk) => {
      received += chunk;
      socket.end('taken');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanupOf(t).defer(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  return {
    folder,
    certificate: new X509Certificate(readFileSync(cert)),
    received: () => received,
    refusal: async ({ name = 'plc.example', ca, clock = systemClock } = {}) => {
      const certificates = new PeerCertificates({ folder, clock, log });
      const peer = await TlsPeer.of({ certificates, address: `127.0.0.1:${port}`, serverName: name, clock });
      const socket = connect({
        host: '127.0.0.1',
        port,
        servername: name,
        rejectUnauthorized: false,
        ...(ca && { ca }),
      });
      peer.guard(socket);
      socket.on('data', quiet);
      socket.write('secret');
      let reason: string | undefined;
      socket.on('error', (error) => {
        reason = error.message;
      });
      await new Promise((resolve) => socket.on('close', resolve));
      await peer.settled();
      return reason;
    },
  };
}

describe('a server over TLS', { skip: missingPeers('openssl') ?? false }, () => {
  test('that nobody vouches for gets nothing, and its certificate is kept', async (t) => {
    const { folder, certificate, refusal, received } = await rig(t);
    const shown = thumbprintOf(certificate).slice(0, 16);
    assert.equal(
      await refusal(),
      `the certificate "CN=plc" of the server is not trusted, it is self-signed: to trust it, telltale certificates trust ${shown}`,
    );
    assert.equal(received(), '');
    const [kept] = await readCertificates(folder, 'rejected');
    assert.ok(kept?.certificate.raw.equals(certificate.raw));
    assert.match(kept?.refusal?.address ?? '', /^127\.0\.0\.1:\d+$/);
  });

  test('is taken as soon as its certificate is trusted, whatever its name, and no more when that is taken back', async (t) => {
    const { folder, certificate, refusal, received } = await rig(t);
    assert.match((await refusal({ name: 'elsewhere.example' })) ?? '', /not trusted/);
    await moveCertificate(folder, thumbprintOf(certificate), 'trusted');
    assert.equal(await refusal({ name: 'elsewhere.example' }), undefined);
    assert.equal(received(), 'secret');
    await moveCertificate(folder, thumbprintOf(certificate), 'rejected');
    assert.match((await refusal()) ?? '', /not trusted/);
    assert.equal(received(), 'secret');
  });

  test('is taken by an authority, but not under another name', async (t) => {
    const { certificate, refusal, received } = await rig(t);
    const ca = certificate.toString();
    assert.match(
      (await refusal({ ca, name: 'elsewhere.example' })) ?? '',
      /not trusted, Hostname\/IP does not match certificate's altnames.*: to trust it/,
    );
    assert.equal(received(), '');
    assert.equal(await refusal({ ca }), undefined);
  });

  test('is refused when its trusted certificate has expired', async (t) => {
    const { folder, certificate, refusal } = await rig(t);
    await refusal();
    await moveCertificate(folder, thumbprintOf(certificate), 'trusted');
    const clock = { ...systemClock, now: () => systemClock.now() + 3 * 86_400_000_000 };
    assert.match((await refusal({ clock })) ?? '', /is trusted, but only valid from .* to /);
  });
});
