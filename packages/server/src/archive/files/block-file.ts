// Reads a block. Opening reads its label; the directory, an index and the records of a chunk are read on demand. The
// file never changes, so that any number of readers need no lock.
import { closeSync, fstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { ByteReader } from '../codec/byte-reader.ts';
import { decodeQualities } from '../codec/quality-column.ts';
import { decodeTimes } from '../codec/time-column.ts';
import { decodeValues } from '../codec/value-column.ts';
import { Columns, type Series } from '../records.ts';
import { BlockDirectory, type DirectoryEntry, type SeriesSpan } from './block-directory.ts';
import { type BlockHeader, type BlockLabel, chunkRecords, entryBytes, labelBytes, readLabel } from './block-format.ts';
import { type Damage, Damaged, DamagedBlock } from './damage.ts';
import { FileWindow } from './file-window.ts';
import { Recent } from './recent.ts';
import { readSeries } from './series-entry.ts';
import { type ChunkInfo, type FileRange, readSeriesIndex, StoredChunk } from './series-index.ts';

export type { BlockHeader } from './block-format.ts';
export type { ChunkInfo } from './series-index.ts';

/** Read at once: the chunks of a series are behind each other, and so are its time columns. */
const aheadBytes = 32 * 1024;
const recentColumns = 32;
const recentIndexes = 16;
/** A longer index is read again each time, so that a block that is open costs little. */
const mostRecentBytes = 64 * 1024;
/** Unused columns are retained for the next query: making them costs as much as decoding a chunk. */
const mostSpare = 2;
const noChunks: readonly StoredChunk[] = [];

export class BlockFile {
  readonly path: string;
  readonly header: BlockHeader;
  readonly bytes: number;
  readonly records: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly #file: number;
  readonly #label: BlockLabel;
  readonly #directory: BlockDirectory;
  readonly #labelDamages: readonly Damage[];
  readonly #chunkWindow: FileWindow;
  readonly #timesWindow: FileWindow;
  readonly #reader = new ByteReader(new Uint8Array(0));
  readonly #indexes = new Recent<number, Uint8Array>(recentIndexes);
  /** Decoded, by where they are: the series of a scan share them. */
  readonly #columns = new Recent<number, Float64Array>(recentColumns);
  #spareColumn: Float64Array | undefined;
  readonly #spare: Columns[] = [];

  private constructor(path: string, file: number) {
    this.path = path;
    this.#file = file;
    this.bytes = fstatSync(file).size;
    const damages: Damage[] = [];
    const label = this.#readLabel(damages);
    const { directoryAt, indexesAt, series } = label;
    const directoryBytes = Math.min(series * entryBytes, this.bytes - directoryAt);
    if (directoryAt < 0 || !(directoryBytes > 0)) throw new DamagedBlock(this.#damage('it is cut off'));
    this.#label = label;
    this.#directory = new BlockDirectory((at, length) => this.#bytesAt(at, length), label, directoryBytes);
    this.#labelDamages = damages;
    this.header = label.header;
    this.records = label.records;
    this.firstUs = label.firstUs;
    this.lastUs = label.lastUs;
    this.#chunkWindow = new FileWindow(file, indexesAt, aheadBytes);
    this.#timesWindow = new FileWindow(file, indexesAt, aheadBytes);
  }

  /** Throws `DamagedBlock` where it is unreadable, `NewerVersion`, and the system's errors. */
  static open(path: string): BlockFile {
    const file = openSync(path, 'r');
    try {
      return new BlockFile(path, file);
    } catch (error) {
      closeSync(file);
      if (!isUnreadable(error)) throw error;
      throw new DamagedBlock({ file: basename(path), reason: 'the disk cannot read it' });
    }
  }

  /** Ascending. Reads the whole directory, and throws `DamagedBlock` where the disk cannot. */
  get seriesNumbers(): Uint32Array {
    return this.#look(({ numbers }) => numbers);
  }

  /** The faults of its labels and its directory, which are left out. Throws as `seriesNumbers`. */
  get damages(): readonly Damage[] {
    const lost = this.#look((directory) => directory.lost);
    if (lost === 0) return this.#labelDamages;
    const reason = `${lost} of ${this.#label.series} entries of its directory are damaged`;
    return [...this.#labelDamages, this.#damage(reason)];
  }

  /** The directory entry of a series; undefined: the block does not have it. Throws as `seriesNumbers`. */
  spanOf(number: number): SeriesSpan | undefined {
    return this.#look((directory) => directory.find(number)?.span);
  }

  /** The chunks of a series with records in [sinceUs, untilUs), in order of time. Throws `Damaged`. */
  chunksOf(number: number, sinceUs = 0, untilUs = Number.POSITIVE_INFINITY): readonly ChunkInfo[] {
    const entry = this.#look((directory) => directory.find(number));
    return entry === undefined ? noChunks : this.#readIndex(number, entry, sinceUs, untilUs);
  }

  /** Appends the records of a chunk. Throws `Damaged`; `into` is as it was then. */
  read(series: Series, chunk: ChunkInfo, into: Columns): undefined {
    this.#read(series.number, series.datatype, chunk, into);
  }

  takeColumns(): Columns {
    return this.#spare.pop() ?? new Columns(chunkRecords);
  }

  giveBack(columns: Columns): void {
    columns.clear();
    if (this.#spare.length < mostSpare) this.#spare.push(columns);
  }

  /** All series, read again. Unreadable ones go to `onDamage`; without it, throws `Damaged`. */
  series(onDamage?: (damage: Damage) => void): Series[] {
    const series = this.#readNames();
    if (series.length < this.#label.series || this.#look((directory) => directory.lost) > 0) {
      const damage = this.#damage('not all of its series are known');
      if (onDamage === undefined) throw new Damaged(damage);
      onDamage(damage);
    }
    return series;
  }

  /** The times of a chunk, valid until the next call. Throws `Damaged`. */
  timesOf(number: number, chunk: StoredChunk): Float64Array {
    try {
      return this.#timesOf(chunk);
    } catch (error) {
      throw this.#asDamaged(error, number, chunk);
    }
  }

  /** The bytes of a chunk, valid until the next call. Throws `Damaged`. */
  chunkBytesOf(number: number, chunk: StoredChunk): Uint8Array {
    try {
      const from = locate(this.#chunkWindow, chunk.chunk);
      return this.#chunkWindow.bytes.subarray(from, from + chunk.chunk.bytes);
    } catch (error) {
      throw this.#asDamaged(error, number, chunk);
    }
  }

  /** Reads everything. `onProgress` gets how many bytes are done. */
  verify(onProgress: (doneBytes: number) => void): Damage[] {
    const damages = [...this.damages];
    const note = (look: () => void): void => {
      try {
        look();
      } catch (error) {
        if (!(error instanceof Damaged)) throw error;
        damages.push(error.damage);
      }
    };
    const front = this.#labelAt(0);
    if (front === undefined) damages.push(this.#damage('the label in front is damaged'));
    const columns = new Columns();
    let done = 0;
    for (const number of this.seriesNumbers) {
      note(() => {
        const entry = this.#directory.find(number) as DirectoryEntry;
        for (const chunk of this.#readIndex(number, entry, 0, Number.POSITIVE_INFINITY)) {
          columns.clear();
          note(() => this.#read(number, chunk.datatype, chunk, columns));
          done = Math.max(done, chunk.chunk.at + chunk.chunk.bytes);
        }
      });
      onProgress(done);
    }
    note(() => this.series());
    onProgress(this.bytes);
    return damages;
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(number: number, datatype: Series['datatype'], chunk: ChunkInfo, into: Columns): void {
    const start = into.count;
    try {
      if (!(chunk instanceof StoredChunk)) throw new RangeError('it is of another block');
      if (chunk.datatype !== datatype) throw new RangeError(`its values are ${chunk.datatype}, not ${datatype}`);
      this.#decode(chunk, into);
    } catch (error) {
      if (into.texts.length > start) into.texts.length = start;
      throw this.#asDamaged(error, number, chunk);
    }
  }

  #decode(stored: StoredChunk, into: Columns): void {
    const { count, chunk } = stored;
    const start = into.count;
    into.reserve(start + count);
    into.times.set(this.#timesOf(stored), start);
    const from = locate(this.#chunkWindow, chunk);
    const reader = this.#reader;
    reader.reset(this.#chunkWindow.bytes, from, from + chunk.bytes);
    decodeValues(stored.datatype, reader, count, into, start);
    decodeQualities(reader, count, into.qualities, start);
    if (reader.left > 0) throw new RangeError('it is longer than its records');
    into.count = start + count;
  }

  #timesOf({ count, times, firstUs, lastUs }: StoredChunk): Float64Array {
    let column = this.#columns.get(times.at);
    if (column === undefined || column.length !== count) {
      const from = locate(this.#timesWindow, times);
      column = this.#spareColumn?.length === count ? this.#spareColumn : new Float64Array(count);
      this.#spareColumn = undefined;
      const reader = this.#reader;
      reader.reset(this.#timesWindow.bytes, from, from + times.bytes);
      decodeTimes(reader, count, column, 0);
      if (reader.left > 0) throw new RangeError('its times are more than its records');
      if (!isInOrder(column)) throw new RangeError('its times are not in order');
      this.#spareColumn = this.#columns.add(times.at, column);
    }
    if (column[0] !== firstUs || column[count - 1] !== lastUs) throw new RangeError('its times are others');
    return column;
  }

  #readIndex(number: number, entry: DirectoryEntry, sinceUs: number, untilUs: number): readonly StoredChunk[] {
    const { index, span } = entry;
    try {
      const bytes = this.#indexes.get(number) ?? this.#indexBytes(number, index);
      const bounds = {
        crc: index.crc,
        records: span.records,
        dataEnd: this.#label.indexesAt,
        version: this.#label.version,
      };
      return readSeriesIndex(bytes, bounds, sinceUs, untilUs);
    } catch (error) {
      throw this.#asDamaged(error, number, span, 'the index of a series');
    }
  }

  #look<T>(at: (directory: BlockDirectory) => T): T {
    try {
      return at(this.#directory);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      throw new DamagedBlock(this.#damage('the disk cannot read it'));
    }
  }

  #indexBytes(number: number, { at, bytes }: FileRange): Uint8Array {
    const { indexesAt, namesAt } = this.#label;
    const index = at >= indexesAt && at + bytes <= namesAt ? this.#bytesAt(at, bytes) : undefined;
    if (index === undefined) throw new RangeError('the file ends before');
    if (bytes <= mostRecentBytes) this.#indexes.add(number, index);
    return index;
  }

  #readNames(): Series[] {
    const { namesAt, directoryAt } = this.#label;
    const names = this.#bytesAt(namesAt, directoryAt - namesAt) ?? Buffer.alloc(0);
    const reader = new ByteReader(names);
    const series: Series[] = [];
    try {
      while (reader.left > 0) {
        const from = reader.at;
        const one = readSeries(reader);
        const crc = crc32(names.subarray(from, reader.at));
        if (reader.u32() !== crc) break;
        series.push(one);
      }
    } catch {
      // This is not a name, so the position of the next one is unknown.
    }
    return series;
  }

  #readLabel(damages: Damage[]): BlockLabel {
    const back = this.#labelAt(this.bytes - labelBytes);
    if (back?.bytes === this.bytes) return back;
    const front = this.#labelAt(0);
    if (front === undefined) throw new DamagedBlock(this.#damage('its label is damaged at both ends'));
    damages.push(this.#damage('the label at its end is damaged'));
    return front;
  }

  #labelAt(at: number): BlockLabel | undefined {
    const bytes = this.#bytesAt(at, labelBytes);
    return bytes === undefined ? undefined : readLabel(bytes, this.path);
  }

  /** A buffer of its own; undefined: the file ends before. */
  #bytesAt(at: number, length: number): Buffer | undefined {
    return at < 0 || length < 0 ? undefined : new FileWindow(this.#file, this.bytes, 0).part(at, length);
  }

  #damage(reason: string): Damage {
    return { file: basename(this.path), reason };
  }

  #asDamaged(
    error: unknown,
    series: number,
    { firstUs, lastUs }: { readonly firstUs: number; readonly lastUs: number },
    what = 'a chunk',
  ): unknown {
    const isBad = error instanceof RangeError || error instanceof TypeError;
    if (!isBad && !isUnreadable(error)) return error;
    const reason = `${what} is damaged: ${isBad ? error.message : 'the disk cannot read it'}`;
    return new Damaged({ ...this.#damage(reason), series, firstUs, lastUs });
  }
}

/** Where the bytes are in the window; throws RangeError where they are not what was written. */
function locate(window: FileWindow, { at, bytes, crc }: FileRange): number {
  const from = window.locate(at, bytes);
  if (from < 0) throw new RangeError('the file ends before');
  if (crc32(window.bytes.subarray(from, from + bytes)) !== crc) throw new RangeError('its checksum is wrong');
  return from;
}

function isInOrder(times: Float64Array): boolean {
  let lastUs = -1;
  for (let at = 0; at < times.length; at++) {
    const timeUs = times[at] as number;
    if (!(timeUs >= lastUs)) return false;
    lastUs = timeUs;
  }
  return true;
}

/** The disk has a bad sector there. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EIO';
}
