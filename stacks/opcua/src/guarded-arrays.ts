// Refuses arrays of nothing in what peers send: their elements take no bytes, so that a short message would have the library make
// as many as it likes.
import { Variant } from 'node-opcua-client';

interface Stream {
  readonly buffer: Buffer;
  /** Where it is read. */
  readonly length: number;
}

/** Of the first byte of a variant: an array, with or without dimensions, of the type Null. */
const [typeAndArray, arrayOfNull] = [0xbf, 0x80];
const noArray = 0xffff_ffff;

const { decode } = Variant.prototype;

/** In the whole thread. */
export function guardArrays(): void {
  Variant.prototype.decode = guardedDecode;
}

function guardedDecode(this: Variant, stream: Parameters<typeof decode>[0]): void {
  refuseArrayOfNull(stream as unknown as Stream);
  decode.call(this, stream);
}

function refuseArrayOfNull({ buffer, length: at }: Stream): void {
  if (((buffer[at] ?? 0) & typeAndArray) !== arrayOfNull || at + 5 > buffer.length) return;
  const count = buffer.readUInt32LE(at + 1);
  if (count !== 0 && count !== noArray) throw new RangeError(`an array of ${count} values without a type`);
}
