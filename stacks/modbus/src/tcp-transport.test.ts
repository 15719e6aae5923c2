import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { TcpTransport } from './tcp-transport.ts';

test('it can be closed at the very moment at which the device ends the connection', { timeout: 10_000 }, async (t) => {
  const cleanup = cleanupOf(t);
  const server = createServer((socket) => socket.on('error', () => undefined).end()).listen(0, '127.0.0.1');
  cleanup.defer(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = new TcpTransport({ host: '127.0.0.1', port, clock: systemClock, isSerialLine: false });
  const { promise: closing, resolve } = Promise.withResolvers<Promise<void>>();
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.once('end', () => queueMicrotask(() => resolve(transport.close())));
  };
  subscribe('net.client.socket', onSocket);
  cleanup.defer(() => void unsubscribe('net.client.socket', onSocket));
  await transport.open(new AbortController().signal);
  await closing;
});
