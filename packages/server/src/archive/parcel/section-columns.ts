// The columns of a section as bytes, and back bit by bit: streams of whole numbers over all its series, since most
// series have few records in a parcel. FORMAT.md has the order of the streams.
import type { Datatype } from '@telltale/schema/values';
import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { Columns, storedBits } from '../records.ts';
import { parcelLimits, type SectionColumns } from './parcel.ts';
import { readNumbers, readPlanes, writeNumbers, writePlanes } from './planes.ts';
import { readTimes, writeTimes } from './section-times.ts';
import { readValues, writeValues } from './section-values.ts';

/** The highest number of a series. */
const mostSeries = 2 ** 32 - 2;

export function writeColumns(out: ByteWriter, section: SectionColumns, datatypeOf: (series: number) => Datatype): void {
  const { series, ends, columns } = section;
  writeNumbers(out, differences(series), series.length);
  writePlanes(out, differences(ends), ends.length);
  writeTimes(out, section);
  writeQualities(out, columns);
  writeValues(out, section, datatypeOf);
}

/** Throws RangeError where the bytes are not those of a section, or of one with more records: before there is memory for them. */
export function readColumns(reader: ByteReader, mostRecords: number): SectionColumns {
  const series = sums(readNumbers(reader, parcelLimits.records), mostSeries);
  const counts = new Float64Array(series.length);
  readPlanes(reader, counts.length, counts);
  const ends = sums(counts, parcelLimits.records);
  const records = ends.at(-1) ?? 0;
  if (records > mostRecords) throw new RangeError(`it has ${records - mostRecords} more records than are taken`);
  for (let at = 0; at < ends.length; at++) {
    if (counts[at] === 0 || (at > 0 && series[at] === series[at - 1])) throw new RangeError('a series without records');
  }
  const columns = new Columns(records);
  columns.count = records;
  const section = { series, ends, columns };
  readTimes(reader, section);
  readQualities(reader, columns);
  readValues(reader, section);
  return section;
}

/** In runs over all series. */
function writeQualities(out: ByteWriter, { count, qualities }: Columns): void {
  const [values, lengths]: [number[], number[]] = [[], []];
  for (let at = 0, from = 0; at < count; at++) {
    if (at + 1 < count && qualities[at + 1] === qualities[at]) continue;
    values.push(qualities[at] as number);
    lengths.push(at + 1 - from);
    from = at + 1;
  }
  writeNumbers(out, values, values.length);
  writePlanes(out, lengths, lengths.length);
}

function readQualities(reader: ByteReader, { count, qualities }: Columns): void {
  const values = readNumbers(reader, count);
  const runs = values.length;
  const lengths = new Float64Array(runs);
  readPlanes(reader, runs, lengths);
  let at = 0;
  for (let run = 0; run < runs; run++) {
    const [value, end] = [values[run] as number, at + (lengths[run] as number)];
    if ((value & ~storedBits) !== 0 || value > 0xffff || end > count) throw new RangeError(`${value} is no quality`);
    qualities.fill(value, at, end);
    at = end;
  }
  if (at !== count) throw new RangeError('records without a quality');
}

function differences(ascending: Uint32Array): Float64Array {
  const steps = new Float64Array(ascending.length);
  for (let at = 0, last = 0; at < steps.length; at++) {
    steps[at] = (ascending[at] as number) - last;
    last = ascending[at] as number;
  }
  return steps;
}

/** Throws RangeError where they go beyond `most`. */
function sums(steps: Float64Array, most: number): Uint32Array {
  const ascending = new Uint32Array(steps.length);
  for (let at = 0, sum = 0; at < steps.length; at++) {
    sum += steps[at] as number;
    if (sum > most) throw new RangeError(`${sum}, where it is at most ${most}`);
    ascending[at] = sum;
  }
  return ascending;
}
