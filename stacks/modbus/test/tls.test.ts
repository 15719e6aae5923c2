// Modbus/TCP Security: the provider and the connector with each other, with bare clients and with pymodbus.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { before, describe, type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { moveCertificate, NotConnected, readCertificates, thumbprintOf } from '@telltale/stack-kit';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { askByPymodbus } from './pymodbus-client.ts';
import { missingPymodbus, PymodbusDevice } from './pymodbus-device.ts';
import { RawClient } from './raw-client.ts';
import { type CertificateName, makeCertificates, pairOf, withoutOpenssl } from './test-certificates.ts';
import { TestLink } from './test-link.ts';
import { TestServer } from './test-server.ts';

let folder: string;
const cleanup = suiteCleanup();
const files = (name: CertificateName) => ({ certFile: `${name}.pem`, keyFile: `${name}.key` });

async function serve(t: TestContext, given = {}): Promise<TestServer> {
  const variables = { tls: 'true', caFile: 'ca.pem', ...files('server'), ...given };
  const server = await TestServer.start({ level: ['hr0', 'i'] }, { speed: ['hr1', 'i'] }, variables, folder);
  t.after(() => server.stop());
  server.publish('level', 5);
  server.publish('speed', 0);
  return server;
}

/** Resolves when the handshake is over: whether the client is taken shows later. */
async function connect(t: TestContext, { port }: TestServer, name?: CertificateName): Promise<RawClient> {
  const own = name === undefined ? {} : pairOf(folder, name);
  const { cert: ca } = pairOf(folder, 'ca');
  const socket = connectTls({ host: '127.0.0.1', port, ca, servername: 'localhost', ...own });
  socket.on('error', () => {});
  t.after(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return RawClient.over(socket);
}

const isRefused = (client: RawClient) => assert.rejects(client.ask('03 0000 0001'), /closed/);

describe('over TLS', { skip: withoutOpenssl }, () => {
  before(() => {
    folder = temporaryFolder(cleanup);
    makeCertificates(folder);
  });

  test('a client with a certificate of the authority reads and writes', async (t) => {
    const server = await serve(t);
    for (const name of ['operator', 'nobody'] as const) {
      const client = await connect(t, server, name);
      assert.equal(await client.ask('17 0000 0002 0001 0001 02 0007'), '1704' + '0005' + '0007');
    }
    assert.equal(server.written.length, 2);
  });

  test('where roles are named, others read, and change nothing by any function', async (t) => {
    const server = await serve(t, { writeRoles: 'Engineer, Operator' });
    const operator = await connect(t, server, 'operator');
    assert.equal(await operator.ask('06 0001 0008'), '0600010008');
    for (const name of ['viewer', 'nobody', 'unread', 'elsewhere'] as const) {
      const client = await connect(t, server, name);
      for (const [request, answer] of [
        ['05 0000 ff00', '8501'],
        ['06 0001 0009', '8601'],
        ['0f 0000 0001 01 01', '8f01'],
        ['10 0001 0001 02 0009', '9001'],
        ['16 0001 0000 0009', '9601'],
        ['17 0000 0001 0001 0001 02 0009', '9701'],
        ['08 000a 0000', '8801'],
        ['08 0001 0000', '8801'],
        ['63 0000', 'e301'],
        ['03 0000 0002', '0304' + '0005' + '0008'],
        ['08 0000 1234', '0800001234'],
      ] as const) {
        assert.equal(await client.ask(request), answer, `${name}: ${request}`);
      }
      assert.equal((await client.ask('2b 0e 04 00')).slice(0, 2), '2b');
    }
    assert.deepEqual(server.written, [['speed', 8]]);
  });

  test('a client without a certificate, or with one that nobody trusts, gets nothing', async (t) => {
    const server = await serve(t);
    await isRefused(await connect(t, server));
    await isRefused(await connect(t, server, 'stranger'));
    assert.match(server.warnings.join('\n'), /was rejected: it presents no certificate/);
    assert.match(server.warnings.join('\n'), /rejected: the certificate "CN=stranger" of the client is not trusted/);
    assert.equal(server.provider.detail?.().clients, 0);
  });

  test('the very certificate that a person trusts is taken at once, while the server runs', async (t) => {
    const server = await serve(t);
    await isRefused(await connect(t, server, 'stranger'));
    const thumbprint = thumbprintOf(new X509Certificate(pairOf(folder, 'stranger').cert));
    const rejected = async () => (await readCertificates(folder, 'rejected')).map(({ certificate }) => certificate);
    assert.deepEqual((await rejected()).map(thumbprintOf), [thumbprint]);
    await moveCertificate(folder, thumbprint, 'trusted');
    try {
      assert.equal(await (await connect(t, server, 'stranger')).ask('03 0000 0001'), '03020005');
    } finally {
      await moveCertificate(folder, thumbprint, 'rejected');
    }
    await isRefused(await connect(t, server, 'stranger'));
  });

  test('without a file of authorities, no authority counts', async (t) => {
    const server = await serve(t, { caFile: '' });
    await isRefused(await connect(t, server, 'operator'));
  });

  test('who does not speak TLS is disconnected', async (t) => {
    const server = await serve(t);
    const plain = await RawClient.connect(server.port);
    await isRefused(plain);
    assert.match(server.warnings.join('\n'), /was disconnected: /);
  });

  test('those in their handshakes count as clients', async (t) => {
    const server = await serve(t, { maxClients: '1' });
    const silent = await RawClient.connect(server.port);
    t.after(() => silent.close());
    const second = await RawClient.connect(server.port);
    await once(second.socket, 'close');
    assert.match(server.warnings.join('\n'), /there are 1 connections already/);
  });

  test('files that are missing or wrong are named, and nothing listens', async () => {
    const given = { tls: 'true', ...files('server') };
    await assert.rejects(
      TestServer.start({}, {}, { ...given, certFile: 'none.pem' }, folder),
      /cannot read .*none\.pem: ENOENT/,
    );
    await assert.rejects(
      TestServer.start({}, {}, { ...given, keyFile: 'viewer.key' }, folder),
      /cannot be used: .*mismatch/,
    );
  });

  test('a connector and a provider of this stack understand each other', async (t) => {
    const server = await serve(t, { writeRoles: 'Operator' });
    const variables = { host: '127.0.0.1', port: server.port, tls: true, caFile: 'ca.pem', scanPeriodMs: 20 };
    const link = new TestLink({ ...variables, ...files('operator') }, folder);
    t.after(() => link.stop());
    link.setPoints({ level: ['hr0', 'i'] });
    await link.start();
    await until('it is read', () => link.values().level === 5);
    await link.write('hr1', 'i', 6);
    assert.deepEqual(server.written, [['speed', 6]]);
    const viewer = new TestLink({ ...variables, ...files('viewer') }, folder);
    t.after(() => viewer.stop());
    await viewer.start();
    await assert.rejects(viewer.write('hr1', 'i', 7), /illegal function/);
  });

  test('a connector sends nothing to a device that it does not trust, and says what to do', async (t) => {
    const server = await serve(t);
    const own = temporaryFolder(t);
    const variables = { host: '127.0.0.1', port: server.port, tls: true };
    const link = new TestLink(variables, own);
    t.after(() => link.stop());
    const refused = (error: Error) =>
      error instanceof NotConnected && /"CN=server" of the server is not trusted, .*: to trust it/.test(error.message);
    await assert.rejects(link.start(), refused);
    const [kept] = await readCertificates(own, 'rejected');
    assert.equal(kept?.refusal?.address, `127.0.0.1:${server.port}`);
    const elsewhere = new TestLink({ ...variables, caFile: 'ca.pem', serverName: 'plc.example' }, folder);
    t.after(() => elsewhere.stop());
    await assert.rejects(elsewhere.start(), /does not match certificate's altnames/);
  });

  test('a connector that the device does not trust says that this may be why the connection ends', async (t) => {
    const server = await serve(t);
    const variables = { host: '127.0.0.1', port: server.port, tls: true, caFile: 'ca.pem' };
    const link = new TestLink({ ...variables, ...files('stranger') }, folder);
    t.after(() => link.stop());
    await link.start();
    await until('the link is lost', () => link.lost !== undefined);
    assert.match(link.lost?.message ?? '', /; it may not trust the certificate of this connector$/);
  });

  describe('with pymodbus', { skip: missingPymodbus() ?? false }, () => {
    const env = (name: CertificateName) => ({
      CA: join(folder, 'ca.pem'),
      CERT: join(folder, `${name}.pem`),
      KEY: join(folder, `${name}.key`),
    });

    test('its client reads and writes as its role may', async (t) => {
      const server = await serve(t, { writeRoles: 'Operator' });
      assert.deepEqual(await askByPymodbus(server.port, ['read 0 1', 'write 1 9'], env('operator')), ['5', 'ok']);
      assert.deepEqual(await askByPymodbus(server.port, ['read 0 1', 'write 1 9'], env('viewer')), [
        '5',
        'Exception Response(144, 16, IllegalFunction)',
      ]);
    });

    test('its device is read and written', async (t) => {
      const device = await PymodbusDevice.start('tls', [1], env('server'));
      t.after(() => device.stop());
      await device.set('hr', 0, [42]);
      const variables = { host: '127.0.0.1', port: device.port, tls: true, caFile: 'ca.pem', scanPeriodMs: 20 };
      const link = new TestLink({ ...variables, ...files('operator') }, folder);
      t.after(() => link.stop());
      link.setPoints({ level: ['hr0', 'i'] });
      await link.start();
      await until('it is read', () => link.values().level === 42);
      await link.write('hr7', 'i', 8);
      assert.deepEqual(await device.get('hr', 7), [8]);
    });
  });
});
