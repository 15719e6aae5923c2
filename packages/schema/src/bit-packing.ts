// Whole numbers of one width, one behind the other as a stream of bits, the lowest first: what columns of integers are made of.
// Shifts of 32 bits alone; wider numbers go in pieces of 16 bits, which gives the same stream.
import type { ByteSink } from './byte-sink.ts';

const word = 2 ** 32;

/** The bits that a whole number from 0 to 2^53 needs. */
export function widthOf(value: number): number {
  return value < word ? 32 - Math.clz32(value) : 64 - Math.clz32(Math.floor(value / word));
}

export function packedBytes(count: number, width: number): number {
  return Math.ceil((count * width) / 8);
}

/** Appends `terms[from..to) - base`, each from 0 to 2^width - 1. */
export function pack(out: ByteSink, terms: Float64Array, from: number, to: number, base: number, width: number): void {
  if (width === 0) return;
  // Bytes behind the last one are written as well, and overwritten by the next writer.
  out.reserve(packedBytes(to - from, width) + 8);
  if (width <= 24) packNarrow(out, terms, from, to, base, width);
  else packPieces(out, terms, from, to, base, width);
}

function packNarrow(out: ByteSink, terms: Float64Array, from: number, to: number, base: number, width: number): void {
  const view = out.view;
  let at = out.length;
  let bits = 0;
  let filled = 0;
  for (let index = from; index < to; index++) {
    bits |= ((terms[index] as number) - base) << filled;
    filled += width;
    view.setUint32(at, bits, true);
    at += filled >>> 3;
    bits >>>= filled & 24;
    filled &= 7;
  }
  out.length = filled > 0 ? at + 1 : at;
}

function packPieces(out: ByteSink, terms: Float64Array, from: number, to: number, base: number, width: number): void {
  const view = out.view;
  let at = out.length;
  let bits = 0;
  let filled = 0;
  for (let index = from; index < to; index++) {
    let rest = (terms[index] as number) - base;
    for (let left = width; left > 0; left -= 16) {
      bits |= (rest & 0xffff) << filled;
      filled += left < 16 ? left : 16;
      view.setUint32(at, bits, true);
      at += filled >>> 3;
      bits >>>= filled & 24;
      filled &= 7;
      rest = Math.floor(rest / 65536);
    }
  }
  out.length = filled > 0 ? at + 1 : at;
}
