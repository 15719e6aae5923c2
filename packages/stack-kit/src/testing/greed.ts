// Clients of a provider that never stop, in the tests of its fairness: how many, and what one does over a connection.
import type { Socket } from 'node:net';

/** That take the answers, and as many that never read. */
export const clientsOfEach = 4;

/** As many requests as the system takes, over and over. One that is deaf never reads. */
export function askForEver(socket: Socket, request: Buffer, isDeaf: boolean): void {
  const many = Buffer.concat(Array.from({ length: Math.ceil(65_536 / request.length) }, () => request));
  const send = () => {
    while (!socket.destroyed && socket.write(many));
  };
  socket.on('drain', send);
  socket.on('error', () => {});
  if (isDeaf) socket.pause();
  else socket.on('data', () => {});
  send();
}
