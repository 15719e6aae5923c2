// What people are told when a server ends the connection, or a reading is bad.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { StatusCodes } from 'node-opcua-client';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

/** The bytes of an ERR message (Part 6, 7.1.2.5). */
function errorMessage(status: number, reason: string): Buffer {
  const text = Buffer.from(reason);
  const message = Buffer.alloc(16 + text.length);
  message.write('ERRF', 'latin1');
  message.writeUInt32LE(message.length, 4);
  message.writeUInt32LE(status, 8);
  message.writeInt32LE(text.length, 12);
  text.copy(message, 16);
  return message;
}

async function listen(t: TestContext, serve: (socket: Socket) => void): Promise<AddressInfo> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('error', () => {}));
    serve(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return server.address() as AddressInfo;
}

const acknowledge = Buffer.alloc(28);
acknowledge.write('ACKF', 'latin1');
acknowledge.writeUInt32LE(acknowledge.length, 4);
for (const at of [12, 16]) acknowledge.writeUInt32LE(65_536, at);

describe('a server that ends the connection', () => {
  test('is heard where it refuses the address', async (t) => {
    const { value } = StatusCodes.BadTcpEndpointUrlInvalid;
    const at = await listen(t, (socket) => socket.once('data', () => socket.end(errorMessage(value, 'no such path'))));
    const bench = new UaBench(at);
    await assert.rejects(bench.start(), {
      name: 'NotConnected',
      message: 'the server has ended the connection: BadTcpEndpointUrlInvalid',
    });
    await bench.stop();
  });

  test('is heard where it refuses the channel, with what to do about it', async (t) => {
    const cases = [
      ['BadSecurityPolicyRejected', 'try another\n', 'BadSecurityPolicyRejected (try another)'],
      ['BadSecurityChecksFailed', '', 'BadSecurityChecksFailed: it may not trust the certificate of this connector'],
      ['BadTcpServerTooBusy', `BadTcpServerTooBusy${'x'.repeat(5000)}`, 'BadTcpServerTooBusy'],
    ] as const;
    for (const [name, reason, shown] of cases) {
      const at = await listen(t, (socket) =>
        socket.once('data', () => {
          socket.write(acknowledge);
          // It leaves it to the client to close.
          socket.once('data', () => socket.write(errorMessage(StatusCodes[name].value, reason)));
        }),
      );
      const bench = new UaBench(at);
      await assert.rejects(bench.start(), {
        name: 'NotConnected',
        message: `the server has ended the connection: ${shown}`,
      });
      await bench.stop();
    }
  });

  test('is heard where it does so later on, or is said to have said nothing', async (t) => {
    const device = await UaDevice.start();
    t.after(() => device.stop());
    const clients = new Set<Socket>();
    const at = await listen(t, (client) => {
      const server = createConnection(device.port, '127.0.0.1').on('error', () => {});
      client.pipe(server).pipe(client, { end: false });
      client.on('close', () => server.destroy());
      clients.add(client);
    });
    for (const [last, reason] of [
      [
        errorMessage(StatusCodes.BadSecureChannelTokenUnknown.value, 'renew'),
        'the server has ended the connection: BadSecureChannelTokenUnknown (renew)',
      ],
      [Buffer.alloc(0), 'the server has closed the connection without a reason'],
    ] as const) {
      clients.clear();
      const bench = new UaBench(at);
      bench.setPoints({ Flow: { datatype: 'd' } });
      await bench.start();
      await bench.reads('Flow', 7);
      for (const client of clients) client.unpipe().end(last);
      const lost = (await bench.lost) as Error;
      assert.deepEqual([lost.name, lost.message], ['NotConnected', reason]);
      await bench.stop();
    }
  });
});
