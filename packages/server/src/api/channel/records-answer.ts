// Records of the archive as an answer of the channel. That is one message, so that its pages are gathered first: each answer has
// a bound, and all of them are counted with what waits for clients.
import { onAbort, ProblemError } from '@telltale/schema';
import { Turnstile } from '../../archive/index.ts';
import { type PagesReply, visitorOf } from '../../operations/index.ts';
import type { Gathered, Lease } from '../../points/index.ts';
import type { Backlog } from './backlog.ts';
import type { ChannelClient } from './channel-client.ts';

/** Half of what may be queued for a client before it is closed. */
export const mostAnswerBytes = 32 << 20;

/** Answers of several pages that are gathered at once: more would take the room from each other that each needs in the end. */
const gathering = { inside: 2, insideOfConnection: 1, queued: 64, queuedOfConnection: 16 };

/** What was read, counted until it is given back. */
export interface GatheredRecords extends Gathered {
  release(): void;
}

export class RecordsAnswer {
  readonly #backlog: Backlog;
  readonly #gathering = new Turnstile(gathering, 'long answers of the archive');

  constructor(backlog: Backlog) {
    this.#backlog = backlog;
  }

  /** The list of records in `{"name":[…]}`. A client that goes away ends the query. */
  async gather(client: ChannelClient, name: string, reply: PagesReply | Lease): Promise<GatheredRecords> {
    const signal = client.gone();
    const visitor = visitorOf({ caller: client.caller, connection: client });
    const isLong = 'pages' in reply;
    const cancel = () => {
      if (isLong) reply.cancel();
    };
    const pages: Buffer[] = [];
    let bytes = 0;
    let leave: (() => void) | undefined;
    const stopListening = onAbort(signal, cancel);
    const release = () => {
      for (const page of pages.splice(0)) this.#backlog.release(page);
    };
    try {
      for await (const page of isLong ? reply.pages : [reply.bytes]) {
        if (pages.length > 0) leave ??= await this.#gathering.enter(visitor, signal);
        if (!client.isOpen) break;
        bytes += page.length;
        if (bytes > mostAnswerBytes) {
          throw new ProblemError('answer-too-long', `The records are more than ${mostAnswerBytes} bytes.`);
        }
        const copy = Buffer.from(page);
        pages.push(copy);
        this.#backlog.hold(copy);
        this.#backlog.admit(bytes);
      }
      if (!client.isOpen || signal.aborted)
        throw new ProblemError('malformed-request', 'The client has closed the connection.');
    } catch (error) {
      cancel();
      release();
      throw error;
    } finally {
      stopListening();
      if (!isLong) reply.release();
      leave?.();
    }
    return { pieces: listIn(pages, name), release };
  }
}

/** Of `{"name":[…]}` the list. */
function listIn(pages: readonly Buffer[], name: string): Buffer[] {
  let before = JSON.stringify(name).length + 2;
  const pieces = pages.map((page) => {
    const piece = before === 0 ? page : page.subarray(before);
    before = Math.max(0, before - page.length);
    return piece;
  });
  const last = pieces.pop();
  return last === undefined ? pieces : [...pieces, last.subarray(0, -1)];
}
