// Whole numbers as differences from one to the next (DELTA_BINARY_PACKED): the times of records, and 64-bit integers.
import { pack, widthOf } from '@telltale/schema/bit-packing';
import type { ByteSink } from '@telltale/schema/byte-sink';
import { zigzag } from './thrift-writer.ts';

const blockValues = 128;
const partsOfBlock = 4;
const partValues = blockValues / partsOfBlock;
/** The sign of what is written in a varint takes one bit of 53. */
const most = 2 ** 52 - 1;

/** Appends `values[from..to)`, at least one. False where numbers or differences are too large for it: nothing is appended. */
export function writeDeltas(out: ByteSink, values: Float64Array, from: number, to: number): boolean {
  const start = out.length;
  const deltas = new Float64Array(blockValues);
  const first = values[from] as number;
  if (Math.abs(first) > most) return false;
  out.varint(blockValues);
  out.varint(partsOfBlock);
  out.varint(to - from);
  out.varint(zigzag(first));
  for (let at = from + 1; at < to; at += blockValues) {
    if (writeBlock(out, deltas, values, at, Math.min(to, at + blockValues))) continue;
    out.length = start;
    return false;
  }
  return true;
}

/** `deltas` has room for a block. */
function writeBlock(out: ByteSink, deltas: Float64Array, values: Float64Array, from: number, to: number): boolean {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  let before = values[from - 1] as number;
  for (let at = from; at < to; at++) {
    const value = values[at] as number;
    const delta = value - before;
    before = value;
    deltas[at - from] = delta;
    if (delta < least) least = delta;
    if (delta > greatest) greatest = delta;
  }
  if (Math.abs(least) > most || greatest - least > most) return false;
  deltas.fill(least, to - from);
  out.varint(zigzag(least));
  const widthsAt = out.length;
  for (let part = 0; part < partsOfBlock; part++) out.u8(0);
  const parts = Math.ceil((to - from) / partValues);
  for (let part = 0; part < parts; part++) {
    const width = widthOf(spanOf(deltas, part * partValues, least));
    out.bytes[widthsAt + part] = width;
    pack(out, deltas, part * partValues, (part + 1) * partValues, least, width);
  }
  return true;
}

/** The greatest of a part above the least of the block. */
function spanOf(deltas: Float64Array, from: number, least: number): number {
  let greatest = least;
  for (let at = from; at < from + partValues; at++) greatest = Math.max(greatest, deltas[at] as number);
  return greatest - least;
}
