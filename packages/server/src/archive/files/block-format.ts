// What the writer and the reader of blocks agree on: the label at both ends, and the entries of the directory. FORMAT.md
// has the bytes.
import { crc32 } from 'node:zlib';
import { NewerVersion } from './damage.ts';
import type { BlockSpan } from './file-names.ts';

export interface BlockHeader extends BlockSpan {
  /** The last tombstone that is carried out in it. */
  readonly tombstonesApplied: number;
}

/** Written at both ends of a block, so that no single damage loses all of it. */
export interface BlockLabel {
  /** Of the format that the file has. */
  readonly version: number;
  readonly header: BlockHeader;
  /** Where the data ends and the series' indexes begin. */
  readonly indexesAt: number;
  readonly namesAt: number;
  readonly directoryAt: number;
  readonly series: number;
  readonly directoryCrc: number;
  readonly records: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly bytes: number;
}

export const labelBytes = 104;
/** Series, length and offset of its index, first and last time, records, checksums of the index and of the entry. */
export const entryBytes = 44;
export const chunkRecords = 1024;
/** A chunk of texts is cut where it has so many UTF-16 units. */
export const chunkTextLength = 2 ** 18;
/** No chunk or time column is longer; a length beyond is damage. */
export const maxChunkBytes = 2 ** 24;

const magic = 0x42_54_54_54; // 'TTTB'
/** In version 1 no record is marked as simulated, and the index does not say which chunks have such records. */
export const blockVersion = 2;
const most = 2 ** 53;

export function writeLabel(label: Omit<BlockLabel, 'version'>): Buffer {
  const bytes = Buffer.alloc(labelBytes);
  const { header } = label;
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt16LE(blockVersion, 4);
  bytes.writeUInt32LE(header.partition, 8);
  bytes.writeUInt32LE(header.genFrom, 12);
  bytes.writeUInt32LE(header.genTo, 16);
  bytes.writeUInt32LE(header.rewrite, 20);
  bytes.writeDoubleLE(header.tombstonesApplied, 24);
  bytes.writeDoubleLE(label.indexesAt, 32);
  bytes.writeDoubleLE(label.namesAt, 40);
  bytes.writeDoubleLE(label.directoryAt, 48);
  bytes.writeUInt32LE(label.series, 56);
  bytes.writeUInt32LE(label.directoryCrc, 60);
  bytes.writeDoubleLE(label.records, 64);
  bytes.writeDoubleLE(label.firstUs, 72);
  bytes.writeDoubleLE(label.lastUs, 80);
  bytes.writeDoubleLE(label.bytes, 88);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, labelBytes - 4)), labelBytes - 4);
  return bytes;
}

/** Undefined: it is damaged. Throws `NewerVersion`. */
export function readLabel(bytes: Buffer, path: string): BlockLabel | undefined {
  if (bytes.length !== labelBytes || bytes.readUInt32LE(0) !== magic) return undefined;
  if (bytes.readUInt32LE(labelBytes - 4) !== crc32(bytes.subarray(0, labelBytes - 4))) return undefined;
  const version = bytes.readUInt16LE(4);
  if (version > blockVersion) throw new NewerVersion(path, version, blockVersion);
  const label: BlockLabel = {
    version,
    header: {
      partition: bytes.readUInt32LE(8),
      genFrom: bytes.readUInt32LE(12),
      genTo: bytes.readUInt32LE(16),
      rewrite: bytes.readUInt32LE(20),
      tombstonesApplied: bytes.readDoubleLE(24),
    },
    indexesAt: bytes.readDoubleLE(32),
    namesAt: bytes.readDoubleLE(40),
    directoryAt: bytes.readDoubleLE(48),
    series: bytes.readUInt32LE(56),
    directoryCrc: bytes.readUInt32LE(60),
    records: bytes.readDoubleLE(64),
    firstUs: bytes.readDoubleLE(72),
    lastUs: bytes.readDoubleLE(80),
    bytes: bytes.readDoubleLE(88),
  };
  return isPossible(label) ? label : undefined;
}

function isPossible({ indexesAt, namesAt, directoryAt, series, records, firstUs, lastUs, bytes }: BlockLabel): boolean {
  const numbers = [indexesAt, namesAt, directoryAt, records, firstUs, lastUs, bytes];
  return (
    numbers.every((number) => Number.isInteger(number) && number >= 0 && number < most) &&
    labelBytes <= indexesAt &&
    indexesAt <= namesAt &&
    namesAt <= directoryAt &&
    directoryAt + series * entryBytes + labelBytes === bytes &&
    firstUs <= lastUs
  );
}
