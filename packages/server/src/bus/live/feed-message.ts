// One message of a feed: where it stands in its publication, definitions that are new, and present states. PROTOCOL.md has the bytes.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Batch, checker, form, parseJson } from '@telltale/schema';
import Type, { type Static } from 'typebox';

export interface FeedMessage {
  /** Another one each time the site begins to publish. */
  readonly publication: number;
  /** Of the publication, one after the other. */
  readonly number: number;
  /** It begins, and it ends, a snapshot: of everything that there is. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** For how long a change has waited that is not in it. */
  readonly behindMs: number;
  /** Of each mirror that asks for it, which word of it was heard last: the message was sent after that. */
  readonly heard: readonly Asked[];
  readonly definitions: readonly FeedDefinition[];
  /** Of items, by number. */
  readonly states: Batch;
}

/** A word of somebody who wants a feed. */
export interface Asked {
  /** Of all who may want it. */
  readonly mirror: number;
  readonly number: number;
}

const askBytes = 9;

export function encodeAsk({ mirror, number }: Asked, wantsSnapshot: boolean): Uint8Array {
  const bytes = Buffer.alloc(askBytes);
  bytes.writeUInt32LE(mirror, 0);
  bytes.writeUInt32LE(number, 4);
  bytes.writeUInt8(wantsSnapshot ? 1 : 0, 8);
  return bytes;
}

/** Undefined: it is none. */
export function decodeAsk(data: Uint8Array): (Asked & { readonly wantsSnapshot: boolean }) | undefined {
  if (data.length !== askBytes) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, askBytes);
  return { mirror: bytes.readUInt32LE(0), number: bytes.readUInt32LE(4), wantsSnapshot: bytes.readUInt8(8) === 1 };
}

/** The number of an item, and what it is. */
export type FeedDefinition = readonly [item: number, definition: object];

/** A number that no item has. */
export const noItem = 2 ** 32 - 1;

const flag = { first: 1, last: 2, packed: 4 } as const;
const prefixBytes = 20;
/** Fewer are not worth it. */
const leastPacked = 300;
/** Unpacked: a publisher takes no more texts than fit in a quarter of it, and one item more. */
export const mostBytes = 2 ** 22;
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
const stateBytes = 23;

const Uint32 = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 });

/** What a message has beside its columns; texts by position. */
const Words = Type.Object({
  heard: Type.Array(Type.Tuple([Uint32, Uint32])),
  definitions: Type.Array(Type.Tuple([Uint32, Type.Object({})])),
  texts: Type.Array(Type.Tuple([Type.Integer({ minimum: 0 }), Type.String()])),
});
const words = checker(Words);

export function encodeFeed(feed: FeedMessage): Uint8Array {
  const { publication, number, isFirst, isLast, behindMs, states } = feed;
  const body = Buffer.concat([Buffer.from(wordsOf(feed)), ...columnsOf(states)]);
  const isPacked = body.length >= leastPacked;
  const packed = isPacked ? zstdCompressSync(body, { params }) : body;
  const message = Buffer.allocUnsafe(prefixBytes + packed.length);
  message.writeUInt32LE((isFirst ? flag.first : 0) | (isLast ? flag.last : 0) | (isPacked ? flag.packed : 0), 0);
  message.writeUInt32LE(publication, 4);
  message.writeUInt32LE(number, 8);
  message.writeUInt32LE(states.count, 12);
  message.writeUInt32LE(Math.min(2 ** 32 - 1, Math.max(0, Math.round(behindMs))), 16);
  message.set(packed, prefixBytes);
  return message;
}

/** Undefined: it is none. */
export function decodeFeed(data: Uint8Array): FeedMessage | undefined {
  if (data.length < prefixBytes) return undefined;
  const prefix = Buffer.from(data.buffer, data.byteOffset, prefixBytes);
  const flags = prefix.readUInt32LE(0);
  const count = prefix.readUInt32LE(12);
  try {
    const packed = data.subarray(prefixBytes);
    const body = (flags & flag.packed) === 0 ? packed : zstdDecompressSync(packed, { maxOutputLength: mostBytes });
    const columnsAt = body.length - count * stateBytes;
    if (body.length > mostBytes || columnsAt < 0) return undefined;
    const read = parseJson(Buffer.from(body.buffer, body.byteOffset, columnsAt).toString());
    if (!words.fits(read)) return undefined;
    const { definitions, texts, heard: pairs } = read as Static<typeof Words>;
    const heard = pairs.map(([mirror, number]) => ({ mirror, number }));
    const states = batchOf(body.slice(columnsAt), count, texts);
    const [publication, number, behindMs] = [prefix.readUInt32LE(4), prefix.readUInt32LE(8), prefix.readUInt32LE(16)];
    const place = { publication, number, behindMs };
    const [isFirst, isLast] = [(flags & flag.first) !== 0, (flags & flag.last) !== 0];
    return { ...place, isFirst, isLast, heard, definitions, states };
  } catch {
    return undefined;
  }
}

function wordsOf({ heard, definitions, states: { count, forms, texts } }: FeedMessage): string {
  const own: [number, string][] = [];
  for (let at = 0; at < count; at++) if (forms[at] === form.text) own.push([at, texts[at] ?? '']);
  return JSON.stringify({ heard: heard.map(({ mirror, number }) => [mirror, number]), definitions, texts: own });
}

/** Those of eight bytes first, so that a reader finds each where its elements may begin. */
function columnsOf({ count, times, numbers, points, qualities, forms }: Batch): Buffer[] {
  return [times, numbers, points, qualities, forms].map((column) => {
    const own = column.subarray(0, count);
    return Buffer.from(own.buffer, own.byteOffset, own.byteLength);
  });
}

/** From bytes of their own. */
function batchOf(
  { buffer, byteOffset }: Uint8Array,
  count: number,
  texts: readonly (readonly [number, string])[],
): Batch {
  const bytes = byteOffset % 8 === 0 ? buffer : buffer.slice(byteOffset);
  const at = byteOffset % 8 === 0 ? byteOffset : 0;
  const times = new Float64Array(bytes, at, count);
  const values = new Float64Array(bytes, at + 8 * count, count);
  const points = new Uint32Array(bytes, at + 16 * count, count);
  const qualities = new Uint16Array(bytes, at + 20 * count, count);
  const forms = new Uint8Array(bytes, at + 22 * count, count);
  const batch = new Batch(count);
  for (let state = 0; state < count; state++) batch.none(points[state] as number, 0, 0);
  batch.times.set(times);
  // As words: a double with the bits of an integer may lose some of them.
  new Int32Array(batch.numbers.buffer, batch.numbers.byteOffset, 2 * count).set(
    new Int32Array(values.buffer, values.byteOffset, 2 * count),
  );
  batch.qualities.set(qualities);
  batch.forms.set(forms);
  for (const [state, text] of texts) if (state < count) batch.texts[state] = text;
  return batch;
}
