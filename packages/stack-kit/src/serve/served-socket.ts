// A socket that a library reads: the library gets one request at a time, when it is the client's turn.
import type { Socket } from 'node:net';
import type { ServedClients } from './served-clients.ts';
import { ServedStream, type ServedStreamOptions } from './served-stream.ts';

export interface ServedSocketOptions extends Pick<ServedStreamOptions, 'socket' | 'cut'> {
  readonly clients: ServedClients;
  /** Until when the library is busy with the request that it was given last; undefined: it is done. */
  readonly busyUntil?: () => Promise<unknown> | undefined;
}

/**
 * From now on: `data` is emitted a request at a time, and `pause` and `resume`, by which the library holds the client
 * back, hold back what was read as well. What a listener of `data` throws, and what `cut` throws, ends the connection.
 */
export function serveSocket({ clients, socket, cut, busyUntil }: ServedSocketOptions): void {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...details: unknown[]) => boolean;
  const flow = { pause: socket.pause.bind(socket), resume: socket.resume.bind(socket) };
  let isPaused = false;
  const take = (request: Buffer) => {
    emit('data', request);
    return busyUntil?.();
  };
  const stream = new ServedStream({ clients, socket, cut, take, onWrong: () => {}, mayTake: () => !isPaused, flow });
  socket.emit = ((event: string | symbol, ...details: unknown[]) => {
    if (event !== 'data') return emit(event, ...details);
    stream.hear(details[0] as Buffer);
    return true;
  }) as Socket['emit'];
  socket.pause = () => {
    isPaused = true;
    return socket;
  };
  socket.resume = () => {
    isPaused = false;
    stream.goOn();
    return socket;
  };
}
