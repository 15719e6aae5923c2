// Reads of the archive over the channel. An answer is one message there, so that it is gathered first: each of them has
// a bound, and all of them are counted with what waits for clients.
import { type ChannelRequestFields, onAbort, ProblemError } from '@telltale/schema';
import { Turnstile } from '../../archive/index.ts';
import { type ArchiveOperations, visitorOf } from '../../operations/index.ts';
import type { Gathered } from '../../points/index.ts';
import type { Backlog } from './backlog.ts';
import type { ChannelClient } from './channel-client.ts';

/** Half of what a client may let wait before it is taken for lost. */
export const mostAnswerBytes = 32 << 20;

/** Answers of several pages that are gathered at once: more would take the room from each other that each needs in the end. */
const gathering = { inside: 2, insideOfConnection: 1, waiting: 64, waitingOfConnection: 16 };

/** What was read, counted until it is given back. */
export interface GatheredRecords extends Gathered {
  release(): void;
}

export class ArchiveRequests {
  readonly #operations: ArchiveOperations | undefined;
  readonly #backlog: Backlog;
  readonly #gathering = new Turnstile(gathering, 'long answers of the archive');

  constructor(archive: ArchiveOperations | undefined, backlog: Backlog) {
    this.#operations = archive;
    this.#backlog = backlog;
  }

  /** The list of records. A client that goes away ends the reading. */
  async read(client: ChannelClient, fields: ChannelRequestFields<'ReadArchive'>): Promise<GatheredRecords> {
    const { archive: kind, name, t_since: since, t_until: until, active, ...options } = fields;
    if (kind === 'alarms' && options.aggregate !== undefined) {
      throw new ProblemError('invalid-query', 'aggregate does not apply to alarms.');
    }
    const interval = this.#archive.intervalOf(since, until);
    const activeOnly = kind === 'alarms' && active === true;
    const reader = { ...visitorOf({ caller: client.caller, connection: client }), signal: client.gone() };
    const reading = await this.#archive.readOne(name, { kind, interval, form: 'json', options, activeOnly, reader });
    const pages: Buffer[] = [];
    let bytes = 0;
    let leave: (() => void) | undefined;
    const stopListening = onAbort(reader.signal, () => reading.cancel());
    const release = () => {
      for (const page of pages.splice(0)) this.#backlog.release(page);
    };
    try {
      for await (const page of reading) {
        if (pages.length > 0) leave ??= await this.#gathering.enter(reader, reader.signal);
        if (!client.isOpen) throw new ProblemError('malformed-request', 'The client is gone.');
        bytes += page.length;
        if (bytes > mostAnswerBytes) {
          throw new ProblemError('answer-too-long', `The records are more than ${mostAnswerBytes} bytes.`);
        }
        const copy = Buffer.from(page);
        pages.push(copy);
        this.#backlog.hold(copy);
        this.#backlog.admit(bytes);
      }
    } catch (error) {
      reading.cancel();
      release();
      throw error;
    } finally {
      stopListening();
      leave?.();
    }
    return { pieces: listIn(pages, name), release };
  }

  async erase({
    archive: kind,
    name,
    t_since: since,
    t_until: until,
  }: ChannelRequestFields<'EraseArchive'>): Promise<void> {
    await this.#archive.erase(kind, name, this.#archive.intervalOf(since, until));
  }

  get #archive(): ArchiveOperations {
    if (this.#operations !== undefined) return this.#operations;
    throw new ProblemError('starting', 'There is no archive.');
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
