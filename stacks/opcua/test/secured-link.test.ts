// Links with certificates and users, against a server in a process of its own; and a server that lies.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { quality, systemClock } from '@telltale/schema';
import { HostedConnector, until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { CertificateFolder } from '../src/certificate-folder.ts';
import stack from '../src/stack.ts';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

describe('a secured link', () => {
  let device: UaDevice;
  before(async () => {
    device = await UaDevice.start();
  });
  after(() => device.stop());

  const named = { securityMode: 'best' };
  const secured = { ...named, userName: 'joe', password: 'secret' };
  const trust = ({ folder }: UaBench) => {
    const [name = assert.fail('nothing was rejected'), ...others] = readdirSync(join(folder, 'rejected'));
    assert.deepEqual(others, []);
    renameSync(join(folder, 'rejected', name), join(folder, 'trusted', name));
  };

  test('is refused while nobody trusts the server, and made when its certificate was moved', async () => {
    const bench = new UaBench(device, secured);
    bench.setPoints({ Flow: { datatype: 'd' } });
    for (let round = 0; round < 2; round++) {
      await assert.rejects(bench.start(), { name: 'NotConnected', message: /BadCertificateUntrusted/ });
      await bench.connector.close();
    }
    assert.match(bench.log.join('\n'), /to trust it, telltale certificates trust [0-9a-f]{16}/);
    trust(bench);
    await bench.start();
    await bench.reads('Flow', 7, quality.good);
    assert.equal(await bench.stop(), undefined);
  });

  for (const [mode, policy] of [
    ['Sign', 'Basic256Sha256'],
    ['SignAndEncrypt', 'Aes128_Sha256_RsaOaep'],
    ['SignAndEncrypt', 'Aes256_Sha256_RsaPss'],
  ] as const) {
    test(`works with ${mode} and ${policy}`, async () => {
      const bench = new UaBench(device, { ...secured, securityMode: mode, securityPolicy: policy });
      await assert.rejects(bench.start(), { name: 'NotConnected' });
      trust(bench);
      bench.setPoints({ Flow: { datatype: 'd' } });
      await bench.start();
      await bench.write('Flow', 'd', 7);
      await bench.reads('Flow', 7, quality.good);
      assert.equal(await bench.stop(), undefined);
    });
  }

  test('reports nobody the password where someone keeps the better security of the server from it', async (t) => {
    // In between: everything that the server offers in the clear is made to look as if it were only signed.
    const between = createServer((socket) => {
      const server = createConnection(device.port, '127.0.0.1');
      t.after(() => server.destroy());
      for (const each of [socket, server]) each.on('error', () => {});
      socket.pipe(server);
      let isClear = false;
      server.on('data', (bytes: Buffer) => {
        isClear ||= bytes.toString('latin1', 0, 3) === 'OPN' && bytes.includes('SecurityPolicy#None');
        socket.write(isClear ? onlySigned(bytes) : bytes);
      });
      server.on('close', () => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    t.after(() => between.close());
    const { port } = between.address() as AddressInfo;
    const activated = async () => ((await device.order({ kind: 'asked' })) as { activated: number }).activated;
    const before = await activated();
    const bench = new UaBench({ port }, { ...secured, securityPolicy: 'Basic256Sha256' });
    await assert.rejects(bench.start(), { name: 'NotConnected', message: /BadCertificateUntrusted/ });
    trust(bench);
    await assert.rejects(bench.start(), { name: 'NotConnected', message: /tampered with/ });
    assert.equal(await activated(), before);
    await bench.stop();
  });

  test('reaches a server that lists its endpoints to nobody, where its certificate is given by hand', async (t) => {
    const hidden = await UaDevice.start({ isHidden: true });
    t.after(() => hidden.stop());
    const asking = new UaBench(hidden, named);
    await assert.rejects(asking.start(), { name: 'NotConnected', message: /to nobody: serverCertificate$/ });
    await asking.stop();
    const byHand = { securityMode: 'SignAndEncrypt', securityPolicy: 'Basic256Sha256', serverCertificate: 'plc.pem' };
    const bench = new UaBench(hidden, { ...secured, ...byHand });
    bench.setPoints({ Flow: { datatype: 'd' } });
    await assert.rejects(bench.start(), { name: 'NotConnected', message: /cannot read the certificate of the server/ });
    const given = join(bench.folder, 'trusted', 'plc.pem');
    copyFileSync(join(device.folder, 'own', 'certificate.pem'), given);
    await assert.rejects(bench.start(), { name: 'NotConnected' }, 'it is the certificate of another server');
    copyFileSync(join(hidden.folder, 'own', 'certificate.pem'), given);
    await bench.start();
    await bench.reads('Flow', 7, quality.good);
    assert.equal(await bench.stop(), undefined);
  });

  test('is refused by a server that is not whom the certificate names, however that was found', async (t) => {
    const misnamed = await UaDevice.start({ isMisnamed: true });
    t.after(() => misnamed.stop());
    const byHand = { securityMode: 'SignAndEncrypt', securityPolicy: 'Basic256Sha256', serverCertificate: 'plc.pem' };
    for (const variables of [byHand, named]) {
      const activated = async () => ((await misnamed.order({ kind: 'asked' })) as { activated: number }).activated;
      const before = await activated();
      const bench = new UaBench(misnamed, { ...secured, ...variables });
      bench.setPoints({ Flow: { datatype: 'd' } });
      mkdirSync(join(bench.folder, 'trusted'), { recursive: true });
      copyFileSync(join(misnamed.folder, 'own', 'certificate.pem'), join(bench.folder, 'trusted', 'plc.pem'));
      await assert.rejects(bench.start(), { name: 'NotConnected', message: /BadCertificateUriInvalid/ });
      assert.equal(await activated(), before, 'nobody has told it the password');
      assert.match(bench.log.join(), /the peer calls itself "urn:telltale:another", its certificate does not/);
      await bench.stop();
    }
    const bench = new UaBench(misnamed, { ...secured, ...byHand, dangerouslyAcceptOtherApplicationUri: 'true' });
    bench.setPoints({ Flow: { datatype: 'd' } });
    mkdirSync(join(bench.folder, 'trusted'), { recursive: true });
    copyFileSync(join(misnamed.folder, 'own', 'certificate.pem'), join(bench.folder, 'trusted', 'plc.pem'));
    await bench.start();
    await bench.reads('Flow', 7, quality.good);
    assert.equal(await bench.stop(), undefined);
  });

  test('is open to a user with a certificate, whom the server knows', async () => {
    for (const name of ['joe', 'mallory']) {
      const bench = new UaBench(device, { ...named, userCertificate: `${name}.pem` });
      await assert.rejects(bench.start(), { name: 'NotConnected', message: /BadCertificateUntrusted/ });
      trust(bench);
      await assert.rejects(bench.start(), { name: 'NotConnected', message: /cannot read the certificate of the user/ });
      const folder = join(bench.folder, 'user');
      const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
      const user = new CertificateFolder({
        folder,
        applicationUri: 'urn:user',
        applicationName: name,
        clock: systemClock,
        log,
      });
      await user.initialize();
      renameSync(user.ownFiles.certificate, join(folder, `${name}.pem`));
      renameSync(user.ownFiles.privateKey, join(folder, `${name}.pem.key`));
      bench.setPoints({ Flow: { datatype: 'd' } });
      if (name === 'joe') {
        await bench.start();
        await bench.reads('Flow', 7, quality.good);
      } else await assert.rejects(bench.start(), { name: 'BackOff', message: /refuses the user/ });
      assert.equal(await bench.stop(), undefined);
    }
  });

  test('waits for the certificates that it needs, and comes up by itself when they are there', async (t) => {
    const [folder, made] = [temporaryFolder(t), temporaryFolder(t)];
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const options = { folder: made, applicationUri: 'urn:user', applicationName: 'joe', clock: systemClock, log };
    const user = new CertificateFolder(options);
    await user.initialize();
    const endpointUrl = `opc.tcp://127.0.0.1:${device.port}`;
    const address = UaDevice.address('Flow');
    const hosted = new HostedConnector({
      role: stack.connector ?? assert.fail(),
      vars: { endpointUrl, ...named, userCertificate: 'joe.pem', publishingIntervalMs: '50', samplingIntervalMs: '20' },
      folder,
      measurements: [{ address, datatype: 'd' }],
    });
    t.after(() => hosted.stop());
    const lacks = (what: RegExp) => until(String(what), () => what.test(hosted.lastError));
    hosted.setPoints();
    await lacks(/BadCertificateUntrusted/);
    for (const name of readdirSync(join(folder, 'rejected'))) {
      renameSync(join(folder, 'rejected', name), join(folder, 'trusted', name));
    }
    await lacks(/cannot read the certificate of the user: ENOENT/);
    mkdirSync(join(folder, 'user'), { recursive: true });
    const { certificate, privateKey } = user.ownFiles;
    const whole = readFileSync(certificate);
    copyFileSync(privateKey, join(folder, 'user', 'joe.pem.key'));
    writeFileSync(join(folder, 'user', 'joe.pem'), whole.subarray(0, whole.length / 2));
    await until('half of it is no use', () => !hosted.lastError.includes('ENOENT'));
    assert.notEqual(hosted.state, 'failed');
    copyFileSync(certificate, join(folder, 'user', 'joe.pem'));
    await until('it is read', () => hosted.points.get(address)?.value === 7, { deadlineMs: 60_000 });
  });

  test('is refused to a user with a wrong password, who is not tried again at once', async () => {
    const wrong = { securityMode: 'None', dangerouslyTrustAnyServer: 'true', password: 'wrong' };
    const bench = new UaBench(device, { ...secured, ...wrong });
    await assert.rejects(bench.start(), { name: 'BackOff', message: /refuses the user/ });
    assert.match(bench.log.join('\n'), /the password is sent to any server/);
    await bench.stop();
  });
});

/** The mode stands before the length and the text of the policy. */
function onlySigned(bytes: Buffer): Buffer {
  const uri = 'http://opcfoundation.org/UA/SecurityPolicy#';
  for (let at = bytes.indexOf(uri); at >= 0; at = bytes.indexOf(uri, at + 1)) {
    if (at >= 8 && bytes.readUInt32LE(at - 8) === 3) bytes.writeUInt32LE(2, at - 8);
  }
  return bytes;
}

describe('a server that lies', () => {
  test('harms nobody with nonsense in the same segment as its greeting', async (t) => {
    const greeting = Buffer.alloc(28);
    greeting.write('ACKF', 'latin1');
    greeting.writeUInt32LE(greeting.length, 4);
    for (const at of [12, 16]) greeting.writeUInt32LE(65_536, at);
    const nonsense = Buffer.from('MSGF\xff\xff\xff\xff\0\0\0\0', 'latin1');
    const server = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.write(Buffer.concat([greeting, nonsense])));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const bench = new UaBench(server.address() as AddressInfo, { timeoutMs: '300' });
    await assert.rejects(bench.start(), { name: 'NotConnected' });
    await bench.stop();
  });
});
