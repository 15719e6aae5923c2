// The directory of a block: which series it has, and where their indexes are. Sorted by series number: a read of a few
// series reads a few pages of it; a scan of all of them reads it whole, and caches it.
import { crc32 } from 'node:zlib';
import { type BlockLabel, entryBytes } from './block-format.ts';
import type { FileRange } from './series-index.ts';

export interface SeriesSpan {
  readonly firstUs: number;
  readonly lastUs: number;
  readonly records: number;
}

export interface DirectoryEntry {
  readonly span: SeriesSpan;
  readonly index: FileRange;
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
  #whole: { readonly numbers: Uint32Array; readonly entries: Entries } | undefined;

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
    try {
      if (this.#whole === undefined && this.#count > 0) return this.#pageWith(number).find(number);
    } catch (error) {
      // The order is unknown then: all valid entries are scanned.
      if (!(error instanceof DamagedEntry)) throw error;
    }
    return this.#all().entries.find(number);
  }

  /** The one that the number is in, where it is in any. */
  #pageWith(number: number): Entries {
    let [low, high] = [0, this.#firstOf.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#firstNumberOf(middle) <= number) low = middle;
      else high = middle;
    }
    return this.#pageAt(low);
  }

  #firstNumberOf(page: number): number {
    if (this.#firstOf[page] === unknown) this.#firstOf[page] = this.#pageAt(page).numberAt(0);
    return this.#firstOf[page] as number;
  }

  #pageAt(number: number): Entries {
    if (this.#page?.number === number) return this.#page.entries;
    const from = number * pageEntries;
    const length = Math.min(pageEntries, this.#count - from) * entryBytes;
    const bytes = this.#read(this.#label.directoryAt + from * entryBytes, length);
    if (bytes === undefined) throw new DamagedEntry();
    const entries = new Entries(bytes, this.#label.indexesAt, false);
    this.#page = { number, entries };
    return entries;
  }

  #all(): { readonly numbers: Uint32Array; readonly entries: Entries } {
    if (this.#whole === undefined) {
      const { directoryAt, directoryCrc, indexesAt } = this.#label;
      const bytes = this.#read(directoryAt, this.#count * entryBytes) ?? Buffer.alloc(0);
      const entries = new Entries(crc32(bytes) === directoryCrc ? bytes : rightEntries(bytes), indexesAt, true);
      const numbers = Uint32Array.from({ length: entries.count }, (_, at) => entries.numberAt(at));
      this.#whole = { numbers, entries };
      this.#page = undefined;
    }
    return this.#whole;
  }
}

/** An entry that a search came by is not what was written. */
class DamagedEntry extends Error {}

/** Some entries in order of number. Where they were not checked, each is when it is looked at: that throws `DamagedEntry`. */
class Entries {
  readonly count: number;
  readonly #bytes: Buffer;
  readonly #indexesAt: number;
  readonly #wereChecked: boolean;

  constructor(bytes: Buffer, indexesAt: number, wereChecked: boolean) {
    this.count = bytes.length / entryBytes;
    this.#bytes = bytes;
    this.#indexesAt = indexesAt;
    this.#wereChecked = wereChecked;
  }

  numberAt(entry: number): number {
    const at = entry * entryBytes;
    if (!this.#wereChecked && !isRight(this.#bytes.subarray(at, at + entryBytes))) throw new DamagedEntry();
    return this.#bytes.readUInt32LE(at);
  }

  find(number: number): DirectoryEntry | undefined {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.numberAt(middle) < number) low = middle + 1;
      else high = middle;
    }
    return low < this.count && this.numberAt(low) === number ? this.#entryAt(low * entryBytes) : undefined;
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

function isRight(entry: Buffer): boolean {
  return crc32(entry.subarray(0, entryBytes - 4)) === entry.readUInt32LE(entryBytes - 4);
}

function rightEntries(bytes: Buffer): Buffer {
  const right: Buffer[] = [];
  for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
    const entry = bytes.subarray(at, at + entryBytes);
    if (isRight(entry)) right.push(entry);
  }
  return Buffer.concat(right);
}
