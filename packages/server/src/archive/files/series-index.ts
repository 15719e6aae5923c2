// The index of one series in a block: where its chunks are, what they span, and their summaries.
import { crc32 } from 'node:zlib';
import { type Datatype, isDatatype } from '@telltale/schema/values';
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { readSummary, type Summary, writeSummary } from '../codec/summary.ts';
import { chunkRecords, labelBytes, maxChunkBytes } from './block-format.ts';

/** What a reader knows of a chunk before it reads its records. */
export interface ChunkInfo {
  readonly firstUs: number;
  readonly lastUs: number;
  readonly count: number;
  /** Whether one of its records is marked as simulated. */
  readonly hasSimulated: boolean;
  /** Undefined where the values are texts, or longs that a double cannot hold. */
  readonly summary: Summary | undefined;
}

/** Bytes in a block, and their checksum. */
export interface FileRange {
  readonly at: number;
  readonly bytes: number;
  readonly crc: number;
}

export interface ChunkEntry extends ChunkInfo {
  /** The next record would have fitted, but for the length of its text. */
  readonly isCut: boolean;
  readonly chunk: FileRange;
  readonly times: FileRange;
}

const latestUs = 2 ** 53;
/** So many chunks are read together: a read of a few of thousands skips the others in groups. */
const chunksAGroup = 16;

/** What the front of an index says of a group of chunks, whose bytes are behind the front. */
interface Group extends FileRange {
  readonly records: number;
  readonly firstUs: number;
  readonly lastUs: number;
}

export class IndexScratch {
  readonly groups = new ByteWriter();
  readonly summary = new ByteWriter();
}

/** Answers with the checksum of the front; each group has one of its own in there. */
export function writeSeriesIndex(
  out: ByteWriter,
  datatype: Datatype,
  entries: readonly ChunkEntry[],
  { groups, summary }: IndexScratch,
): number {
  const start = out.length;
  out.u8(datatype.charCodeAt(0));
  out.varint(Math.ceil(entries.length / chunksAGroup));
  groups.reset();
  let lastUs = 0;
  for (let from = 0; from < entries.length; from += chunksAGroup) {
    const group = entries.slice(from, from + chunksAGroup);
    const at = groups.length;
    writeGroup(groups, group, summary);
    const firstUs = (group[0] as ChunkEntry).firstUs;
    out.varint(group.reduce((sum, { count }) => sum + count, 0));
    out.varint(firstUs - lastUs);
    lastUs = (group.at(-1) as ChunkEntry).lastUs;
    out.varint(lastUs - firstUs);
    out.varint(groups.length - at);
    out.u32(crc32(groups.bytes.subarray(at, groups.length)));
  }
  const crc = crc32(out.bytes.subarray(start, out.length));
  out.raw(groups.written());
  return crc;
}

function writeGroup(out: ByteWriter, entries: readonly ChunkEntry[], summary: ByteWriter): void {
  let [chunksEnd, timesEnd, lastUs] = [0, 0, 0];
  for (const entry of entries) {
    const { chunk, times } = entry;
    summary.reset();
    writeSummary(summary, entry.summary, entry);
    out.varint(4 * entry.count + (entry.hasSimulated ? 2 : 0) + (entry.isCut ? 1 : 0));
    out.varint(entry.firstUs - lastUs);
    out.varint(entry.lastUs - entry.firstUs);
    out.zigzag(chunk.at - chunksEnd);
    out.varint(chunk.bytes);
    out.u32(chunk.crc);
    out.zigzag(times.at - timesEnd);
    out.varint(times.bytes);
    out.u32(times.crc);
    out.varint(summary.length);
    out.raw(summary.written());
    chunksEnd = chunk.at + chunk.bytes;
    timesEnd = times.at + times.bytes;
    lastUs = entry.lastUs;
  }
}

/** What a reader must know of an index beside its bytes. */
export interface IndexBounds {
  /** Of its front. */
  readonly crc: number;
  readonly records: number;
  readonly dataEnd: number;
  readonly version: number;
}

/**
 * The chunks with records in [sinceUs, untilUs). Throws RangeError where the bytes cannot be an index within the
 * bounds; groups that are not needed are not read. Retains the bytes.
 */
