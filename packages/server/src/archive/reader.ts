// Serves queries in turns, as their credit of pages lasts: the work of a thread that reads. Where blocks and snapshots are
// from is the thread's; whose turn it is says reader-turns.ts.
import { ProblemError } from '@telltale/schema/values';
import type { Link } from '../threads/index.ts';
import type { ReadRequest } from './archive-access.ts';
import type { Damage } from './files/damage.ts';
import type { Begin, ReaderClient, Snapshots } from './protocol.ts';
import { ArchiveQuery } from './query/archive-query.ts';
import type { Arrival, Block } from './query/block.ts';
import { NewestTransitions } from './query/newest-transitions.ts';
import { PageBuffers } from './query/page.ts';
import type { Query } from './query/query.ts';
import { ReaderTurns } from './reader-turns.ts';
import { type SnapshotRequest, snapshotRequest } from './snapshot-request.ts';
import { buffersOf, type Snapshot } from './store/snapshot.ts';

/** What there is to read. A query is known by its number. */
export interface ReaderSource<Request extends ReadRequest = ReadRequest> {
  /** Of the next names of a query. */
  snapshots(id: number, wanted: SnapshotRequest, request: Request): Promise<Snapshots>;
  /** The query has these snapshots from now on, and asks for blocks of theirs alone; with none, it is over. */
  need(id: number, snapshots: Snapshots): void;
  /** Of a snapshot that it has. Valid until the next call; throws where it cannot be opened. */
  blockOf(id: number, path: string): Block;
  /** Records were left out, since they cannot be read. */
  damaged(damage: Damage): void;
}

interface Served<Request> {
  readonly request: Request;
  readonly query: Query;
  /** Pages that may be made; the first turn has one. */
  credit: number;
  /** Something that it needs is on its way. */
  isWaiting: boolean;
  /** What is left of its first turn; 0: it has had it. */
  firstMs: number;
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

export class Reader<Request extends ReadRequest = ReadRequest> {
  readonly #client: Link<ReaderClient>;
  readonly #source: ReaderSource<Request>;
  readonly #served = new Map<number, Served<Request>>();
  readonly #buffers = new PageBuffers();
  readonly #turns = new ReaderTurns();
  #isRunning = false;
  #tailBytes = 0;

  constructor(client: Link<ReaderClient>, source: ReaderSource<Request>) {
    this.#client = client;
    this.#source = source;
  }

  /** The query may make so many more pages. */
  credit(id: number, pages: number, buffer: ArrayBuffer | undefined): void {
    if (buffer !== undefined) this.#buffers.giveBack(buffer);
    const served = this.#served.get(id);
    if (served === undefined) return; // cancelled meanwhile
    served.credit += pages;
    this.#goOn(id, served);
  }

  /** With the snapshots of its first names. */
  begin({ id, request, buffers }: Begin<Request>, snapshots: Snapshots): void {
    for (const buffer of buffers) this.#buffers.giveBack(buffer);
    const tailBytes = tailBytesOf(snapshots);
    const isTooMuch = this.#tailBytes > mostTailBytes / 2 && this.#tailBytes + tailBytes > mostTailBytes;
    if (isTooMuch && tailBytes > littleTailBytes) {
      this.fail(id, new ProblemError('overloaded', 'Queries of the archive hold too many records that are new.'));
      return;
    }
    const MadeQuery = request.transitions === undefined ? ArchiveQuery : NewestTransitions;
    const query = new MadeQuery(request, {
      blockOf: (path) => this.#source.blockOf(id, path),
      buffers: this.#buffers,
      onDamage: (damage) => this.#source.damaged(damage),
    });
    const begun = { credit: 1, isWaiting: false, firstMs: firstTurnMs, asked: 0, tailBytes: 0 };
    this.#served.set(id, { request, query, snapshots: [], ...begun });
    this.#take(id, snapshots);
    this.#turns.begin(id);
    this.#run();
  }

  /** It is over, or cancelled. */
  end(id: number): void {
    const served = this.#served.get(id);
    if (served !== undefined) this.#countTails(served, -served.tailBytes);
    this.#served.delete(id);
    this.#turns.drop(id);
    this.#source.need(id, []);
  }

  /** It ends with this problem. */
  fail(id: number, error: unknown): void {
    this.end(id);
    const { problem, message } = problemOf(error);
    this.#client.notify('problem', [id, problem, message]);
  }

  #take(id: number, snapshots: Snapshots): void {
    const served = this.#served.get(id);
    if (served === undefined) return; // cancelled meanwhile
    served.asked += snapshots.length;
    served.snapshots.push(...snapshots);
    this.#countTails(served, tailBytesOf(snapshots));
    this.#source.need(id, snapshots);
  }

  #countTails(served: Served<Request>, bytes: number): void {
    served.tailBytes += bytes;
    this.#tailBytes += bytes;
  }

  #goOn(id: number, { isWaiting, credit }: Served<Request>): void {
    if (isWaiting || credit === 0) return;
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
  #serve(id: number, served: Served<Request>, isFirst: boolean): void {
    const { query } = served;
    const startMs = performance.now();
    const endMs = startMs + (isFirst ? served.firstMs : turnMs);
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
        this.end(id);
        return;
      }
      if (query.awaited !== undefined) {
        this.#wait(id, served, query.awaited);
        break;
      }
      if (performance.now() >= endMs) break;
    }
    if (isFirst) this.#endFirst(id, served, performance.now() - startMs);
    this.#goOn(id, served);
  }

  /** Where what it needs is on its way, the rest of its first turn comes then. */
  #endFirst(id: number, served: Served<Request>, ms: number): void {
    served.firstMs = served.isWaiting ? Math.max(0, served.firstMs - ms) : 0;
    if (served.firstMs === 0 && served.credit > 0) this.#give(id, served, new Uint8Array(), false);
  }

  #give(
    id: number,
    served: Served<Request>,
    { buffer, length: bytes }: Uint8Array<ArrayBuffer>,
    isLast: boolean,
  ): void {
    served.credit--;
    this.#client.notify('page', [id, buffer, bytes, isLast], [buffer]);
  }

  #ask(id: number, served: Served<Request>): void {
    const request = { ...served.request, sinceUs: served.query.sinceUs };
    const asking = this.#source.snapshots(id, snapshotRequest(request, served.asked), served.request);
    this.#wait(
      id,
      served,
      asking.then((snapshots) => this.#take(id, snapshots)),
    );
  }

  #wait(id: number, served: Served<Request>, arrival: Arrival): void {
    served.isWaiting = true;
    arrival.then(
      () => {
        served.isWaiting = false;
        if (this.#served.get(id) !== served) return; // cancelled meanwhile
        if (served.firstMs > 0) {
          this.#turns.begin(id);
          this.#run();
        } else this.#goOn(id, served);
      },
      (error) => {
        if (this.#served.get(id) === served) this.fail(id, error);
      },
    );
  }

  /** What goes wrong with one query ends it alone. */
  #guard(id: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(id, error);
    }
  }
}

function tailBytesOf(snapshots: Snapshots): number {
  return buffersOf(snapshots).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError('storage-failed', `The archive cannot be read: ${(error as Error).message}.`);
}
