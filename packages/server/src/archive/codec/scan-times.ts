// Times of values that are stored on change: each is near some scan, but not each scan has one. For each, the number of
// its scan is stored, and its distance from it.
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { encodeDictionaryPart } from './integer-column.ts';
import { decodeIntegers } from './read-integer-column.ts';

/** In the byte where an integer column has its form. */
export const scansForm = 0x20;

/** Times that stray farther from their scans than this share of the period have no scan. */
const mostStray = 1 / 4;
/** Beyond this neither scans nor strays are exact. */
const limit = 2 ** 53;

/** Appends the times; false, and nothing written, where they lie near no scans. */
export function writeScans(out: ByteWriter, times: Float64Array, from: number, to: number): boolean {
  out.work.reserve(to - from);
  const { distinct: scans, indexes: strays } = out.work;
  if (!countScans(times, from, to, scans)) return false;
  const count = to - from;
  const first = times[from] as number;
  const periodUs = slopeOver(scans, times, from, to);
  if (!(first + periodUs * (scans[count - 1] as number) < limit)) return false;
  for (let index = 0; index < count; index++) {
    const stray = (times[from + index] as number) - (first + Math.floor((scans[index] as number) * periodUs));
    if (Math.abs(stray) >= limit / 2) return false;
    strays[index] = stray;
  }
  out.u8(scansForm);
  out.zigzag(first);
  out.f64(periodUs);
  encodeDictionaryPart(out, scans, 0, count);
  encodeDictionaryPart(out, strays, 0, count);
  return true;
}

/** Reads what follows the form. */
export function readScans(reader: ByteReader, count: number, into: Float64Array, at: number): void {
  const first = reader.zigzag();
  const periodUs = reader.f64();
  const scans = reader.work(count);
  decodeIntegers(reader, count, scans, 0);
  decodeIntegers(reader, count, into, at);
  for (let index = 0; index < count; index++) {
    into[at + index] = first + Math.floor((scans[index] as number) * periodUs) + (into[at + index] as number);
  }
}

/** Fills in the number of each time's scan, counted from the first; the period is known better with each. */
function countScans(times: Float64Array, from: number, to: number, scans: Float64Array): boolean {
  const first = times[from] as number;
  let periodUs = Infinity;
  for (let index = from + 1; index < to; index++) {
    const step = (times[index] as number) - (times[index - 1] as number);
    if (step <= 0) return false;
    if (step < periodUs) periodUs = step;
  }
  let last = first;
  let scan = 0;
  scans[0] = 0;
  for (let index = from + 1; index < to; index++) {
    const time = times[index] as number;
    const passed = Math.round((time - last) / periodUs);
    if (Math.abs(time - last - passed * periodUs) > mostStray * periodUs) return false;
    scan += passed;
    if (scan === 0) return false;
    scans[index - from] = scan;
    periodUs = (time - first) / scan;
    last = time;
  }
  return true;
}

/** Least squares. */
function slopeOver(scans: Float64Array, times: Float64Array, from: number, to: number): number {
  const count = to - from;
  const first = times[from] as number;
  let scanSum = 0;
  let timeSum = 0;
  for (let index = 0; index < count; index++) {
    scanSum += scans[index] as number;
    timeSum += (times[from + index] as number) - first;
  }
  const scanMean = scanSum / count;
  const timeMean = timeSum / count;
  let products = 0;
  let squares = 0;
  for (let index = 0; index < count; index++) {
    const scan = (scans[index] as number) - scanMean;
    products += scan * ((times[from + index] as number) - first - timeMean);
    squares += scan * scan;
  }
  return products / squares;
}
