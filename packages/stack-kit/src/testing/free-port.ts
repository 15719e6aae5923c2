// A port of loopback on which nobody listens.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * Below those that the system gives to outgoing connections: whoever closes it for a while gets it back, and no client
 * that connects to it meanwhile meets itself.
 */
const [firstPort, endPort] = [12_000, 32_000];

/** Free for TCP and for UDP, when it was looked for: use it right away. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, endPort);
    if ((await isFreeForTcp(port)) && (await isFreeForUdp(port))) return port;
  }
}

/** What `listen` makes on such a port; on another one where somebody else was faster. */
export async function onFreePort<T>(listen: (port: number) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await listen(await freePort());
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

function isFreeForTcp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function isFreeForUdp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').once('error', () => socket.close(() => resolve(false)));
    socket.bind(port, '127.0.0.1', () => socket.close(() => resolve(true)));
  });
}
