// Reads whole numbers of one width, one behind the other as a stream of bits, the lowest first: what integer columns are made
// of. Shifts of 32 bits alone; wider numbers are read in pieces.
import { packedBytes } from '@telltale/schema/bit-packing';
import type { ByteReader } from './byte-reader.ts';

/** Reads what `pack` wrote: `base` and each number go into `into[from..to)`. */
export function unpack(
  reader: ByteReader,
  into: Float64Array,
  from: number,
  to: number,
  base: number,
  width: number,
): void {
  if (width === 0) {
    into.fill(base, from, to);
    return;
  }
  const start = reader.skip(packedBytes(to - from, width));
  // Reading whole words is quick; those that would end behind the buffer are put together byte by byte.
  const room = reader.view.byteLength - start - 4;
  const quick = room < 0 ? 0 : Math.floor((8 * room) / width) + 1;
  if (width <= 25) {
    const middle = Math.min(to, from + quick);
    unpackNarrow(reader.view, start, into, from, middle, base, width);
    if (middle < to) unpackPieces(reader, start, into, from, middle, to, base, width);
  } else if (width <= 32 && to - from < quick) {
    unpackWords(reader.view, start, into, from, to, base, width);
  } else {
    unpackPieces(reader, start, into, from, from, to, base, width);
  }
}

function unpackNarrow(
  view: DataView,
  start: number,
  into: Float64Array,
  from: number,
  to: number,
  base: number,
  width: number,
): void {
  const mask = (1 << width) - 1;
  let bit = 0;
  for (let index = from; index < to; index++) {
    into[index] = base + ((view.getUint32(start + (bit >>> 3), true) >>> (bit & 7)) & mask);
    bit += width;
  }
}

/** Widths from 17 to 32, and four bytes behind the last number. */
function unpackWords(
  view: DataView,
  start: number,
  into: Float64Array,
  from: number,
  to: number,
  base: number,
  width: number,
): void {
  const mask = 2 ** (width - 16) - 1;
  let bit = 0;
  for (let index = from; index < to; index++) {
    const high = bit + 16;
    const low = (view.getUint32(start + (bit >>> 3), true) >>> (bit & 7)) & 0xffff;
    into[index] = base + (low + ((view.getUint32(start + (high >>> 3), true) >>> (high & 7)) & mask) * 65536);
    bit += width;
  }
}

/** Any width, and nothing is read behind the end of the reader's bytes. `first` is where the stream begins. */
function unpackPieces(
  reader: ByteReader,
  start: number,
  into: Float64Array,
  first: number,
  from: number,
  to: number,
  base: number,
  width: number,
): void {
  const bytes = reader.bytes;
  for (let index = from; index < to; index++) {
    let bit = (index - first) * width;
    let value = 0;
    let scale = 1;
    for (let left = width; left > 0; ) {
      const taken = Math.min(left, 8 - (bit & 7));
      value += (((bytes[start + (bit >>> 3)] as number) >>> (bit & 7)) & ((1 << taken) - 1)) * scale;
      scale *= 1 << taken;
      bit += taken;
      left -= taken;
    }
    into[index] = base + value;
  }
}
