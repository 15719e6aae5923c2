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
  readonly definitions: readonly FeedDefinition[];
  /** Of items, by number. */
  readonly states: Batch;
}

/** The number of an item, and what it is. */
export type FeedDefinition = readonly [item: number, definition: object];

const flag = { first: 1, last: 2, packed: 4 } as const;
const prefixBytes = 16;
/** Fewer are not worth it. */
const leastPacked = 300;
const mostBytes = 2 ** 24;
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
const stateBytes = 23;

/** What a message has beside its columns; texts by position. */
const Words = Type.Object({
  definitions: Type.Array(Type.Tuple([Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 }), Type.Object({})])),
  texts: Type.Array(Type.Tuple([Type.Integer({ minimum: 0 }), Type.String()])),
});
const words = checker(Words);

export function encodeFeed({ publication, number, isFirst, isLast, definitions, states }: FeedMessage): Uint8Array {
  const body = Buffer.concat([Buffer.from(wordsOf(definitions, states)), ...columnsOf(states)]);
  const isPacked = body.length >= leastPacked;
  const packed = isPacked ? zstdCompressSync(body, { params }) : body;
  const message = Buffer.allocUnsafe(prefixBytes + packed.length);
  message.writeUInt32LE((isFirst ? flag.first : 0) | (isLast ? flag.last : 0) | (isPacked ? flag.packed : 0), 0);
  message.writeUInt32LE(publication, 4);
  message.writeUInt32LE(number, 8);
  message.writeUInt32LE(states.count, 12);
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
    if (columnsAt < 0) return undefined;
    const read = parseJson(Buffer.from(body.buffer, body.byteOffset, columnsAt).toString());
    if (!words.fits(read)) return undefined;
    const { definitions, texts } = read as Static<typeof Words>;
    const states = batchOf(body.slice(columnsAt), count, texts);
    const place = { publication: prefix.readUInt32LE(4), number: prefix.readUInt32LE(8) };
    return { ...place, isFirst: (flags & flag.first) !== 0, isLast: (flags & flag.last) !== 0, definitions, states };
  } catch {
    return undefined;
  }
}

function wordsOf(definitions: FeedMessage['definitions'], { count, forms, texts }: Batch): string {
  const own: [number, string][] = [];
  for (let at = 0; at < count; at++) if (forms[at] === form.text) own.push([at, texts[at] ?? '']);
  return JSON.stringify({ definitions, texts: own });
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
