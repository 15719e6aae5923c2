// The thread that reads the archive: serves its readings in turns, as their credit of pages lasts. What there is to
// read it is told by the thread that writes.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { ProblemError } from '@telltale/schema/values';
import type { ReadRequest } from './archive-access.ts';
import type { Damage } from './files/damage.ts';
import { OpenBlocks } from './open-blocks.ts';
import type { Begin, FromReader, Problem, ReaderToWriter, Snapshots, ToReader, WriterToReader } from './protocol.ts';
import { PageBuffers } from './query/page.ts';
import { Reading } from './query/reading.ts';
import { snapshotRequest } from './snapshot-request.ts';
import { openBlock } from './store/block-list.ts';
import type { Snapshot } from './store/snapshot.ts';

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
}

/** How long one reading goes on before the others have their turn. */
const turnMs = 8;

class ReaderThread {
  readonly #port: MessagePort;
  readonly #writer: MessagePort;
  readonly #served = new Map<number, Served>();
  readonly #blocks = new OpenBlocks(openBlock);
  readonly #buffers = new PageBuffers();
  #isRunning = false;

  constructor(port: MessagePort, writer: MessagePort) {
    this.#port = port;
    this.#writer = writer;
    writer.on('message', (message: WriterToReader) => this.#hearWriter(message));
  }

  /** A page of the reading was taken. */
  credit(id: number, buffer: ArrayBuffer): void {
    this.#buffers.giveBack(buffer);
    const served = this.#served.get(id);
    if (served === undefined) return; // cancelled meanwhile
    served.credit++;
    this.#run();
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
    this.#blocks.need(
      id,
      snapshots.flatMap((snapshot) => snapshot?.series.flatMap(({ blocks }) => blocks) ?? []),
    );
    this.#run();
  }

  #begin({ id, request, credit, buffers }: Begin, snapshots: Snapshots): void {
    for (const buffer of buffers) this.#buffers.giveBack(buffer);
    const reading = new Reading(request, {
      blockOf: (path) => this.#blocks.get(path),
      buffers: this.#buffers,
      onDamage: (damage: Damage) => this.#tellWriter({ kind: 'damage', damage }),
    });
    this.#served.set(id, { request, reading, credit, isWaiting: false, asked: 0, snapshots: [] });
    this.#take(id, snapshots);
  }

  #end(id: number): void {
    this.#served.delete(id);
    this.#blocks.need(id, []);
  }

  /** A turn of each, then whatever else is waiting has its own. */
  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => {
      this.#isRunning = false;
      let isMore = false;
      for (const [id, served] of this.#served) {
        this.#guard(id, () => this.#serve(id, served));
        isMore ||= !served.isWaiting && served.credit > 0 && this.#served.has(id);
      }
      if (isMore) this.#run();
    });
  }

  #serve(id: number, served: Served): void {
    const { reading } = served;
    const endMs = performance.now() + turnMs;
    while (!served.isWaiting && served.credit > 0 && performance.now() < endMs) {
      if (reading.wanted !== undefined) {
        if (served.snapshots.length === 0) {
          this.#ask(id, served);
          return;
        }
        reading.give(served.snapshots.shift());
      }
      const page = reading.next();
      const isLast = reading.isOver;
      if (page !== undefined && (page.length > 0 || isLast)) {
        served.credit--;
        const { buffer, length: bytes } = page;
        this.#tell({ kind: 'page', id, buffer, bytes, isLast }, [buffer]);
      }
      if (isLast) {
        this.#end(id);
        return;
      }
    }
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
    else thread?.credit(message.id, message.buffer);
  });
}

main();
