// How long the headers of a connection may be: long where few connections are open, and the shorter the more there are, so
// that headers which never end do not use up the memory.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** For all connections together, as long as the share of each is not too little for a browser. */
const roomBytes = 32 << 20;
const leastBytes = 8 << 10;

/** Gives each new connection its share, `mostBytes` at most. Clients of the channel send no more headers. */
export function shareHeaderRoom(server: Server, mostBytes: number): void {
  const open = new Set<Socket>();
  const share = () => {
    const bytes = Math.floor(roomBytes / (open.size + 1));
    // Node reads it for each new connection, though its documents do not say so.
    (server as Server & { maxHeaderSize: number }).maxHeaderSize = Math.max(leastBytes, Math.min(mostBytes, bytes));
  };
  const leave = (socket: Socket) => {
    open.delete(socket);
    share();
  };
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket);
    share();
    socket.once('close', () => leave(socket));
  });
  server.on('upgrade', ({ socket }) => leave(socket));
}
