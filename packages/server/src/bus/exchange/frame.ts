// The frames of an exchange: a head, then bytes, in both directions; each numbered, so that a loss is noticed.

export const frameKind = { head: 1, data: 2, credit: 3, reset: 4 } as const;
export type FrameKind = (typeof frameKind)[keyof typeof frameKind];

export interface Frame {
  readonly kind: FrameKind;
  /** Of this direction, from 0. */
  readonly number: number;
  /** The last one of this direction that has bytes. */
  readonly isEnd: boolean;
  /** By the site's monotonic clock: then a site drops it. Of frames of a site, 0. */
  readonly untilMs: number;
  /** Of a head and of data: bytes of the body. Of a credit, how many more bytes may come; of a reset, why: a text. */
  readonly bytes: Uint8Array;
  /** Of a head: JSON. */
  readonly head: string;
}

const prefixBytes = 14;
/** Of the JSON of a head. */
const mostHeadBytes = 2 ** 17;

/** What comes beside the bytes of data. */
export const mostFramePrefix = prefixBytes;

export function encodeFrame({ kind, number, isEnd, untilMs, bytes, head }: Frame): Uint8Array {
  const json = kind === frameKind.head ? Buffer.from(head) : undefined;
  if (json !== undefined && json.length > mostHeadBytes) throw new RangeError('the headers are too long for the bus');
  const bodyAt = prefixBytes + (json === undefined ? 0 : 4 + json.length);
  const encoded = Buffer.allocUnsafe(bodyAt + bytes.length);
  encoded.writeUInt8(kind, 0);
  encoded.writeUInt8(isEnd ? 1 : 0, 1);
  encoded.writeUInt32LE(number, 2);
  encoded.writeDoubleLE(untilMs, 6);
  if (json !== undefined) {
    encoded.writeUInt32LE(json.length, prefixBytes);
    encoded.set(json, prefixBytes + 4);
  }
  encoded.set(bytes, bodyAt);
  return encoded;
}

/** Undefined: it is none. Its bytes are those of the message. */
export function decodeFrame(data: Uint8Array): Frame | undefined {
  if (data.length < prefixBytes) return undefined;
  const read = Buffer.from(data.buffer, data.byteOffset, data.length);
  const [kind, flags] = [read.readUInt8(0), read.readUInt8(1)];
  const untilMs = read.readDoubleLE(6);
  if (kind < frameKind.head || kind > frameKind.reset || flags > 1 || !Number.isFinite(untilMs)) return undefined;
  const common = { kind: kind as FrameKind, number: read.readUInt32LE(2), isEnd: flags === 1, untilMs };
  if (kind !== frameKind.head) return { ...common, bytes: data.subarray(prefixBytes), head: '' };
  if (read.length < prefixBytes + 4) return undefined;
  const bodyAt = prefixBytes + 4 + read.readUInt32LE(prefixBytes);
  if (bodyAt > read.length || bodyAt > prefixBytes + 4 + mostHeadBytes) return undefined;
  return { ...common, bytes: data.subarray(bodyAt), head: read.toString('utf8', prefixBytes + 4, bodyAt) };
}
