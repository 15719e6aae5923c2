// The thread that reads the archive: serves its queries in turns, as their credit of pages lasts. What there is to
// read is sent by the thread that writes. Whose turn it is says reader-turns.ts.
import type { MessagePort } from 'node:worker_threads';
import { ProblemError } from '@telltale/schema/values';
import { Link, messagePort, parentLink } from '../threads/index.ts';
import type { ReadRequest } from './archive-access.ts';
import type { Damage } from './files/damage.ts';
import { OpenBlocks } from './open-blocks.ts';
import type { Begin, ReaderClient, ReaderForWriter, ReaderThread, Snapshots, WriterForReader } from './protocol.ts';
import { ArchiveQuery } from './query/archive-query.ts';
import { NewestTransitions } from './query/newest-transitions.ts';
import { PageBuffers } from './query/page.ts';
import type { Query } from './query/query.ts';
import { ReaderTurns } from './reader-turns.ts';
import { snapshotRequest } from './snapshot-request.ts';
import { openBlock } from './store/block-list.ts';
import { buffersOf, type Snapshot } from './store/snapshot.ts';

interface Served {
  readonly request: ReadRequest;
  readonly query: Query;
  /** Pages that may be made. */
  credit: number;
  awaitsSnapshots: boolean;
  /** Of the names, those that were asked for. */
  asked: number;
  /** Of the names that were asked for and are not read yet. */
  readonly snapshots: (Snapshot | undefined)[];
  /** Of records that were in memory, in the snapshots that it was given. */
  tailBytes: number;
}

/** How long the first turn of a query is: enough for most answers. */
const firstTurnMs = 2;
/** How long one that is longer goes on before others have their turn. */
const turnMs = 4;

/**
 * Records that were in memory, of all queries: each has copies of its own, 18 MB of a million. A query with more than a
 * little of them is refused where they would be more, unless others have less than half of it: one alone is always served.
 */
const mostTailBytes = 32 << 20;
const littleTailBytes = 1 << 20;

class Reader {
  readonly #client: Link<ReaderClient>;
  readonly #writer: Link<WriterForReader>;
  readonly #served = new Map<number, Served>();
  readonly #blocks = new OpenBlocks(openBlock);
  readonly #buffers = new PageBuffers();
  readonly #turns = new ReaderTurns();
  #isRunning = false;
  #tailBytes = 0;

