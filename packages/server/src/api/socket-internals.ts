// Undocumented properties of Node's sockets. Without them everything still works, less exactly or at a higher cost.
import type { Socket } from 'node:net';

interface Internals {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
  readonly parser?: { onIncoming?: () => number } | null;
}

/** Bytes of the writes in progress that the system has not taken yet: it also counts down during a long one. */
export function queuedBytes(socket: Socket): number | undefined {
  return (socket as Internals)._handle?.writeQueueSize;
}

/** Bytes that the system has taken so far, to send them; else those of the writes that are over. */
export function takenBytes(socket: Socket): number {
  const begun = (socket as Internals)._handle?.bytesWritten;
  const queued = queuedBytes(socket);
  return begun === undefined || queued === undefined ? socket.bytesWritten - socket.writableLength : begun - queued;
}

/** A result that llhttp does not define: the parser stops at once, in the middle of its input. */
const stop = 3;

/** The parser emits all requests of a piece of 64 KiB, thousands, before anything else has a turn; this stops it. */
export function stopParsing(socket: Socket): void {
  const { parser } = socket as Internals;
  if (parser?.onIncoming !== undefined) parser.onIncoming = () => stop;
}
