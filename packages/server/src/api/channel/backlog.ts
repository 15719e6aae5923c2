// The send queues of all clients of the channel together: answers while they are gathered and until they are taken, and
// notifications. Bytes that are queued for several clients count once. Beyond a limit long answers are refused; beyond
// the next, the client with the longest queue is closed. The longest answer being sent may exceed both.
import { closeCode, ProblemError } from '@telltale/schema';

const MiB = 1 << 20;

/** Beyond this, measurement updates are conflated for every client that falls behind, however small its own queue. */
const tightBytes = 48 * MiB;

/** The last part is for short answers, so that clients that ask for long ones do not prevent others from reading. */
const [mostBesideLong, mostBesideShort] = [64 * MiB, 80 * MiB];
const shortBytes = MiB;

/** An answer of so little is always given: beside what may wait for a client it does not count. */
const littleBytes = 64 << 10;

/** In all: all of the service is to stay within 512 MB. */
export const mostBacklogBytes = 96 * MiB;

/** Beyond this, a client that is being closed has no more time to receive the reason. */
const mostBesideLeaving = 128 * MiB;

export interface BacklogClient {
  readonly isOpen: boolean;
  /** It was asked to leave, and is cut off in a moment. */
  readonly isLeaving: boolean;
  readonly pendingBytes: number;
  /** Of these, the rest of long messages that it has requested. */
  readonly requestedBytes: number;
  close(code: number, reason: string): void;
  terminate(): void;
}

export class Backlog {
  readonly #clients = new Set<BacklogClient>();
  /** With how many wait for each. */
  readonly #pieces = new Map<Buffer, number>();
  #bytes = 0;
  #isRelieving = false;

  get bytes(): number {
    return this.#bytes;
  }

  get isTight(): boolean {
    return this.#bytes > tightBytes;
  }

  enter(client: BacklogClient): void {
    this.#clients.add(client);
  }

  leave(client: BacklogClient): void {
    this.#clients.delete(client);
  }

  /** It is counted until it is released as often as it was held. */
  hold(piece: Buffer): void {
    const holders = this.#pieces.get(piece) ?? 0;
    this.#pieces.set(piece, holders + 1);
    if (holders > 0) return;
    this.#bytes += piece.length;
    if (this.#bytes > mostBacklogBytes) this.#relieveSoon();
  }

  release(piece: Buffer): void {
    const holders = this.#pieces.get(piece) ?? 0;
    if (holders > 1) this.#pieces.set(piece, holders - 1);
    else if (this.#pieces.delete(piece)) this.#bytes -= piece.length;
  }

  /**
   * Throws `ProblemError` where there is no room for an answer that has come to so many bytes, and is held. The longest that a
   * client is taking leaves others their room; one that is longer than all the room is given where little else waits.
   */
  admit(bytes: number): void {
    const most = bytes > shortBytes ? mostBesideLong : mostBesideShort;
    if (bytes <= littleBytes || this.#bytes <= most || this.#bytes - longestRequested(this.#clients) <= most) return;
    if (bytes > mostBesideLong && this.#bytes - bytes <= tightBytes) return;
    throw new ProblemError('overloaded', `${this.#bytes} bytes wait for clients of the channel.`);
  }

  /** When all that is sent in this turn is there, and what was cut off in the one before is gone. */
  #relieveSoon(): void {
    if (this.#isRelieving) return;
    this.#isRelieving = true;
    setImmediate(() => {
      this.#isRelieving = false;
      this.#relieve();
    });
  }

  #relieve(): void {
    if (this.#bytes <= mostBacklogBytes) return;
    let leavingBytes = 0;
    const open: BacklogClient[] = [];
    for (const client of this.#clients) {
      if (client.isOpen) {
        open.push(client);
        continue;
      }
      leavingBytes += client.pendingBytes;
      if (!client.isLeaving || this.#bytes > mostBesideLeaving) client.terminate();
    }
    // The longest requested answer alone may exceed the limit: else it could never be sent.
    const asking = largestBy(open, ({ requestedBytes }) => requestedBytes);
    const requestedBytes = asking?.requestedBytes ?? 0;
    if (this.#bytes - leavingBytes - requestedBytes <= mostBacklogBytes) return;
    const others = requestedBytes === 0 ? open : open.filter((client) => client !== asking);
    const largest = largestBy(others, ({ pendingBytes }) => pendingBytes) ?? asking;
    largest?.close(closeCode.tryAgainLater, 'too much waits for the clients of the service');
  }
}

function longestRequested(clients: Iterable<BacklogClient>): number {
  return largestBy(clients, ({ requestedBytes }) => requestedBytes)?.requestedBytes ?? 0;
}

function largestBy(
  clients: Iterable<BacklogClient>,
  bytesOf: (client: BacklogClient) => number,
): BacklogClient | undefined {
  let largest: BacklogClient | undefined;
  for (const client of clients) if (largest === undefined || bytesOf(client) > bytesOf(largest)) largest = client;
  return largest;
}
