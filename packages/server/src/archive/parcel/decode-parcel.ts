// The bytes of a parcel, which anybody may have sent: everything is checked, and nothing grows beyond its limits.
import { crc32, zstdDecompressSync } from 'node:zlib';
import { ByteReader } from '../codec/byte-reader.ts';
import { readSeries } from '../files/series-entry.ts';
import type { Series } from '../records.ts';
import { type Parcel, type ParcelCounters, type ParcelErasure, parcelLimits, type Section } from './parcel.ts';
import { frameBytes, parcelMagic, parcelVersion } from './parcel-frame.ts';
import { readColumns } from './section-columns.ts';

const maxSiteBytes = 64;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is in front of the records. */
export type ParcelFront = Omit<Parcel, 'erasures' | 'sections'>;

/** The bytes are not those of a parcel, or of a newer version; the message says what is wrong. */
export class BadParcel extends Error {
  override readonly name = 'BadParcel';
}

/** Throws `BadParcel`, also where it has more records than are taken. */
export function decodeParcel(bytes: Uint8Array, mostRecords: number = parcelLimits.records): Parcel {
  return read(bytes, (reader) => {
    const front = readFront(reader);
    const erasures = some(reader, parcelLimits.erasures, (): ParcelErasure => readErasure(reader));
    let records = 0;
    const sections = some(reader, parcelLimits.sections, (): Section => {
      const section = readSection(reader, mostRecords - records);
      records += section.columns.count;
      return section;
    });
    if (reader.left > 0) throw new RangeError(`${reader.left} bytes behind its end`);
    return { ...front, erasures, sections };
  });
}

/** Throws `BadParcel`. Of the rest nothing is known but its checksum. */
export function decodeParcelFront(bytes: Uint8Array): ParcelFront {
  return read(bytes, readFront);
}

/** As it says itself: what it has more of is refused. 0: it is none. */
export function unpackedBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): number {
  return byteLength < frameBytes ? 0 : new DataView(buffer, byteOffset, frameBytes).getUint32(8, true);
}

function read<T>(bytes: Uint8Array, readBody: (reader: ByteReader) => T): T {
  try {
    return readBody(new ByteReader(unpacked(bytes)));
  } catch (error) {
    if (error instanceof BadParcel) throw error;
    throw new BadParcel(`not a parcel: ${(error as Error).message}`);
  }
}

function unpacked(bytes: Uint8Array): Uint8Array {
  if (bytes.length < frameBytes || bytes.length > parcelLimits.bytes + frameBytes) {
    throw new BadParcel(`not a parcel: it has ${bytes.length} bytes`);
  }
  const frame = new DataView(bytes.buffer, bytes.byteOffset, frameBytes);
  if (frame.getUint32(0, true) !== parcelMagic) throw new BadParcel('not a parcel: it begins with something else');
  const version = frame.getUint16(4, true);
  if (version === 0) throw new BadParcel('not a parcel: it has no version');
  if (version > parcelVersion) {
    throw new BadParcel(`a parcel of version ${version}, which this server does not know: update it first`);
  }
  const length = frame.getUint32(8, true);
  if (length > parcelLimits.unpackedBytes) throw new BadParcel(`not a parcel: it unpacks to ${length} bytes`);
  const packed = bytes.subarray(frameBytes);
  if (crc32(packed) !== frame.getUint32(12, true)) throw new BadParcel('a damaged parcel: its checksum is another');
  const body = zstdDecompressSync(packed, { maxOutputLength: length });
  if (body.length !== length) throw new BadParcel(`not a parcel: it unpacks to ${body.length} bytes`);
  return body;
}

function readFront(reader: ByteReader): ParcelFront {
  const site = readText(reader, maxSiteBytes);
  const [epoch, seq, madeUs] = [reader.varint(), reader.varint(), reader.varint()];
  return {
    site,
    epoch,
    seq,
    madeUs,
    position: readText(reader, parcelLimits.positionBytes),
    counters: readCounters(reader),
    series: some(reader, parcelLimits.series, (): Series => readSeries(reader)),
  };
}

function readCounters(reader: ByteReader): ParcelCounters {
  return {
    stored: reader.varint(),
    dropped: reader.varint(),
    discarded: reader.varint(),
    discardedSinceUs: reader.varint(),
    discardedUntilUs: reader.varint(),
    backlog: reader.varint(),
    oldestUnsentUs: reader.varint(),
  };
}

function readErasure(reader: ByteReader): ParcelErasure {
  return {
    series: reader.u32(),
    sinceUs: reader.varint(),
    untilUs: reader.varint(),
    place: reader.varint(),
  };
}

function readSection(reader: ByteReader, mostRecords: number): Section {
  const [from, to, isRepeated, superseded] = [reader.varint(), reader.varint(), reader.u8() === 1, reader.varint()];
  if (from > to) throw new RangeError(`a section from ${from} to ${to}`);
  return { from, to, isRepeated, superseded, ...readColumns(reader, mostRecords) };
}

function some<T>(reader: ByteReader, most: number, readOne: () => T): T[] {
  const count = reader.varint();
  if (count > most) throw new RangeError(`${count}, where there are at most ${most}`);
  return Array.from({ length: count }, readOne);
}

function readText(reader: ByteReader, maxBytes: number): string {
  const length = reader.varint();
  if (length > maxBytes) throw new RangeError(`a text of ${length} bytes`);
  return utf8.decode(reader.raw(length));
}
