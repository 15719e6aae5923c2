// Parquet's hybrid of runs and packed bits, in which definition levels and places in dictionaries are written.
import { pack, packedBytes } from '@telltale/schema/bit-packing';
import type { ByteSink } from '@telltale/schema/byte-sink';

/** Packed numbers come in groups of so many; a run of as many is shorter as a run. */
const group = 8;

/** Appends `values[from..to)`, whole numbers of at most `width` bits. */
export function writeHybrid(out: ByteSink, values: Float64Array, from: number, to: number, width: number): void {
  let at = from;
  while (at < to) {
    const runEnd = endOfRun(values, at, to, to);
    if (runEnd - at >= group || runEnd === to) {
      writeRun(out, values[at] as number, runEnd - at, width);
      at = runEnd;
      continue;
    }
    let end = Math.min(to, at + group);
    while (end < to && endOfRun(values, end, to, end + group) - end < group) end = Math.min(to, end + group);
    writePacked(out, values, at, end, width);
    at = end;
  }
}

/** Where another value comes, `most` at the latest. */
function endOfRun(values: Float64Array, from: number, to: number, most: number): number {
  const last = Math.min(to, most);
  const value = values[from];
  let end = from + 1;
  while (end < last && values[end] === value) end++;
  return end;
}

/** The same `count` times. */
export function writeRun(out: ByteSink, value: number, count: number, width: number): void {
  out.varint(count * 2);
  for (let bits = 0; bits < width; bits += 8) out.u8((value >>> bits) & 0xff);
}

/** The last group of all is filled up with zeroes. */
function writePacked(out: ByteSink, values: Float64Array, from: number, to: number, width: number): void {
  const groups = Math.ceil((to - from) / group);
  out.varint(groups * 2 + 1);
  const start = out.length;
  pack(out, values, from, to, 0, width);
  const end = start + packedBytes(groups * group, width);
  out.reserve(end - out.length);
  out.bytes.fill(0, out.length, end);
  out.length = end;
}
