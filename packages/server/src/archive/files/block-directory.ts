// The directory of a block: which series it has, and where their indexes are. It is in order of number: who asks for a
// few series reads a few pages of it; who goes through all of them has it read, and kept, as a whole.
import { crc32 } from 'node:zlib';
import { type BlockLabel, entryBytes } from './block-format.ts';
import type { Place } from './series-index.ts';

export interface SeriesSpan {
  readonly firstUs: number;
  readonly lastUs: number;
  readonly records: number;
}

/** What the directory says of one series. */
export interface DirectoryEntry {
  readonly span: SeriesSpan;
  readonly index: Place;
}

/** A new buffer with a part of the file; undefined: the file ends before. */
export type ReadPart = (at: number, length: number) => Buffer | undefined;

/** Entries that are read together: about as many bytes as the system reads at once. */
const pageEntries = 93;
const unknown = -1;

export class BlockDirectory {
  readonly #read: ReadPart;
  readonly #label: BlockLabel;
  /** Entries in the file: fewer than the label says where it is cut off. */
  readonly #count: number;
  /** The first number of each page that was looked at: the next search need not read it again. */
  readonly #firstOf: Float64Array;
  #page: { readonly number: number; readonly entries: Entries } | undefined;
  #whole: Entries | undefined;

  /** `bytes` of it are in the file. */
  constructor(read: ReadPart, label: BlockLabel, bytes: number) {
    this.#read = read;
    this.#label = label;
    this.#count = Math.floor(bytes / entryBytes);
    this.#firstOf = new Float64Array(Math.ceil(this.#count / pageEntries)).fill(unknown);
  }

  /** All of them, ascending. Reads everything. */
  get numbers(): Uint32Array {
    return this.#all().numbers;
  }

  /** Entries that are damaged. Reads everything. */
  get lost(): number {
    return this.#label.series - this.numbers.length;
  }

  /** Undefined: the block has none of the series. */
  find(number: number): DirectoryEntry | undefined {
    if (this.#whole !== undefined || this.#count === 0) return this.#all().find(number);
    let [low, high] = [0, this.#firstOf.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const first = this.#firstNumberOf(middle);
      if (first === undefined) return this.#all().find(number);
      if (first <= number) low = middle;
      else high = middle;
    }
    return (this.#pageAt(low) ?? this.#all()).find(number);
  }

  #firstNumberOf(page: number): number | undefined {
    const known = this.#firstOf[page] as number;
    return known === unknown ? this.#pageAt(page)?.numbers[0] : known;
  }

  /** Undefined where an entry of it is damaged: then nobody knows the order, and all that are right are gone through. */
  #pageAt(number: number): Entries | undefined {
    if (this.#page?.number === number) return this.#page.entries;
    const from = number * pageEntries;
    const length = Math.min(pageEntries, this.#count - from) * entryBytes;
    const bytes = this.#read(this.#label.directoryAt + from * entryBytes, length);
    if (bytes === undefined || rightEntries(bytes).length < length) return undefined;
    const entries = new Entries(bytes, this.#label.indexesAt);
    this.#firstOf[number] = entries.numbers[0] as number;
    this.#page = { number, entries };
    return entries;
  }

  #all(): Entries {
    if (this.#whole === undefined) {
      const { directoryAt, directoryCrc, indexesAt } = this.#label;
      const bytes = this.#read(directoryAt, this.#count * entryBytes) ?? Buffer.alloc(0);
      this.#whole = new Entries(crc32(bytes) === directoryCrc ? bytes : rightEntries(bytes), indexesAt);
      this.#page = undefined;
    }
    return this.#whole;
  }
}

/** Some entries in order of number, none of them damaged. */
class Entries {
  readonly numbers: Uint32Array;
  readonly #bytes: Buffer;
  readonly #indexesAt: number;

  constructor(bytes: Buffer, indexesAt: number) {
    this.#bytes = bytes;
    this.#indexesAt = indexesAt;
    this.numbers = new Uint32Array(bytes.length / entryBytes);
    for (let at = 0; at < this.numbers.length; at++) this.numbers[at] = bytes.readUInt32LE(at * entryBytes);
  }

  find(number: number): DirectoryEntry | undefined {
    const { numbers } = this;
    let [low, high] = [0, numbers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((numbers[middle] as number) < number) low = middle + 1;
      else high = middle;
    }
    return numbers[low] === number ? this.#entryAt(low * entryBytes) : undefined;
  }

  #entryAt(at: number): DirectoryEntry {
    const bytes = this.#bytes;
    return {
      span: {
        firstUs: bytes.readDoubleLE(at + 16),
        lastUs: bytes.readDoubleLE(at + 24),
        records: bytes.readUInt32LE(at + 32),
      },
      index: {
        at: this.#indexesAt + bytes.readDoubleLE(at + 8),
        bytes: bytes.readUInt32LE(at + 4),
        crc: bytes.readUInt32LE(at + 36),
      },
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
