// Undocumented properties of Node's sockets. Without them everything still works, less exactly or at a higher cost.
import type { Socket } from 'node:net';

interface Internals {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
  readonly parser?: { onIncoming?: () => number } | null;
  readonly _parent?: Socket | null;
}

/** Bytes of the writes in progress that the system has not taken yet: it also counts down during a long one. */
export function queuedBytes(socket: Socket): number | undefined {
  return handleOf(socket)?.writeQueueSize;
}

/** Bytes that the system has taken so far, to send them; else those of the writes that are over. */
export function takenBytes(socket: Socket): number {
  const begun = handleOf(socket)?.bytesWritten;
  const queued = queuedBytes(socket);
  return begun === undefined || queued === undefined ? socket.bytesWritten - socket.writableLength : begun - queued;
}

/** Of TCP: what TLS has made of a long write counts only when all of it was taken. */
function handleOf(socket: Socket): Internals['_handle'] {
  return ((transportOf(socket) ?? socket) as Internals)._handle;
}

/** A result that llhttp does not define: the parser stops at once, in the middle of its input. */
const stop = 3;

/** The parser emits all requests of a piece of 64 KiB, thousands, before anything else has a turn; this stops it. */
export function stopParsing(socket: Socket): void {
  const { parser } = socket as Internals;
  if (parser?.onIncoming !== undefined) parser.onIncoming = () => stop;
}

/** The socket of TCP that one of TLS was made of; undefined for one of TCP. */
export function transportOf(socket: Socket): Socket | undefined {
  return (socket as Internals)._parent ?? undefined;
}

/** Ends the connection with a reset, where it can be: of a socket of TLS, only that below it can. */
export function reset(socket: Socket): void {
  const transport = transportOf(socket);
  if (!(socket as { encrypted?: boolean }).encrypted) socket.resetAndDestroy();
  else if (transport === undefined || transport.destroyed) socket.destroy();
  else {
    // Not both at once: in the middle of a handshake, Node would free what it still uses.
    transport.once('close', () => socket.destroy());
    transport.resetAndDestroy();
  }
}
