// MQTT over WebSocket, with the listener of a real broker.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { freePort, HostedProvider, memoryInUse, until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { BrokerStream } from '../src/broker-stream.ts';
import { PacketGuard } from '../src/packet-guard.ts';
import stack from '../src/stack.ts';
import { LinkedConnector } from './linked-connector.ts';
import { LinkedProvider } from './linked-provider.ts';
import { Mosquitto, makeCertificates, withoutMosquitto, withoutOpenssl } from './mosquitto.ts';
import { PingingBroker } from './pinging-broker.ts';

/** A broker, and the port of its WebSocket. */
async function start(cleanup: AsyncDisposableStack, isEncrypted = false) {
  const port = await freePort();
  const broker = await Mosquitto.start({
    config: (folder) => {
      if (isEncrypted) makeCertificates(folder);
      const files = ['cafile ca.pem', 'certfile broker.pem', 'keyfile broker.key'];
      const tls = isEncrypted ? files.map((line) => line.replace(' ', ` ${folder}/`)) : [];
      return ['allow_anonymous true', `listener ${port} 127.0.0.1`, 'protocol websockets', ...tls];
    },
  });
  cleanup.defer(() => broker.stop());
  return { broker, vars: { port: `${port}`, transport: 'websocket', timeoutMs: '2000' } };
}

const vouched = { retained: 'good' };

describe('over WebSocket', { skip: withoutMosquitto }, () => {
  for (const version of ['3.1.1', '5']) {
    test(`a connector reads and writes, MQTT ${version}`, async (t) => {
      const cleanup = cleanupOf(t);
      const { broker, vars } = await start(cleanup);
      const heard = await broker.sub('plant/#');
      cleanup.defer(() => heard.stop());
      await broker.pub('plant/a', '1', '-r');
      const c = new LinkedConnector({ vars: { ...vars, ...vouched, version } });
      cleanup.defer(() => c.stop().then(() => undefined));
      c.setPoints([{ name: 'a', address: 'plant/a' }], [{ name: 'set', address: 'plant/set' }]);
      await c.start();
      await c.shows('a', 1);
      await broker.pub('plant/a', '2');
      await c.shows('a', 2);
      await c.write('set', 5);
      await until('it is written', () => heard.texts('plant/set').includes('5'));
    });
  }

  test('a connector passes over a message that is too large, and stays connected', async (t) => {
    const cleanup = cleanupOf(t);
    const { broker, vars } = await start(cleanup);
    const c = new LinkedConnector({ vars: { ...vars, maxPacketKiB: '16' } });
    cleanup.defer(() => c.stop().then(() => undefined));
    c.setPoints([
      { name: 'a', address: 'plant/a', datatype: 's' },
      { name: 'b', address: 'plant/b' },
    ]);
    await c.start();
    await broker.pub('plant/a', Buffer.alloc(20_000, 'x'));
    await broker.pub('plant/b', '2');
    await c.shows('b', 2);
    await c.shows('a', undefined, 0x10);
  });

  test('a provider publishes, also much at once, and takes writes', async (t) => {
    const cleanup = cleanupOf(t);
    const { broker, vars } = await start(cleanup);
    const heard = await broker.sub('plant/#');
    cleanup.defer(() => heard.stop());
    const p = new LinkedProvider({ vars: { ...vars, payload: '{text}' } });
    cleanup.defer(() => p.stop().then(() => undefined));
    const names = Array.from({ length: 200 }, (_, at) => `n${at}`);
    p.setPoints(
      names.map((name) => ({ name, address: `plant/${name}` })),
      [{ name: 'speed', address: 'plant/speed' }],
    );
    for (const [at, name] of names.entries()) p.publish(name, at);
    await p.start();
    await until('all have come', () => names.every((name, at) => heard.texts(`plant/${name}`).includes(`${at}`)));
    await broker.pub('plant/speed/set', '7');
    await until('it is written', () => heard.texts('plant/speed').includes('7'));
    assert.deepEqual(p.written, [['speed', 7]]);
  });

  test('an edge node and its host application find each other again when the broker was killed', async (t) => {
    const cleanup = cleanupOf(t);
    const { broker, vars } = await start(cleanup);
    const node = { format: 'sparkplug', group: 'Plant', node: 'gateway' };
    const p = new HostedProvider({
      role: stack.provider ?? assert.fail(),
      vars: { ...vars, ...node },
      folder: temporaryFolder(cleanup),
    });
    cleanup.defer(() => p.stop());
    p.setPoints([{ address: 'Level', datatype: 'd', values: [1, 2] }], []);
    await until('it is up', () => p.state === 'up');
    const c = new LinkedConnector({ vars });
    cleanup.defer(() => c.stop().then(() => undefined));
    c.setPoints([{ name: 'level', address: 'spBv1.0/Plant/gateway#Level' }]);
    await c.start();
    p.publish('Level', 1, 0xc0, Date.now() * 1000);
    await c.shows('level', 1);
    await broker.halt('SIGKILL');
    assert.match(String(await c.lost()), /NotConnected/);
    await broker.again();
    await c.start();
    await until('it is up', () => p.state === 'up');
    p.publish('Level', 2, 0xc0, Date.now() * 1000);
    await c.shows('level', 2);
  });

  test('a broker that pings without an end, and reads nothing, does not fill the memory', async (t) => {
    const broker = await PingingBroker.start();
    cleanupOf(t).defer(async () => broker.stop());
    const guard = new PacketGuard({ maxLength: 1000, hasProperties: false, token: Buffer.alloc(0) });
    const place = { host: '127.0.0.1', port: broker.port, path: '/' };
    const stream = new BrokerStream({ ...place, lookup: undefined, tls: undefined, guard });
    cleanupOf(t).defer(async () => void stream.destroy());
    const before = await memoryInUse();
    await until('100 MB of pings have come', () => broker.taken > 100e6, { deadlineMs: 60_000 });
    assert.equal(stream.destroyed, false);
    const more = (await memoryInUse()) - before;
    assert.ok(more < 30e6, `${more} bytes more`);
  });

  test('a server of the web that is no broker is told from one', async (t) => {
    const cleanup = cleanupOf(t);
    const serve = async (answer: RequestListener) => {
      const server = createServer(answer).listen(0, '127.0.0.1');
      cleanup.defer(async () => {
        server.closeAllConnections();
        server.close();
      });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    };
    const refused = async (port: number, more: Record<string, string>, message: RegExp) => {
      const c = new LinkedConnector({ vars: { port: `${port}`, transport: 'websocket', ...more } });
      c.setPoints([]);
      await assert.rejects(c.start(), { name: 'NotConnected', message });
    };
    let path: string | undefined;
    const missing = await serve((request, response) => {
      path = request.url;
      response.writeHead(404).end();
    });
    await refused(missing, { webSocketPath: '/broker?a=b' }, /404/);
    assert.equal(path, '/broker?a=b');
    await refused(await serve((_, response) => response.writeHead(302, { location: '/x' }).end()), {}, /302/);
    await refused(await serve(() => undefined), { timeoutMs: '200' }, /not answered within 200 ms/);
  });
});

