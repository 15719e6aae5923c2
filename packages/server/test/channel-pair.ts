// Both ends of real connections of the channel, for tests of what waits for clients; they end with the test.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { localCaller } from '../src/access/index.ts';
import { Backlog } from '../src/api/channel/backlog.ts';
import { ChannelClient, type UpdateSource } from '../src/api/channel/channel-client.ts';

export const MiB = 1 << 20;
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Both ends of one real connection, and what the server's end asked for. */
export async function connect(events: string[] = [], backlog = new Backlog()) {
  const http = createServer();
  const server = new WebSocketServer({ server: http, perMessageDeflate: false });
  const accepted = once(server, 'connection') as Promise<[WebSocket, { socket: Socket }]>;
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const far = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
    maxPayload: 256 * MiB,
  });
  const [socket, { socket: stream }] = await accepted;
  await once(far, 'open');
  ends.push(() => {
    far.terminate();
    socket.terminate();
    http.close();
  });
  const source: UpdateSource = {
    newest(handles, skipped) {
      const text = `newest ${handles.length > 9 ? handles.length : handles} skipped ${skipped}`;
      events.push(text);
      return Buffer.from(text);
    },
  };
  const client = new ChannelClient(
    {
      socket,
      stream,
      caller: localCaller,
      backlog,
      flush: () => events.push('flush'),
      nextTurn: async () => {
        events.push('turn');
      },
    },
    0,
  );
  backlog.enter(client);
  socket.once('close', () => backlog.leave(client));
  return { far, socket, client, source };
}

/** Sends updates until they have to be passed over. */
export function fill(client: ChannelClient): number {
  let sent = 0;
  while (client.sendUpdates(Buffer.alloc(MiB / 4, 0x20))) sent++;
  return sent;
}

/** The first so many that are not long, in order. */
export function shortMessages(far: WebSocket, count: number): Promise<string[]> {
  const reported: string[] = [];
  return new Promise((resolve) => {
    far.on('message', (message: Buffer) => {
      if (message.length < 100 && reported.push(message.toString()) === count) resolve(reported);
    });
  });
}
