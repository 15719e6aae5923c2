// The index of one series in a block: where its chunks are, what they span, and their summaries.
import { type Datatype, isDatatype } from '@telltale/schema';
import { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { readSummary, type Summary, writeSummary } from '../codec/summary.ts';
import { chunkRecords, labelBytes, maxChunkBytes } from './block-format.ts';

/** What a reader knows of a chunk before it reads its records. */
export interface ChunkInfo {
  readonly firstUs: number;
  readonly lastUs: number;
  readonly count: number;
  /** Undefined where the values are texts, or longs that a double cannot hold. */
  readonly summary: Summary | undefined;
}

/** Bytes in a block, and their checksum. */
export interface Place {
  readonly at: number;
  readonly bytes: number;
  readonly crc: number;
}

/** What the index says of a chunk. */
export interface ChunkEntry extends ChunkInfo {
  /** The next record would have fitted, but for the length of its text. */
  readonly isCut: boolean;
  readonly chunk: Place;
  readonly times: Place;
}

const latestUs = 2 ** 53;

export function writeSeriesIndex(
  out: ByteWriter,
  datatype: Datatype,
  entries: readonly ChunkEntry[],
  scratch: ByteWriter,
): void {
  out.u8(datatype.charCodeAt(0));
  out.varint(entries.length);
  scratch.reset();
  let [chunksEnd, timesEnd, lastUs] = [0, 0, 0];
  for (const entry of entries) {
    const { chunk, times } = entry;
    const summaryFrom = scratch.length;
    writeSummary(scratch, entry.summary, entry);
    out.varint(2 * entry.count + (entry.isCut ? 1 : 0));
    out.varint(entry.firstUs - lastUs);
    out.varint(entry.lastUs - entry.firstUs);
    out.zigzag(chunk.at - chunksEnd);
    out.varint(chunk.bytes);
    out.u32(chunk.crc);
    out.zigzag(times.at - timesEnd);
    out.varint(times.bytes);
    out.u32(times.crc);
    out.varint(scratch.length - summaryFrom);
    chunksEnd = chunk.at + chunk.bytes;
    timesEnd = times.at + times.bytes;
    lastUs = entry.lastUs;
  }
  out.raw(scratch.written());
}

/**
 * The chunks with records in [sinceUs, untilUs); the others are passed over and cost little. Throws RangeError where the
 * bytes cannot be an index of a block whose data ends at `dataEnd`. Keeps the bytes.
 */
export function readSeriesIndex(
  bytes: Uint8Array,
  records: number,
  dataEnd: number,
  sinceUs: number,
  untilUs: number,
): readonly StoredChunk[] {
  const reader = new ByteReader(bytes);
  const datatype = String.fromCharCode(reader.u8());
  if (!isDatatype(datatype)) throw new RangeError('no datatype');
  const count = reader.varint();
  if (count > records) throw new RangeError('more chunks than records');
  const chunks: StoredChunk[] = [];
  const check = (at: number, length: number): void => {
    const isInside = at >= labelBytes && at + length <= dataEnd;
    if (!isInside || length > maxChunkBytes) throw new RangeError('a chunk outside the data');
  };
  let [chunkAt, chunkBytes, timesAt, timesBytes] = [0, 0, 0, 0];
  let [lastUs, left, summariesBytes] = [0, records, 0];
  for (let index = 0; index < count; index++) {
    const countAndCut = reader.varint();
    const chunkCount = Math.floor(countAndCut / 2);
    if (chunkCount < 1 || chunkCount > chunkRecords) throw new RangeError('a chunk of no possible length');
    const firstUs = lastUs + reader.varint();
    lastUs = firstUs + reader.varint();
    if (lastUs >= latestUs) throw new RangeError('no time');
    chunkAt += chunkBytes + reader.zigzag();
    chunkBytes = reader.varint();
    const chunkCrc = reader.u32();
    timesAt += timesBytes + reader.zigzag();
    timesBytes = reader.varint();
    const timesCrc = reader.u32();
    check(chunkAt, chunkBytes);
    check(timesAt, timesBytes);
    left -= chunkCount;
    if (lastUs >= sinceUs && firstUs < untilUs) {
      const chunk = { at: chunkAt, bytes: chunkBytes, crc: chunkCrc };
      const times = { at: timesAt, bytes: timesBytes, crc: timesCrc };
      const isCut = countAndCut % 2 === 1;
      chunks.push(new StoredChunk(datatype, firstUs, lastUs, chunkCount, isCut, chunk, times, bytes, summariesBytes));
    }
    summariesBytes += reader.varint();
  }
  if (left !== 0 || reader.left !== summariesBytes) throw new RangeError('the index does not add up');
  for (const chunk of chunks) chunk.summaryAt += reader.at;
  return chunks;
}

export class StoredChunk implements ChunkEntry {
  readonly datatype: Datatype;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly count: number;
  readonly isCut: boolean;
  readonly chunk: Place;
  readonly times: Place;
  /** Where the summary begins in the index. */
  summaryAt: number;
  readonly #index: Uint8Array;
  #summary: Summary | undefined | null = null;

  constructor(
    datatype: Datatype,
    firstUs: number,
    lastUs: number,
    count: number,
    isCut: boolean,
    chunk: Place,
    times: Place,
    index: Uint8Array,
    summaryAt: number,
  ) {
    this.datatype = datatype;
    this.firstUs = firstUs;
    this.lastUs = lastUs;
    this.count = count;
    this.isCut = isCut;
    this.chunk = chunk;
    this.times = times;
    this.#index = index;
    this.summaryAt = summaryAt;
  }

  /** Read when it is asked for: who wants the records wants no summary. */
  get summary(): Summary | undefined {
    if (this.#summary === null) {
      try {
        this.#summary = readSummary(new ByteReader(this.#index, this.summaryAt), this);
      } catch {
        // It is what no writer wrote: the records themselves must be read.
        this.#summary = undefined;
      }
    }
    return this.#summary;
  }
}
