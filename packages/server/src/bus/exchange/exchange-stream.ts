// One end of an exchange as a stream of Node: what is written goes to the other end in frames, no faster than that takes it.
// A frame that is missing ends it: no stream goes on behind a hole.
import { Duplex } from 'node:stream';
import { type Frame, frameKind, mostFramePrefix } from './frame.ts';

export interface ExchangeStreamOptions {
  /** Throws where it cannot be sent. */
  readonly send: (frame: Omit<Frame, 'untilMs'>) => void;
  /** Of a message of the bus. */
  readonly mostBytes: () => number;
  /** Of the other end: JSON. Once. */
  readonly onHead: (head: string) => void;
}

/** Why an exchange has ended before its end. */
export class ExchangeReset extends Error {
  override readonly name = 'ExchangeReset';
  /** The other end said so. */
  readonly isFromOther: boolean;

  constructor(message: string, isFromOther = false) {
    super(message);
    this.isFromOther = isFromOther;
  }
}

/** Bytes that one end may send before the other has taken any. */
const windowBytes = 2 ** 18;
/** Smaller than a message may be: others are not held up for long. */
const mostOfFrame = 2 ** 16;
const none = new Uint8Array();

interface Waiting {
  bytes: Buffer;
  readonly done: (error?: Error | null) => void;
}

export class ExchangeStream extends Duplex {
  readonly #options: ExchangeStreamOptions;
  #sent = 0;
  #received = 0;
  #hasHead = false;
  #hasSentHead = false;
  #hasSentEnd = false;
  /** Bytes that may be sent. */
  #credit = windowBytes;
  /** Bytes that came and for which no credit was given. */
  #taken = 0;
  #waiting: Waiting | undefined;

  constructor(options: ExchangeStreamOptions) {
    super({ readableHighWaterMark: windowBytes / 2, writableHighWaterMark: mostOfFrame, allowHalfOpen: true });
    this.#options = options;
    this.on('error', () => undefined);
  }

  /** Before anything is written. With `isEnd`, nothing will be. */
  sendHead(head: object, isEnd = false): void {
    if (this.#hasSentHead || this.destroyed) return;
    this.#hasSentHead = true;
    this.#hasSentEnd = isEnd;
    this.#send({ kind: frameKind.head, head: JSON.stringify(head), isEnd });
    if (isEnd) this.end();
  }

  /** The other end still is there. */
  ping(): void {
    this.#send({ kind: frameKind.credit, bytes: creditOf(0) });
  }

  /** From the other end, in order of arrival. */
  receive({ kind, number, isEnd, bytes, head }: Frame): void {
    if (this.destroyed) return;
    if (kind === frameKind.reset) {
      this.destroy(new ExchangeReset(Buffer.from(bytes).toString('utf8', 0, 1000), true));
      return;
    }
    if (number < this.#received) return; // it has come before
    if (number !== this.#received++) {
      this.destroy(new ExchangeReset('a part of it was lost on the bus'));
      return;
    }
    if (kind === frameKind.credit) this.#addCredit(bytes);
    else if (kind === frameKind.head && this.#hasHead) this.destroy(new ExchangeReset('a second head came'));
    else {
      if (kind === frameKind.head) {
        this.#hasHead = true;
        this.#options.onHead(head);
      }
      this.#take(bytes, isEnd);
    }
  }

  override _read(): void {
    this.#giveCredit();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#waiting = { bytes: chunk, done };
    this.#sendWaiting();
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.#hasSentEnd) this.#send({ kind: frameKind.data, isEnd: true });
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const isOver = this.writableFinished && this.readableEnded;
    if (!isOver && !(error instanceof ExchangeReset && error.isFromOther)) {
      const reason = error?.message ?? 'it is not wanted any more';
      try {
        this.#options.send(this.#next({ kind: frameKind.reset, bytes: Buffer.from(reason.slice(0, 1000)) }));
      } catch {
        // Then the other end finds out by itself.
      }
    }
    const { done: written } = this.#waiting ?? {};
    this.#waiting = undefined;
    written?.(error ?? new ExchangeReset('it has ended'));
    done(error);
  }

  #take(bytes: Uint8Array, isEnd: boolean): void {
    if (this.destroyed) return;
    this.#taken += bytes.length;
    if (this.#taken > windowBytes) {
      this.destroy(new ExchangeReset('more came than was asked for'));
      return;
    }
    // A copy: those of a message hold all that came with it.
    const wantsMore = bytes.length === 0 || this.push(Buffer.from(bytes));
    if (isEnd) this.push(null);
    else if (wantsMore) this.#giveCredit();
  }

  #giveCredit(): void {
    if (this.#taken < windowBytes / 4 || this.readableEnded) return;
    const taken = this.#taken;
    this.#taken = 0;
    this.#send({ kind: frameKind.credit, bytes: creditOf(taken) });
  }

  #addCredit(bytes: Uint8Array): void {
    const more = bytes.length === 4 ? Buffer.from(bytes).readUInt32LE(0) : 0;
    this.#credit = Math.min(windowBytes, this.#credit + more);
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    const most = Math.min(mostOfFrame, this.#options.mostBytes() - mostFramePrefix);
    while (this.#waiting !== undefined && this.#credit > 0 && !this.destroyed) {
      const { bytes, done } = this.#waiting;
      const part = bytes.subarray(0, Math.min(most, this.#credit));
      this.#credit -= part.length;
      this.#waiting.bytes = bytes.subarray(part.length);
      this.#send({ kind: frameKind.data, bytes: part });
      if (part.length < bytes.length) continue;
      this.#waiting = undefined;
      done();
    }
  }

  #send(frame: Partial<Frame> & Pick<Frame, 'kind'>): void {
    if (this.destroyed) return;
    try {
      this.#options.send(this.#next(frame));
    } catch (error) {
      this.destroy(new ExchangeReset((error as Error).message));
    }
  }

  #next({
    kind,
    bytes = none,
    head = '',
    isEnd = false,
  }: Partial<Frame> & Pick<Frame, 'kind'>): Omit<Frame, 'untilMs'> {
    return { kind, number: this.#sent++, isEnd, bytes, head };
  }
}

function creditOf(count: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(count);
  return bytes;
}
