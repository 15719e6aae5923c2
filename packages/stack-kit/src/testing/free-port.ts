// A port of loopback on which nobody listens, for peers that cannot choose one by themselves.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Free for TCP and for UDP, when it was looked for: start the peer right away. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = createSocket('udp4');
    const isFree = await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false)).bind(port, '127.0.0.1', () => resolve(true));
    });
    socket.close();
    server.close();
    await once(server, 'close');
    if (isFree) return port;
  }
}
