// A parcel as bytes: a short frame around one block of zstd. FORMAT.md has them.
import { crc32, constants as zlibConstants, zstdCompressSync } from 'node:zlib';
import type { Datatype } from '@telltale/schema/values';
import { ByteWriter } from '../codec/byte-writer.ts';
import { writeSeries } from '../files/series-entry.ts';
import { type Parcel, parcelLimits } from './parcel.ts';
import { frameBytes, parcelMagic, parcelVersion } from './parcel-frame.ts';
import { writeColumns } from './section-columns.ts';

/** More takes longer than it saves. */
const compressionLevel = 3;

/** `datatypeOf` is asked for each series that has records. Throws RangeError where it is more than a parcel may have. */
export function encodeParcel(parcel: Parcel, datatypeOf: (series: number) => Datatype): Buffer {
  const out = new ByteWriter(2 ** 16);
  writeHead(out, parcel);
  out.varint(parcel.series.length);
  for (const series of parcel.series) writeSeries(out, series);
  out.varint(parcel.erasures.length);
  for (const { series, sinceUs, untilUs, place } of parcel.erasures) {
    out.u32(series);
    for (const number of [sinceUs, untilUs, place]) out.varint(number);
  }
  out.varint(parcel.sections.length);
  for (const section of parcel.sections) {
    out.varint(section.from);
    out.varint(section.to);
    out.u8(section.isRepeated ? 1 : 0);
    out.varint(section.superseded);
    writeColumns(out, section, datatypeOf);
  }
  return framed(out.written());
}

function writeHead(out: ByteWriter, { site, epoch, seq, madeUs, position, counters }: Parcel): void {
  writeText(out, site);
  for (const number of [epoch, seq, madeUs]) out.varint(number);
  writeText(out, position);
  const { stored, dropped, discarded, discardedSinceUs, discardedUntilUs, backlog, oldestUnsentUs } = counters;
  for (const number of [stored, dropped, discarded, discardedSinceUs, discardedUntilUs, backlog, oldestUnsentUs]) {
    out.varint(number);
  }
}

function writeText(out: ByteWriter, text: string): void {
  const bytes = Buffer.from(text);
  out.varint(bytes.length);
  out.raw(bytes);
}

function framed(body: Uint8Array): Buffer {
  if (body.length > parcelLimits.unpackedBytes) throw new RangeError(`a parcel of ${body.length} bytes`);
  const params = { [zlibConstants.ZSTD_c_compressionLevel]: compressionLevel };
  const packed = zstdCompressSync(body, { params });
  if (packed.length > parcelLimits.bytes) throw new RangeError(`a packed parcel of ${packed.length} bytes`);
  const bytes = Buffer.alloc(frameBytes + packed.length);
  bytes.writeUInt32LE(parcelMagic, 0);
  bytes.writeUInt16LE(parcelVersion, 4);
  bytes.writeUInt32LE(body.length, 8);
  bytes.writeUInt32LE(crc32(packed), 12);
  bytes.set(packed, frameBytes);
  return bytes;
}
