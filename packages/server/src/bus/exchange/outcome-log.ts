// What has become of requests that a centre sent and that change something: on disk before each is begun, so that it can be asked for
// when an answer was lost. Two files: when the newer one is full, it takes the place of the older one.
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@telltale/schema';
import type { Outcome } from './heads.ts';

/** What is noted of a request, for people who read the file. */
export interface NotedRequest {
  readonly id: string;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly caller: unknown;
}

interface OutcomeFile {
  /** What is noted in it came later; undefined: it is the first one. */
  since: string | undefined;
  /** When the request came that was noted last. */
  noted: string;
  readonly outcomes: Map<string, Outcome>;
}

/** Some thousands of requests each. */
const mostBytes = 2 ** 20;
const [newName, oldName] = ['forwarded.log', 'forwarded.old.log'];

export class OutcomeLog {
  readonly #folder: string;
  #file: FileHandle;
  #bytes: number;
  /** Of the older file, and of the newer one. */
  #old: OutcomeFile;
  #new: OutcomeFile;
  #pending: string[] = [];
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** Rejects with the system's errors. */
  static async open(folder: string): Promise<OutcomeLog> {
    const [older, newer] = [await readOutcomes(join(folder, oldName)), await readOutcomes(join(folder, newName))];
    const file = await create(folder);
    // It ended in the middle of a turn-over.
    if (newer.since === undefined && older.noted !== '') {
      newer.since = older.noted;
      await file.appendFile(headOf(older.noted));
    }
    return new OutcomeLog(folder, file, (await file.stat()).size, older, newer);
  }

  private constructor(folder: string, file: FileHandle, bytes: number, older: OutcomeFile, newer: OutcomeFile) {
    this.#folder = folder;
    this.#file = file;
    this.#bytes = bytes;
    this.#old = older;
    this.#new = newer;
  }

  /** Undefined: nothing is noted of it. */
  of(id: string): Outcome | undefined {
    return this.#new.outcomes.get(id) ?? this.#old.outcomes.get(id);
  }

  /** What was noted before is forgotten; undefined: nothing is. */
  get since(): string | undefined {
    return this.#old.since;
  }

  /** On disk when it resolves; rejects where the disk does not take it. */
  async begin(request: NotedRequest): Promise<void> {
    this.#new.outcomes.set(request.id, { state: 'begun' });
    this.#new.noted = request.time;
    this.#pending.push(JSON.stringify(request));
    try {
      await this.#write();
    } catch (error) {
      this.#new.outcomes.delete(request.id);
      this.#old.outcomes.delete(request.id);
      throw error;
    }
  }

  /** It is over. Written soon: an outcome that is lost with the power is not known, as it says then. */
  end(id: string, outcome: Outcome): void {
    this.#new.outcomes.set(id, outcome);
    this.#pending.push(JSON.stringify({ id, ...outcome }));
    this.#write().catch(() => undefined);
  }

  async close(): Promise<void> {
    await (this.#next ?? this.#writing)?.catch(() => undefined);
    await this.#file.close();
  }

  /** Everything that waits, together: what comes while a write is under way goes with the next one. */
  #write(): Promise<void> {
    this.#next ??= this.#writeAfter(this.#writing);
    return this.#next;
  }

  async #writeAfter(before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => undefined);
    this.#next = undefined;
    const lines = this.#pending.splice(0).map((line) => `\n${line}`);
    this.#writing = this.#append(Buffer.from(lines.join('')));
    await this.#writing;
  }

  async #append(bytes: Buffer): Promise<void> {
    if (this.#bytes >= mostBytes) await this.#turnOver();
    // A line begins with its end of line: one that was cut off does not spoil the next.
    await this.#file.appendFile(bytes);
    this.#bytes += bytes.length;
    await this.#file.datasync();
  }

  async #turnOver(): Promise<void> {
    await rename(join(this.#folder, newName), join(this.#folder, oldName));
    const file = await create(this.#folder);
    await this.#file.close();
    this.#file = file;
    this.#old = this.#new;
    const { noted } = this.#old;
    this.#new = { since: noted, noted, outcomes: new Map() };
    const head = headOf(noted);
    this.#bytes = head.length;
    await file.appendFile(head);
  }
}

function headOf(since: string): Buffer {
  return Buffer.from(`\n${JSON.stringify({ since })}`);
}

/** The file is there after a power cut. */
async function create(folder: string): Promise<FileHandle> {
  const file = await open(join(folder, newName), 'a');
  const directory = await open(folder, 'r');
  await directory.sync();
  await directory.close();
  return file;
}

async function readOutcomes(path: string): Promise<OutcomeFile> {
  const outcomes = new Map<string, Outcome>();
  let [begun, noted]: [string | undefined, string] = [undefined, ''];
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  for (const line of text.split('\n')) {
    const { id, time, state, status, since } = readLine(line);
    if (typeof since === 'string') begun = since;
    if (typeof time === 'string') noted = time;
    if (typeof id !== 'string') continue;
    if (state === 'done' && typeof status === 'number') outcomes.set(id, { state, status });
    else if (state === 'not-begun') outcomes.set(id, { state });
    else outcomes.set(id, { state: 'begun' });
  }
  return { since: begun, noted, outcomes };
}

function readLine(line: string): Record<string, unknown> {
  try {
    const read = parseJson(line);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {}; // it was cut off
  }
}
