// The directory of a block: which series it has, and where their indexes are.
import { crc32 } from 'node:zlib';
import { type BlockLabel, entryBytes } from './block-format.ts';
import type { Place } from './series-index.ts';

export interface SeriesSpan {
  readonly firstUs: number;
  readonly lastUs: number;
  readonly records: number;
}

export class BlockDirectory {
  /** Ascending. */
  readonly numbers: Uint32Array;
  /** Entries that are damaged. */
  readonly lost: number;
  readonly #entries: Buffer;
  readonly #indexesAt: number;

  constructor(bytes: Buffer, { series, directoryCrc, indexesAt }: BlockLabel) {
    this.#entries = crc32(bytes) === directoryCrc ? bytes : rightEntries(bytes);
    this.#indexesAt = indexesAt;
    this.numbers = new Uint32Array(this.#entries.length / entryBytes);
    this.lost = series - this.numbers.length;
    for (let at = 0; at < this.numbers.length; at++) {
      this.numbers[at] = this.#entries.readUInt32LE(at * entryBytes);
    }
  }

  /** Which entry a series has; -1: none. */
  find(number: number): number {
    const { numbers } = this;
    let [low, high] = [0, numbers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((numbers[middle] as number) < number) low = middle + 1;
      else high = middle;
    }
    return numbers[low] === number ? low : -1;
  }

  spanOf(entry: number): SeriesSpan {
    const at = entry * entryBytes;
    return {
      firstUs: this.#entries.readDoubleLE(at + 16),
      lastUs: this.#entries.readDoubleLE(at + 24),
      records: this.#entries.readUInt32LE(at + 32),
    };
  }

  indexOf(entry: number): Place {
    const at = entry * entryBytes;
    return {
      at: this.#indexesAt + this.#entries.readDoubleLE(at + 8),
      bytes: this.#entries.readUInt32LE(at + 4),
      crc: this.#entries.readUInt32LE(at + 36),
    };
  }
}

function rightEntries(bytes: Buffer): Buffer {
  const right: Buffer[] = [];
  for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
    const entry = bytes.subarray(at, at + entryBytes);
    if (crc32(entry.subarray(0, entryBytes - 4)) === entry.readUInt32LE(entryBytes - 4)) right.push(entry);
  }
  return Buffer.concat(right);
}
