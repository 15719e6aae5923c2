// The copies of the database that are being downloaded: files in a folder, made by whom the owner says. All who ask between
// two changes share one, which goes with its last reader. How many there are is bounded, and how many read them.
import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ProblemError } from '@telltale/schema';

/** As large as the configuration each: one that is downloaded slowly, one of after a change, and one more. */
export const mostCopies = 3;
/** At once: each has an open file. */
export const mostDownloads = 32;

export interface Download {
  readonly stream: Readable;
  readonly size: number;
}

interface Copy {
  readonly path: string;
  readonly made: Promise<void>;
  readers: number;
}

export class DatabaseCopies {
  readonly #folder: string;
  readonly #write: (path: string) => Promise<void>;
  /** The one without the newest changes is not lent any more. */
  #newest: Copy | undefined;
  #copies = 0;
  #downloads = 0;

  /** `write` makes a copy of what there is when it is called, or later. */
  constructor(folder: string, write: (path: string) => Promise<void>) {
    this.#folder = folder;
    this.#write = write;
  }

  /** The database is about to change: who asks from now on gets another copy. */
  outdate(): void {
    this.#newest = undefined;
  }

  /** Rejects with `overloaded` where there are too many. */
  async download(): Promise<Download> {
    if (this.#downloads >= mostDownloads) throw overloaded(`${mostDownloads} downloads of the database are under way.`);
    const copy = this.#newest ?? this.#begin();
    this.#downloads++;
    copy.readers++;
    const release = () => this.#release(copy);
    try {
      await copy.made;
      const file = await open(copy.path, 'r');
      const { size } = await file.stat();
      const stream = file.createReadStream();
      stream.once('close', release);
      return { stream, size };
    } catch (error) {
      release();
      throw error;
    }
  }

  #begin(): Copy {
    if (this.#copies >= mostCopies) throw overloaded(`${mostCopies} copies of the database are being downloaded.`);
    const path = temporaryFile(this.#folder);
    this.#copies++;
    this.#newest = { path, made: this.#write(path), readers: 0 };
    return this.#newest;
  }

  #release(copy: Copy): void {
    this.#downloads--;
    copy.readers--;
    if (copy.readers > 0) return;
    if (this.#newest === copy) this.#newest = undefined;
    const gone = () => {
      this.#copies--;
    };
    rm(copy.path, { force: true }).then(gone, gone);
  }
}

/** A name that `isTemporaryFile` knows again. */
export function temporaryFile(folder: string): string {
  return join(folder, `${randomUUID()}.sqlite`);
}

export function isTemporaryFile(name: string): boolean {
  return /^[\da-f-]{36}\.sqlite/.test(name);
}

function overloaded(detail: string): ProblemError {
  return new ProblemError('overloaded', detail);
}