export function readSeriesIndex(
  bytes: Uint8Array,
  { crc, records, dataEnd, version }: IndexBounds,
  sinceUs: number,
  untilUs: number,
): readonly StoredChunk[] {
  const reader = new ByteReader(bytes);
  const datatype = String.fromCharCode(reader.u8());
  const count = reader.varint();
  const groups: Group[] = [];
  let [lastUs, left, at] = [0, records, 0];
  for (let index = 0; index < count; index++) {
    const groupRecords = reader.varint();
    const firstUs = lastUs + reader.varint();
    lastUs = firstUs + reader.varint();
    const length = reader.varint();
    const groupCrc = reader.u32();
    if (lastUs >= sinceUs && firstUs < untilUs) {
      groups.push({ at, bytes: length, crc: groupCrc, records: groupRecords, firstUs, lastUs });
    }
    at += length;
    left -= groupRecords;
  }
  const front = reader.at;
  if (crc32(bytes.subarray(0, front)) !== crc) throw new RangeError('its checksum is wrong');
  if (!isDatatype(datatype)) throw new RangeError('no datatype');
  if (left !== 0 || reader.left !== at || lastUs >= latestUs) throw new RangeError('the index does not add up');
  const chunks: StoredChunk[] = [];
  for (const group of groups) {
    const from = front + group.at;
    if (crc32(bytes.subarray(from, from + group.bytes)) !== group.crc) throw new RangeError('its checksum is wrong');
    reader.reset(bytes, from, from + group.bytes);
    readGroup(reader, datatype, group, { dataEnd, version }, sinceUs, untilUs, chunks);
  }
  return chunks;
}

function readGroup(
  reader: ByteReader,
  datatype: Datatype,
  group: Group,
  { dataEnd, version }: Pick<IndexBounds, 'dataEnd' | 'version'>,
  sinceUs: number,
  untilUs: number,
  into: StoredChunk[],
): void {
  const check = (at: number, length: number): void => {
    const isInside = at >= labelBytes && at + length <= dataEnd;
    if (!isInside || length > maxChunkBytes) throw new RangeError('a chunk outside the data');
  };
  let [chunkAt, chunkBytes, timesAt, timesBytes] = [0, 0, 0, 0];
  let [lastUs, left] = [0, group.records];
  while (reader.left > 0) {
    const countAndMarks = reader.varint();
    const isCut = countAndMarks % 2 === 1;
    const count = Math.floor(countAndMarks / (version < 2 ? 2 : 4));
    const hasSimulated = version >= 2 && countAndMarks % 4 >= 2;
    if (count < 1 || count > chunkRecords) throw new RangeError('a chunk of no possible length');
    const firstUs = lastUs + reader.varint();
    if (firstUs < group.firstUs) throw new RangeError('a chunk outside its group');
    lastUs = firstUs + reader.varint();
    chunkAt += chunkBytes + reader.zigzag();
    chunkBytes = reader.varint();
    const chunkCrc = reader.u32();
    check(chunkAt, chunkBytes);
    timesAt += timesBytes + reader.zigzag();
    timesBytes = reader.varint();
    const timesCrc = reader.u32();
    check(timesAt, timesBytes);
    const summaryAt = reader.skip(reader.varint());
    left -= count;
    // Those that are passed over cost no objects.
    if (lastUs < sinceUs || firstUs >= untilUs) continue;
    const chunk = { at: chunkAt, bytes: chunkBytes, crc: chunkCrc };
    const times = { at: timesAt, bytes: timesBytes, crc: timesCrc };
    const about = { datatype, firstUs, lastUs, count, isCut, hasSimulated, chunk, times };
    into.push(new StoredChunk(about, reader.bytes, summaryAt));
  }
  if (left !== 0 || lastUs !== group.lastUs) throw new RangeError('the index does not add up');
}

export class StoredChunk implements ChunkEntry {
  readonly datatype: Datatype;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly count: number;
  readonly isCut: boolean;
  readonly hasSimulated: boolean;
  readonly chunk: FileRange;
  readonly times: FileRange;
  readonly #summaryAt: number;
  readonly #index: Uint8Array;
  #summary: Summary | undefined | null = null;

  constructor(
    about: Omit<ChunkEntry, 'summary'> & { readonly datatype: Datatype },
    index: Uint8Array,
    summaryAt: number,
  ) {
    this.datatype = about.datatype;
    this.firstUs = about.firstUs;
    this.lastUs = about.lastUs;
    this.count = about.count;
    this.isCut = about.isCut;
    this.hasSimulated = about.hasSimulated;
    this.chunk = about.chunk;
    this.times = about.times;
    this.#index = index;
    this.#summaryAt = summaryAt;
  }

  /** Read on demand: a read of the records needs no summary. */
  get summary(): Summary | undefined {
    if (this.#summary === null) {
      try {
        this.#summary = readSummary(new ByteReader(this.#index, this.#summaryAt), this);
      } catch {
        // It is what no writer wrote: the records themselves must be read.
        this.#summary = undefined;
      }
    }
    return this.#summary;
  }
}