  constructor(client: Link<ReaderClient>, writer: MessagePort) {
    this.#client = client;
    this.#writer = new Link<WriterForReader, ReaderForWriter>(messagePort(writer), {
      read: (begin, snapshots) => this.#begin(begin, snapshots),
      cancel: (id) => this.#end(id),
      release: (paths) => this.#blocks.release(paths),
    });
  }

  /** The query may make so many more pages. */
  credit(id: number, pages: number, buffer: ArrayBuffer | undefined): void {
    if (buffer !== undefined) this.#buffers.giveBack(buffer);
    const served = this.#served.get(id);
    if (served === undefined) return; // cancelled meanwhile
    served.credit += pages;
    this.#goOn(id, served);
  }

  #take(id: number, snapshots: Snapshots): void {
    const served = this.#served.get(id);
    if (served === undefined) return; // cancelled meanwhile
    served.awaitsSnapshots = false;
    served.asked += snapshots.length;
    served.snapshots.push(...snapshots);
    this.#countTails(served, tailBytesOf(snapshots));
    this.#blocks.need(
      id,
      snapshots.flatMap((snapshot) => snapshot?.series.flatMap(({ blocks }) => blocks.map(({ path }) => path)) ?? []),
    );
    this.#goOn(id, served);
  }

  #begin({ id, request, buffers }: Begin, snapshots: Snapshots): void {
    for (const buffer of buffers) this.#buffers.giveBack(buffer);
    const tailBytes = tailBytesOf(snapshots);
    const isTooMuch = this.#tailBytes > mostTailBytes / 2 && this.#tailBytes + tailBytes > mostTailBytes;
    if (isTooMuch && tailBytes > littleTailBytes) {
      this.#fail(id, new ProblemError('overloaded', 'Queries of the archive hold too many records that are new.'));
      return;
    }
    const MadeQuery = request.transitions === undefined ? ArchiveQuery : NewestTransitions;
    const query = new MadeQuery(request, {
      blockOf: (path) => this.#blocks.get(path),
      buffers: this.#buffers,
      onDamage: (damage: Damage) => void this.#writer.notify('damage', [damage]),
    });
    this.#served.set(id, { request, query, credit: 0, awaitsSnapshots: false, asked: 0, snapshots: [], tailBytes: 0 });
    this.#turns.begin(id);
    this.#take(id, snapshots);
    this.#run();
  }

  #end(id: number): void {
    const served = this.#served.get(id);
    if (served !== undefined) this.#countTails(served, -served.tailBytes);
    this.#served.delete(id);
    this.#turns.drop(id);
    this.#blocks.need(id, []);
  }

  #countTails(served: Served, bytes: number): void {
    served.tailBytes += bytes;
    this.#tailBytes += bytes;
  }

  #goOn(id: number, { awaitsSnapshots, credit }: Served): void {
    if (awaitsSnapshots || credit === 0) return;
    this.#turns.goOn(id);
    this.#run();
  }

  /** A turn, then everything else that is queued has its own. */
  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => {
      this.#isRunning = false;
      const { id, isFirst } = this.#turns.next() ?? { id: 0, isFirst: false };
      const served = this.#served.get(id);
      if (served !== undefined) this.#guard(id, () => this.#serve(id, served, isFirst));
      if (!this.#turns.isEmpty) this.#run();
    });
  }

  /** In its first turn a query makes a page without credit, which may be empty: so the client knows that there is more. */
  #serve(id: number, served: Served, isFirst: boolean): void {
    const { query } = served;
    const endMs = performance.now() + (isFirst ? firstTurnMs : turnMs);
    if (isFirst) served.credit++;
    while (served.credit > 0) {
      if (query.wanted !== undefined) {
        if (served.snapshots.length === 0) {
          this.#ask(id, served);
          break;
        }
        query.give(served.snapshots.shift());
      }
      const page = query.next(endMs - performance.now());
      const isLast = query.isOver;
      if (page !== undefined && (page.length > 0 || isLast)) this.#give(id, served, page, isLast);
      if (isLast) {
        this.#end(id);
        return;
      }
      if (performance.now() >= endMs) break;
    }
    if (isFirst && served.credit > 0) this.#give(id, served, new Uint8Array(), false);
    this.#goOn(id, served);
  }

  #give(id: number, served: Served, { buffer, length: bytes }: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    served.credit--;
    this.#client.notify('page', [id, buffer, bytes, isLast], [buffer]);
  }

  #ask(id: number, served: Served): void {
    served.awaitsSnapshots = true;
    const request = { ...served.request, sinceUs: served.query.sinceUs };
    this.#writer.call('snapshots', [snapshotRequest(request, served.asked)]).then(
      (snapshots) => this.#take(id, snapshots),
      (error) => this.#fail(id, error),
    );
  }

  /** What goes wrong with one query ends it alone. */
  #guard(id: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #fail(id: number, error: unknown): void {
    this.#end(id);
    const { problem, message } = problemOf(error);
    this.#client.notify('problem', [id, problem, message]);
  }
}

function tailBytesOf(snapshots: Snapshots): number {
  return buffersOf(snapshots).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError('storage-failed', `The archive cannot be read: ${(error as Error).message}.`);
}

function main(): void {
  let reader: Reader | undefined;
  const client: Link<ReaderClient> = parentLink<ReaderClient, ReaderThread>({
    open: (writer) => {
      reader = new Reader(client, writer);
    },
    credit: (id, pages, buffer) => reader?.credit(id, pages, buffer),
  });
}

main();
