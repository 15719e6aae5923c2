// A broker of the test's own, which takes its time to confirm subscriptions.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { freePort, until } from '@telltale/stack-kit/testing';
import { LinkedConnector } from './linked-connector.ts';

test('a link is up though its subscriptions take long, and goes on making them', async (t) => {
  const port = await freePort();
  const clock = new ManualClock();
  const { promise: asked, resolve } = Promise.withResolvers<{ socket: Socket; id: Buffer }>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (packet: Buffer) => {
      if (packet[0] === 0x10) socket.write(Buffer.from([0x20, 2, 0, 0]));
      if (packet[0] === 0x82) resolve({ socket, id: packet.subarray(2, 4) });
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const vars = { port: `${port}`, version: '3.1.1', timeoutMs: '60000', pingAfterMs: '600000' };
  const c = new LinkedConnector({ vars, clock });
  c.setPoints([{ name: 'a', address: 'a' }]);
  const started = c.start();
  const { socket, id } = await asked;
  t.after(async () => {
    socket.destroy();
    await c.lost();
    server.close();
  });
  clock.advance(5000);
  await started;
  socket.write(Buffer.concat([Buffer.from([0x90, 3]), id, Buffer.from([1, 0x30, 4, 0, 1, 0x61, 0x37])]));
  await until('the value comes', () => {
    clock.advance(10);
    return c.readings.get('a')?.value === 7;
  });
});