describe('over an encrypted WebSocket', { skip: withoutOpenssl }, () => {
  test('a connector reads, and trusts the broker by the same settings', async (t) => {
    const cleanup = cleanupOf(t);
    const { broker, vars } = await start(cleanup, true);
    const { folder } = broker;
    await broker.pub('plant/a', '1', '-r');
    const encrypted = { ...vars, ...vouched, tls: 'true' };
    const c = new LinkedConnector({ vars: { ...encrypted, caFile: 'ca.pem' }, folder });
    cleanup.defer(() => c.stop().then(() => undefined));
    c.setPoints([{ name: 'a', address: 'plant/a' }]);
    await c.start();
    await c.shows('a', 1);
    const refused = async (more: Record<string, string>, message: RegExp) => {
      const other = new LinkedConnector({ vars: { ...encrypted, ...more }, folder: temporaryFolder(cleanup) });
      other.setPoints([]);
      await assert.rejects(other.start(), { name: 'NotConnected', message });
    };
    await refused({}, /the certificate .* of the server is not trusted/);
    await refused({ caFile: 'ca.pem' }, /cannot read .*ca.pem: ENOENT/);
    const elsewhere = new LinkedConnector({
      vars: { ...encrypted, caFile: 'ca.pem', serverName: 'elsewhere.example' },
      folder,
    });
    elsewhere.setPoints([]);
    await assert.rejects(elsewhere.start(), { message: /does not match certificate's altnames/ });
  });
});
