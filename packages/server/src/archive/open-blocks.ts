// The block files that readings have open. One that a merge has replaced stays for as long as a reading needs it.
import type { BlockFile } from './files/block-file.ts';

/** Files that nobody reads just now, and that stay open for the next one. */
const mostIdle = 64;

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
    this.#closeIdle();
  }

  /** Throws where it cannot be opened. */
  get(path: string): BlockFile {
    const block = this.#blocks.get(path) ?? this.#open(path);
    this.#blocks.delete(path);
    this.#blocks.set(path, block);
    return block;
  }

  /** The files are about to go: those that somebody needs are opened while they are there. */
  release(paths: readonly string[]): void {
    for (const path of paths) {
      if (this.#readers.has(path)) this.#tryToOpen(path);
      this.#released.add(path);
    }
    this.#closeIdle();
  }

  close(): void {
    for (const block of this.#blocks.values()) block.close();
    this.#blocks.clear();
  }

  #closeIdle(): void {
    let idle = 0;
    for (const path of this.#blocks.keys()) if (!this.#readers.has(path)) idle++;
    for (const [path, block] of this.#blocks) {
      if (this.#readers.has(path)) continue;
      if (!this.#released.has(path) && idle <= mostIdle) continue;
      idle--;
      block.close();
      this.#blocks.delete(path);
    }
    for (const path of this.#released) if (!this.#readers.has(path)) this.#released.delete(path);
  }

  #tryToOpen(path: string): void {
    try {
      this.get(path);
    } catch {
      // Who needs it will be told why.
    }
  }
}
