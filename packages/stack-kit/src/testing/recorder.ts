// Sits between a client and a provider, and keeps what the client says: so that strangers can say nearly the same.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import type { Endpoint, Transport } from './conformance-world.ts';

export interface Recorder extends AsyncDisposable {
  readonly endpoint: Endpoint;
  /** What each connection has said, chunk by chunk; over UDP all of it is one conversation. */
  readonly conversations: readonly (readonly Buffer[])[];
}

const maxChunks = 200;
const host = '127.0.0.1';

export function record(transport: Transport, target: Endpoint): Promise<Recorder> {
  return transport === 'udp' ? recordDatagrams(target) : recordConnections(target);
}

async function recordConnections(target: Endpoint): Promise<Recorder> {
  const conversations: Buffer[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const said: Buffer[] = [];
    conversations.push(said);
    const provider = createConnection(target);
    client.on('data', (bytes: Buffer) => {
      if (said.length < maxChunks) said.push(bytes);
    });
    for (const [socket, other] of [
      [client, provider],
      [provider, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => other.destroy());
      socket.pipe(other);
    }
  }).listen(0, host);
  await once(server, 'listening');
  return {
    endpoint: { host, port: (server.address() as AddressInfo).port },
    conversations,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Of one client. */
async function recordDatagrams(target: Endpoint): Promise<Recorder> {
  const said: Buffer[] = [];
  const [front, back] = [createSocket('udp4'), createSocket('udp4')];
  let client = { port: 0, address: host };
  front.on('message', (bytes, from) => {
    client = from;
    if (said.length < maxChunks) said.push(bytes);
    back.send(bytes, target.port, target.host);
  });
  back.on('message', (bytes) => front.send(bytes, client.port, client.address));
  front.bind(0, host);
  await once(front, 'listening');
  return {
    endpoint: { host, port: front.address().port },
    conversations: [said],
    async [Symbol.asyncDispose]() {
      const closed = Promise.all([once(front, 'close'), once(back, 'close')]);
      front.close();
      back.close();
      await closed;
    },
  };
}
