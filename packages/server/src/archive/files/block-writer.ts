// Writes a block: series after series, records cut into chunks, then the indexes. The file has its name only when it is
// whole.
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { form, traitsOf } from '@telltale/schema/values';
import { ByteWriter } from '../codec/byte-writer.ts';
import { encodeQualities } from '../codec/quality-column.ts';
import { summarize } from '../codec/summary.ts';
import { encodeValues } from '../codec/value-column.ts';
import { Columns, type Series, simulated } from '../records.ts';
import type { BlockFile } from './block-file.ts';
import { type BlockHeader, chunkRecords, chunkTextLength, entryBytes, labelBytes, writeLabel } from './block-format.ts';
import { type Disk, systemDisk, writeAll } from './disk.ts';
import { blockName } from './file-names.ts';
import { writeSeries } from './series-entry.ts';
import { type ChunkEntry, type ChunkInfo, IndexScratch, StoredChunk, writeSeriesIndex } from './series-index.ts';
import { TimeColumns } from './time-columns.ts';

const writeBytes = 2 ** 20;

/** An entry whose offset is known when the chunk goes into the file. */
type PendingEntry = ChunkEntry & { readonly chunk: { at: number } };

export class BlockWriter {
  readonly #header: BlockHeader;
  readonly #disk: Disk;
  readonly #path: string;
  readonly #file: number;
  #isOpen = true;
  #isFinished = false;
  /** In the file; the label at its front is written in the end. */
  #written = labelBytes;
  readonly #out = new ByteWriter(writeBytes);
  readonly #times = new TimeColumns();
  readonly #chunks = new ByteWriter();
  readonly #indexes = new ByteWriter();
  readonly #names = new ByteWriter();
  readonly #directory = new ByteWriter();
  readonly #scratch = new IndexScratch();
  readonly #pending = new Columns(chunkRecords);
  #pendingTextLength = 0;
  #series: Series | undefined;
  #lastNumber = -1;
  #entries: PendingEntry[] = [];
  /** Entries before are of chunks that have their offset. */
  #flushed = 0;
  #records = 0;
  #firstUs = Number.POSITIVE_INFINITY;
  #lastUs = 0;

  /** Throws the system's error, as the other methods do; then `abort` is due. */
  constructor(folder: string, header: BlockHeader, disk: Disk = systemDisk) {
    this.#header = header;
    this.#disk = disk;
    this.#path = join(folder, blockName(header));
    this.#file = openSync(this.#temporary, 'w');
    this.#times.at = this.#written;
  }

  /** How long the file would be if it were finished now, but for a chunk that is not full. */
  get bytes(): number {
    const data = this.#position + this.#times.pending.length + this.#chunks.length;
    return data + this.#indexes.length + this.#names.length + this.#directory.length + labelBytes;
  }

