// The thread that reads the archive: serves its readings in turns, as their credit of pages lasts. What there is to
// read it is told by the thread that writes. Whose turn it is says reader-turns.ts.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { ProblemError } from '@telltale/schema/values';
import type { ReadRequest } from './archive-access.ts';
import type { Damage } from './files/damage.ts';
import { OpenBlocks } from './open-blocks.ts';
import type { Begin, FromReader, Problem, ReaderToWriter, Snapshots, ToReader, WriterToReader } from './protocol.ts';
import { PageBuffers } from './query/page.ts';
import { Reading } from './query/reading.ts';
import { ReaderTurns } from './reader-turns.ts';
import { snapshotRequest } from './snapshot-request.ts';
import { openBlock } from './store/block-list.ts';
import { buffersOf, type Snapshot } from './store/snapshot.ts';

interface Served {
  readonly request: ReadRequest;
  readonly reading: Reading;
  /** Pages that may be made. */
  credit: number;
  isWaiting: boolean;
  /** Of the names, those that were asked for. */
  asked: number;
  /** Of the names that were asked for and are not read yet. */
  readonly snapshots: (Snapshot | undefined)[];
  /** Of records that were in memory, in the snapshots that it was given. */
  tailBytes: number;
}

/** How long the first turn of a reading is: enough for most answers. */
const firstTurnMs = 2;
/** How long one that is longer goes on before others have their turn. */
const turnMs = 4;

/**
 * Records that were in memory, of all readings: each has copies of its own, 18 MB of a million. A reading with more than a
 * little of them is refused where they would be more, unless others have less than half of it: one alone is always served.
 */
const mostTailBytes = 32 << 20;
const littleTailBytes = 1 << 20;

class ReaderThread {
  readonly #port: MessagePort;
  readonly #writer: MessagePort;
  readonly #served = new Map<number, Served>();
  readonly #blocks = new OpenBlocks(openBlock);
  readonly #buffers = new PageBuffers();
  readonly #turns = new ReaderTurns();
  #isRunning = false;
  #tailBytes = 0;

  constructor(port: MessagePort, writer: MessagePort) {
    this.#port = port;
    this.#writer = writer;
    writer.on('message', (message: WriterToReader) => this.#hearWriter(message));
  }

  /** The reading may make so many more pages. */
  credit(id: number, pages: number, buffer: ArrayBuffer | undefined): void {
    if (buffer !== undefined) this.#buffers.giveBack(buffer);
    const served = this.#served.get(id);
    if (served === undefined) return; // cancelled meanwhile
    served.credit += pages;
    this.#goOn(id, served);
  }

  #hearWriter(message: WriterToReader): void {
    if (message.kind === 'read') this.#begin(message, message.snapshots);
    else if (message.kind === 'snapshots') this.#take(message.id, message.snapshots);
    else if (message.kind === 'cancel') this.#end(message.id);
    else {
      this.#blocks.release(message.paths);
      this.#tellWriter({ kind: 'released', paths: message.paths });
    }
  }

  #take(id: number, snapshots: Snapshots): void {
    const served = this.#served.get(id);
    if (served === undefined) return; // cancelled meanwhile
    served.isWaiting = false;
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
      this.#fail(id, { problem: 'overloaded', detail: 'Queries of the archive hold too many records that are new.' });
      return;
    }
    const reading = new Reading(request, {
      blockOf: (path) => this.#blocks.get(path),
      buffers: this.#buffers,
      onDamage: (damage: Damage) => this.#tellWriter({ kind: 'damage', damage }),
    });
    this.#served.set(id, { request, reading, credit: 0, isWaiting: false, asked: 0, snapshots: [], tailBytes: 0 });
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

  #goOn(id: number, { isWaiting, credit }: Served): void {
    if (isWaiting || credit === 0) return;
    this.#turns.goOn(id);
    this.#run();
  }

  /** A turn, then whatever else is waiting has its own. */
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

  /** In its first turn a reading makes a page without credit, which may be empty: so it is told that there is more. */
  #serve(id: number, served: Served, isFirst: boolean): void {
    const { reading } = served;
    const endMs = performance.now() + (isFirst ? firstTurnMs : turnMs);
    if (isFirst) served.credit++;
    while (served.credit > 0) {
      if (reading.wanted !== undefined) {
        if (served.snapshots.length === 0) {
          this.#ask(id, served);
          break;
        }
        reading.give(served.snapshots.shift());
      }
      const page = reading.next(endMs - performance.now());
      const isLast = reading.isOver;
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
    this.#tell({ kind: 'page', id, buffer, bytes, isLast }, [buffer]);
  }

  #ask(id: number, served: Served): void {
    served.isWaiting = true;
    this.#tellWriter({ kind: 'snapshots', id, request: snapshotRequest(served.request, served.asked) });
  }

  /** What goes wrong with one reading ends it alone. */
  #guard(id: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(id, problemOf(error));
    }
  }

  #fail(id: number, problem: Problem): void {
    this.#end(id);
    this.#tell({ kind: 'problem', id, problem });
  }

  #tell(message: FromReader, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #tellWriter(message: ReaderToWriter): void {
    this.#writer.postMessage(message);
  }
}

function tailBytesOf(snapshots: Snapshots): number {
  return buffersOf(snapshots).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return { problem: error.problem, detail: error.message };
  return { problem: 'storage-failed', detail: `The archive cannot be read: ${(error as Error).message}.` };
}

function main(): void {
  if (parentPort === null) throw new Error('reader-thread.ts runs as a worker thread');
  const port = parentPort;
  let thread: ReaderThread | undefined;
  port.on('message', (message: ToReader) => {
    if (message.kind === 'open') thread = new ReaderThread(port, message.writer);
    else thread?.credit(message.id, message.pages, message.buffer);
  });
}

main();
