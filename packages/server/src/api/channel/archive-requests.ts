// Reads of the archive over the channel. An answer is one message there, so that it is gathered first: each of them has
// a bound, and so have all of them together.
import { type ChannelRequestFields, ProblemError } from '@telltale/schema';
import type { Lease } from '../../points/index.ts';
import { type ArchiveOperations, visitorOf } from '../archive/index.ts';
import type { ChannelClient } from './channel-client.ts';

/** Half of what a client may let wait before it is taken for lost. */
export const mostAnswerBytes = 32 << 20;
const mostGatheredBytes = 256 << 20;

export class ArchiveRequests {
  readonly #operations: ArchiveOperations | undefined;
  /** By all readings that are under way. */
  #gatheredBytes = 0;

  constructor(archive: ArchiveOperations | undefined) {
    this.#operations = archive;
  }

  /** The list of records. A client that goes away ends the reading. */
  async read(client: ChannelClient, fields: ChannelRequestFields<'ReadArchive'>): Promise<Lease> {
    const { archive: kind, name, t_since: since, t_until: until, active, ...options } = fields;
    if (kind === 'alarms' && options.aggregate !== undefined) {
      throw new ProblemError('invalid-query', 'aggregate does not apply to alarms.');
    }
    const interval = this.#archive.intervalOf(since, until);
    const activeOnly = kind === 'alarms' && active === true;
    const reader = { ...visitorOf({ caller: client.caller, connection: client }), signal: client.gone() };
    const reading = await this.#archive.readOne(name, { kind, interval, form: 'json', options, activeOnly, reader });
    const pages: Uint8Array[] = [];
    let bytes = 0;
    const release = () => {
      this.#gatheredBytes -= bytes;
      bytes = 0;
    };
    try {
      for await (const page of reading) {
        if (!client.isOpen) throw new ProblemError('malformed-request', 'The client is gone.');
        bytes += page.length;
        this.#gatheredBytes += page.length;
        if (bytes > mostAnswerBytes) {
          throw new ProblemError('answer-too-long', `The records are more than ${mostAnswerBytes} bytes.`);
        }
        if (this.#gatheredBytes > mostGatheredBytes) {
          throw new ProblemError('too-many-requests', 'Too much of the archive is being read over the channel.');
        }
        pages.push(Buffer.from(page));
      }
    } catch (error) {
      reading.cancel();
      release();
      throw error;
    }
    return { bytes: listIn(Buffer.concat(pages), name), release };
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
function listIn(answer: Buffer, name: string): Buffer {
  return answer.subarray(JSON.stringify(name).length + 2, answer.length - 1);
}
