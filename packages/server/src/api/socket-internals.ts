// What Node knows and does of a socket, and does not document. Were it not there any more, everything would still work, less
// exactly or for more work.
import type { Socket } from 'node:net';

interface Internals {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
  readonly parser?: { onIncoming?: () => number } | null;
}

/** Bytes of the writes under way that the system has not taken yet: it counts down during a long one, too. */
export function queuedBytes(socket: Socket): number | undefined {
  return (socket as Internals)._handle?.writeQueueSize;
}

/** Bytes that the system has taken so far, to send them; else those of the writes that are over. */
export function takenBytes(socket: Socket): number {
  const begun = (socket as Internals)._handle?.bytesWritten;
  const queued = queuedBytes(socket);
  return begun === undefined || queued === undefined ? socket.bytesWritten - socket.writableLength : begun - queued;
}

/** Not among what llhttp knows: it stops at once, in the middle of what was read. */
const stop = 3;

/** The parser hands over all requests of a piece of 64 KiB, thousands, before anybody else has a turn; this stops it. */
export function stopParsing(socket: Socket): void {
  const { parser } = socket as Internals;
  if (parser?.onIncoming !== undefined) parser.onIncoming = () => stop;
}
