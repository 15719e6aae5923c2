// A series as bytes: in the catalogue, in each journal that uses it, and in each block that has records of it.
import { isDatatype } from '@telltale/schema/values';
import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { kinds, type Series, type SeriesKey } from '../records.ts';

const maxNameBytes = 255;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function writeSeries(out: ByteWriter, { number, kind, name, datatype }: Series): void {
  const bytes = Buffer.from(name);
  if (bytes.length === 0 || bytes.length > maxNameBytes) throw new RangeError(`a name of ${bytes.length} bytes`);
  out.u32(number);
  out.u8(kinds.indexOf(kind));
  out.u8(datatype.charCodeAt(0));
  out.u16(bytes.length);
  out.raw(bytes);
}

/** Throws RangeError or TypeError where the bytes are not those of a series. */
export function readSeries(reader: ByteReader): Series {
  const number = reader.u32();
  const kind = kinds[reader.u8()];
  const datatype = String.fromCharCode(reader.u8());
  const length = reader.u16();
  if (kind === undefined || !isDatatype(datatype) || length === 0 || length > maxNameBytes) {
    throw new RangeError('no series');
  }
  return { number, kind, name: utf8.decode(reader.raw(length)), datatype };
}

/** A series and the names that it had, which journals and blocks may still give it; those who know none read the series alone. */
export function writeRenamedSeries(out: ByteWriter, series: Series, formerNames: readonly string[]): void {
  writeSeries(out, series);
  for (const name of formerNames) {
    const bytes = Buffer.from(name);
    out.u16(bytes.length);
    out.raw(bytes);
  }
}

/** After `readSeries`, to the end of the bytes. */
export function readFormerNames(reader: ByteReader): string[] {
  const names: string[] = [];
  while (reader.left > 0) names.push(utf8.decode(reader.raw(reader.u16())));
  return names;
}

/** As one text, for maps. No kind or datatype has a slash in it. */
export function textOfKey({ kind, name, datatype }: SeriesKey): string {
  return `${kind}/${datatype}/${name}`;
}
