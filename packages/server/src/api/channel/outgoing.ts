// The outgoing messages of one client of the channel, in order. A long message that the client has requested is passed
// to the socket in frames, as fast as the client takes them; later messages follow it.
import type { WebSocket } from 'ws';
import type { Backlog } from './backlog.ts';

/** A longer message goes out in fragments, none of them longer. */
const mostFrameBytes = 256 << 10;

/** So much of a long message is in the socket at once. */
const windowBytes = 2 << 20;

interface Frame {
  readonly bytes: Buffer;
  readonly fin: boolean;
  /** Of a long message that the client has requested. */
  readonly isRequested: boolean;
  /** Called once: it was taken, or the client is gone. */
  readonly onTaken: () => void;
}

export interface OutgoingOptions {
  readonly socket: WebSocket;
  /** Counts what waits, with that of all others. */
  readonly backlog: Backlog;
  /** All of a long message, and what came behind it, was taken; or the client is gone. */
  readonly onDrained: () => void;
}

export class Outgoing {
  readonly #options: OutgoingOptions;
  /** Not yet handed to the socket. */
  #queue: Frame[] = [];
  #queuedBytes = 0;
  #requestedBytes = 0;
  /** Something was queued, and not all has been taken since. */
  #isBehind = false;

  constructor(options: OutgoingOptions) {
    this.#options = options;
    options.socket.once('close', () => this.#drop());
  }

  /** A long message is under way: the next one waits behind it. */
  get isBusy(): boolean {
    return this.#isBehind;
  }

  /** Bytes that were not taken. */
  get pendingBytes(): number {
    return this.#options.socket.bufferedAmount + this.#queuedBytes;
  }

  /** Of these, the rest of long messages that the client has requested. */
  get requestedBytes(): number {
    return this.#requestedBytes;
  }

  /** Bytes that the socket does not have yet. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** A message. `onSent` is called in any case, also where the connection ends before it was sent. */
  send(bytes: Buffer, onSent: () => void = () => undefined): void {
    const frame = { bytes, fin: true, isRequested: false, onTaken: this.#holding(bytes, onSent) };
    if (this.#queue.length > 0) this.#push(frame);
    else this.#hand(frame);
  }

  /** A message that the client has requested, in consecutive pieces. */
  sendRequested(pieces: readonly Buffer[], onSent: () => void): void {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    if (bytes <= mostFrameBytes) {
      this.send(Buffer.concat(pieces), onSent);
      return;
    }
    const last = pieces.length - 1;
    for (const [at, piece] of pieces.entries()) {
      const onTaken = this.#holding(piece, at === last ? onSent : () => undefined);
      for (let start = 0; start < piece.length || start === 0; start += mostFrameBytes) {
        const isEnd = start + mostFrameBytes >= piece.length;
        this.#push({
          bytes: piece.subarray(start, start + mostFrameBytes),
          fin: at === last && isEnd,
          isRequested: true,
          onTaken: isEnd ? onTaken : () => undefined,
        });
      }
    }
    this.#isBehind = true;
    this.#pump();
  }

  /** Everything goes to the socket: nothing follows it. */
  handAll(): void {
    while (this.#queue.length > 0 && this.#isOpen) this.#handNext();
  }

  get #isOpen(): boolean {
    const { socket } = this.#options;
    return socket.readyState === socket.OPEN;
  }

  #holding(piece: Buffer, onTaken: () => void): () => void {
    const { backlog } = this.#options;
    backlog.hold(piece);
    return () => {
      backlog.release(piece);
      onTaken();
    };
  }

  #push(frame: Frame): void {
    this.#queue.push(frame);
    this.#queuedBytes += frame.bytes.length;
    if (frame.isRequested) this.#requestedBytes += frame.bytes.length;
  }

  #pump(): void {
    if (!this.#isOpen) this.#drop();
    while (this.#queue.length > 0 && this.#options.socket.bufferedAmount < windowBytes) this.#handNext();
  }

  #handNext(): void {
    const frame = this.#queue.shift() as Frame;
    this.#queuedBytes -= frame.bytes.length;
    if (frame.isRequested) this.#requestedBytes -= frame.bytes.length;
    this.#hand(frame);
  }

  #hand({ bytes, fin, onTaken }: Frame): void {
    this.#options.socket.send(bytes, { binary: false, fin }, () => {
      onTaken();
      if (!this.#isBehind) return;
      this.#pump();
      if (this.pendingBytes === 0) this.#drained();
    });
  }

  #drop(): void {
    const queue = this.#queue;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#requestedBytes = 0;
    for (const { onTaken } of queue) onTaken();
    if (this.#isBehind) this.#drained();
  }

  #drained(): void {
    this.#isBehind = false;
    this.#options.onDrained();
  }
}
