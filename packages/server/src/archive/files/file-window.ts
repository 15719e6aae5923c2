// A file with a window of it in memory: sequential reads are mostly served from there, without another system call.
import { readSync } from 'node:fs';

/** Read after a jump, where the bytes behind may not be needed. */
const leastBytes = 4096;

export class FileWindow {
  readonly size: number;
  /** The piece; another buffer after `locate`. */
  bytes: Buffer = Buffer.alloc(0);
  readonly #file: number;
  readonly #mostAheadBytes: number;
  #aheadBytes = leastBytes;
  #from = 0;
  #length = 0;

  /** `mostAheadBytes`: how much is read at once, where the file has it, by who reads on and on. */
  constructor(file: number, size: number, mostAheadBytes: number) {
    this.#file = file;
    this.size = size;
    this.#mostAheadBytes = mostAheadBytes;
  }

  /** Where in `bytes` that part of the file is, until the next call; -1: the file ends before. */
  locate(at: number, length: number): number {
    if (at < this.#from || at + length > this.#from + this.#length) {
      if (!(at + length <= this.size && this.#load(at, length))) return -1;
    }
    return at - this.#from;
  }

  /** The same as a part of `bytes`. */
  part(at: number, length: number): Buffer | undefined {
    const from = this.locate(at, length);
    return from < 0 ? undefined : this.bytes.subarray(from, from + length);
  }

  /** The next offset of the mark in the file. */
  find(mark: Buffer, from: number): number | undefined {
    for (let at = from; at + mark.length <= this.size; at = this.#from + this.#length - mark.length + 1) {
      if (this.locate(at, mark.length) < 0) return undefined;
      const found = this.bytes.subarray(0, this.#length).indexOf(mark, at - this.#from);
      if (found >= 0) return this.#from + found;
    }
    return undefined;
  }

  #load(at: number, length: number): boolean {
    const readsOn = at >= this.#from && at <= this.#from + this.#length;
    this.#aheadBytes = Math.min(this.#mostAheadBytes, readsOn ? 4 * this.#aheadBytes : leastBytes);
    const wanted = Math.min(Math.max(length, this.#aheadBytes), this.size - at);
    if (this.bytes.length < wanted) this.bytes = Buffer.allocUnsafe(wanted);
    this.#from = at;
    this.#length = 0;
    while (this.#length < wanted) {
      const got = readSync(this.#file, this.bytes, this.#length, wanted - this.#length, at + this.#length);
      if (got === 0) break;
      this.#length += got;
    }
    return this.#length >= length;
  }
}