  /** Series come in ascending order of their numbers. */
  begin(series: Series): void {
    if (this.#series !== undefined) throw new Error('a series of the block is not ended');
    if (series.number <= this.#lastNumber) throw new Error(`series ${series.number} comes after ${this.#lastNumber}`);
    this.#series = series;
    this.#lastNumber = series.number;
  }

  /** Records in order of time, also from call to call. */
  append(columns: Columns, from: number, to: number): void {
    if (from >= to) return;
    if (traitsOf(this.#current.datatype).form === form.text) {
      this.#appendTexts(columns, from, to);
      return;
    }
    const pending = this.#pending;
    let at = from;
    while (at < to) {
      const whole = at + chunkRecords;
      if (pending.count === 0 && whole <= to) {
        this.#addChunk(columns, at, whole, false);
        at = whole;
        continue;
      }
      const end = Math.min(to, at + chunkRecords - pending.count);
      pending.times.set(columns.times.subarray(at, end), pending.count);
      pending.numbers.set(columns.numbers.subarray(at, end), pending.count);
      pending.qualities.set(columns.qualities.subarray(at, end), pending.count);
      pending.count += end - at;
      at = end;
      if (pending.count === chunkRecords) this.#flushPending(false);
    }
  }

  /** Copies a chunk; false where its records must be appended, since a cut would move. Throws `Damaged`. */
  copy(block: BlockFile, chunk: ChunkInfo): boolean {
    if (!(chunk instanceof StoredChunk) || this.#pending.count > 0) return false;
    const { number } = this.#current;
    const { datatype, count } = chunk;
    if (datatype !== this.#current.datatype || !(count === chunkRecords || chunk.isCut)) return false;
    const times = this.#times.locate(block.timesOf(number, chunk), 0, count);
    const start = this.#chunks.length;
    this.#chunks.raw(block.chunkBytesOf(number, chunk));
    this.#addEntry(start, chunk.chunk.crc, times, chunk);
    return true;
  }

  end(): void {
    const series = this.#current;
    if (this.#pending.count > 0) this.#flushPending(false);
    this.#flush();
    this.#series = undefined;
    const [first, last] = [this.#entries[0], this.#entries.at(-1)];
    if (first === undefined || last === undefined) return;
    let records = 0;
    for (const { count } of this.#entries) records += count;
    const indexAt = this.#indexes.length;
    const indexCrc = writeSeriesIndex(this.#indexes, series.datatype, this.#entries, this.#scratch);
    const directory = this.#directory;
    const entryAt = directory.length;
    directory.u32(series.number);
    directory.u32(this.#indexes.length - indexAt);
    directory.f64(indexAt);
    directory.f64(first.firstUs);
    directory.f64(last.lastUs);
    directory.u32(records);
    directory.u32(indexCrc);
    directory.u32(crc32(directory.bytes.subarray(entryAt, directory.length)));
    const nameAt = this.#names.length;
    writeSeries(this.#names, series);
    this.#names.u32(crc32(this.#names.bytes.subarray(nameAt, this.#names.length)));
    this.#records += records;
    this.#firstUs = Math.min(this.#firstUs, first.firstUs);
    this.#lastUs = Math.max(this.#lastUs, last.lastUs);
    this.#entries = [];
    this.#flushed = 0;
  }

  /** The path of the file, which is on disk, but for its name: the folder is to be synced. Undefined: there is nothing. */
  finish(): string | undefined {
    if (this.#series !== undefined) throw new Error('a series of the block is not ended');
    if (this.#records === 0) {
      this.abort();
      return undefined;
    }
    const indexesAt = this.#position;
    const namesAt = indexesAt + this.#indexes.length;
    const directoryAt = namesAt + this.#names.length;
    const label = writeLabel({
      header: this.#header,
      indexesAt,
      namesAt,
      directoryAt,
      series: this.#directory.length / entryBytes,
      directoryCrc: crc32(this.#directory.written()),
      records: this.#records,
      firstUs: this.#firstUs,
      lastUs: this.#lastUs,
      bytes: directoryAt + this.#directory.length + labelBytes,
    });
    for (const part of [this.#indexes, this.#names, this.#directory]) this.#put(part.written());
    this.#put(label);
    this.#write();
    writeAll(this.#disk, this.#file, label, label.length, 0);
    this.#disk.sync(this.#file);
    this.#close();
    renameSync(this.#temporary, this.#path);
    this.#isFinished = true;
    return this.#path;
  }

  /** Leaves no file. Does nothing after `finish`. */
  abort(): void {
    if (this.#isFinished) return;
    if (this.#isOpen) this.#close();
    rmSync(this.#temporary, { force: true });
  }

  get #temporary(): string {
    return `${this.#path}.tmp`;
  }

  get #position(): number {
    return this.#written + this.#out.length;
  }

  get #current(): Series {
    if (this.#series === undefined) throw new Error('no series of the block is begun');
    return this.#series;
  }

  #appendTexts(columns: Columns, from: number, to: number): void {
    const pending = this.#pending;
    for (let at = from; at < to; at++) {
      const text = columns.texts[at] as string;
      if (pending.count > 0 && this.#pendingTextLength + text.length > chunkTextLength) this.#flushPending(true);
      pending.times[pending.count] = columns.times[at] as number;
      pending.qualities[pending.count] = columns.qualities[at] as number;
      pending.texts[pending.count++] = text;
      this.#pendingTextLength += text.length;
      if (pending.count === chunkRecords) this.#flushPending(false);
    }
  }

  #flushPending(isCut: boolean): void {
    this.#addChunk(this.#pending, 0, this.#pending.count, isCut);
    this.#pending.clear();
    this.#pendingTextLength = 0;
  }

  #addChunk(columns: Columns, from: number, to: number, isCut: boolean): void {
    const series = this.#current;
    const times = this.#times.locate(columns.times, from, to);
    const start = this.#chunks.length;
    encodeValues(series.datatype, columns, from, to, this.#chunks);
    encodeQualities(columns.qualities, from, to, this.#chunks);
    this.#addEntry(start, crc32(this.#chunks.bytes.subarray(start, this.#chunks.length)), times, {
      firstUs: columns.times[from] as number,
      lastUs: columns.times[to - 1] as number,
      count: to - from,
      isCut,
      hasSimulated: hasSimulated(columns.qualities, from, to),
      summary: summarize(series, columns, from, to),
    });
  }

  #addEntry(
    start: number,
    crc: number,
    times: ChunkEntry['times'],
    { firstUs, lastUs, count, isCut, hasSimulated, summary }: Omit<ChunkEntry, 'chunk' | 'times'>,
  ): void {
    const before = this.#entries.at(-1);
    if (!(firstUs >= (before?.lastUs ?? 0) && lastUs >= firstUs)) {
      throw new Error(`records of series ${this.#current.number} are not in order of time`);
    }
    const chunk = { at: start, bytes: this.#chunks.length - start, crc };
    this.#entries.push({ firstUs, lastUs, count, isCut, hasSimulated, summary, chunk, times });
    if (this.#chunks.length + this.#times.pending.length >= writeBytes) this.#flush();
  }

  /** Puts what waits behind each other: first the time columns, then the chunks, each without gaps. */
  #flush(): void {
    this.#put(this.#times.pending.written());
    const at = this.#position;
    for (; this.#flushed < this.#entries.length; this.#flushed++)
      (this.#entries[this.#flushed] as PendingEntry).chunk.at += at;
    this.#put(this.#chunks.written());
    this.#times.pending.reset();
    this.#chunks.reset();
    this.#times.at = this.#position;
    if (this.#out.length >= writeBytes) this.#write();
  }

  #put(bytes: Uint8Array): void {
    this.#out.raw(bytes);
  }

  #write(): void {
    writeAll(this.#disk, this.#file, this.#out.bytes, this.#out.length, this.#written);
    this.#written += this.#out.length;
    this.#out.reset();
  }

  #close(): void {
    this.#isOpen = false;
    closeSync(this.#file);
  }
}

function hasSimulated(qualities: Uint16Array, from: number, to: number): boolean {
  let bits = 0;
  for (let at = from; at < to; at++) bits |= qualities[at] as number;
  return (bits & simulated) !== 0;
}
