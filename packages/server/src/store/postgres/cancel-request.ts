// Asks a PostgreSQL to end what it does for a connection: over another one, which nobody has to log in to.
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { PostgresHost } from './address.ts';

/** What the server has said of itself when the connection began. */
export interface BackendKey {
  readonly processID: number;
  readonly secretKey: number;
}

const requestCode = 80_877_102;

/** Resolves when the server has taken it, or cannot be reached: what is behind it is not meant by it. */
export async function requestCancel({ host, port }: PostgresHost, { processID, secretKey }: BackendKey): Promise<void> {
  const request = Buffer.alloc(16);
  request.writeInt32BE(request.length, 0);
  request.writeInt32BE(requestCode, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = new Socket();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => socket.destroy());
  if (host.startsWith('/')) socket.connect(join(host, `.s.PGSQL.${port}`));
  else socket.connect(port, host);
  // It answers nothing, and closes.
  socket.resume();
  socket.end(request);
  await closed;
}
