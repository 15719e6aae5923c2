// The block files that queries have open: a bounded number over all queries. One that compaction has replaced stays
// open for as long as a query needs it.
import type { BlockFile } from './files/block-file.ts';

/** Files that stay open for the next one who asks, but for those that could not be opened again. */
export const mostOpen = 64;

export class OpenBlocks {
  readonly #open: (path: string) => BlockFile;
  /** The one used longest ago first. */
  readonly #blocks = new Map<string, BlockFile>();
  /** By reader, the paths that it may still ask for. */
  readonly #needed = new Map<unknown, ReadonlySet<string>>();
  /** By path, how many readers may. */
  readonly #readers = new Map<string, number>();
  readonly #released = new Set<string>();

  constructor(open: (path: string) => BlockFile) {
    this.#open = open;
  }

  /** The reader may ask for these from now on, and for no others. */
  need(reader: unknown, paths: readonly string[]): void {
    const needed = new Set(paths);
    for (const path of needed) this.#readers.set(path, (this.#readers.get(path) ?? 0) + 1);
    for (const path of this.#needed.get(reader) ?? []) {
      const left = (this.#readers.get(path) ?? 1) - 1;
      if (left > 0) this.#readers.set(path, left);
      else this.#readers.delete(path);
    }
    this.#needed.delete(reader);
    if (needed.size > 0) this.#needed.set(reader, needed);
    this.#closeOthers();
  }

  /** Valid until the next call. Throws where it cannot be opened. */
  get(path: string): BlockFile {
    const block = this.#blocks.get(path) ?? this.#open(path);
    this.#blocks.delete(path);
    this.#blocks.set(path, block);
    this.#closeOthers();
    return block;
  }

  /** The files are about to go: those that somebody needs are opened while they are there. */
  release(paths: readonly string[]): void {
    for (const path of paths) {
      this.#released.add(path);
      if (this.#readers.has(path)) this.#tryToOpen(path);
    }
    this.#closeOthers();
  }

  close(): void {
    for (const block of this.#blocks.values()) block.close();
    this.#blocks.clear();
  }

  /** Those that are about to go and are not in use; of the others, the ones too many that were used longest ago. */
  #closeOthers(): void {
    if (this.#blocks.size <= mostOpen && this.#released.size === 0) return;
    let tooMany = -mostOpen;
    for (const path of this.#blocks.keys()) if (!this.#released.has(path)) tooMany++;
    for (const [path, block] of this.#blocks) {
      const isReleased = this.#released.has(path);
      if (isReleased ? this.#readers.has(path) : tooMany <= 0) continue;
      if (!isReleased) tooMany--;
      block.close();
      this.#blocks.delete(path);
    }
    for (const path of this.#released) if (!this.#readers.has(path)) this.#released.delete(path);
  }

  #tryToOpen(path: string): void {
    try {
      this.get(path);
    } catch {
      // Its user gets the error.
    }
  }
}
