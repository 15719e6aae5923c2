// Cuts long values where their content says so: what two versions of a value have in common is in the same parts, whatever was
// inserted before it. A part is known by its hash, and stored compressed.
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

export interface Part {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

export interface StoredPart {
  readonly hash: string;
  readonly stored: Buffer;
}

const [leastBytes, mostBytes] = [32 << 10, 512 << 10];
/** A cut after 128 KiB on average, beside the least. */
const cutBits = 17;
const gear = gearTable();
const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];

/** A part in each turn. */
export async function* cutParts(bytes: Uint8Array): AsyncGenerator<Part> {
  for (let start = 0; start < bytes.length; ) {
    const end = endOfPart(bytes, start);
    const part = bytes.subarray(start, end);
    yield { hash: hashOf(part), bytes: part };
    await nextTurn();
    start = end;
  }
}

export async function storedPart({ hash, bytes }: Part): Promise<StoredPart> {
  return { hash, stored: await compress(bytes) };
}

/** Throws where it is not what was stored. */
export async function readPart({ hash, stored }: StoredPart): Promise<Buffer> {
  const part = await decompress(stored, { maxOutputLength: mostBytes }).catch(() => undefined);
  if (part === undefined || hashOf(part) !== hash) throw new Error(`The part ${hash} in etcd is damaged`);
  return part;
}

function hashOf(part: Uint8Array): string {
  return createHash('sha256').update(part).digest('base64url');
}

/** A rolling hash of the last 32 bytes; a cut is where its first bits are 0. */
function endOfPart(bytes: Uint8Array, start: number): number {
  const most = Math.min(start + mostBytes, bytes.length);
  let hash = 0;
  for (let at = start + leastBytes; at < most; at++) {
    hash = ((hash << 1) + (gear[bytes[at] as number] as number)) | 0;
    if (hash >>> (32 - cutBits) === 0) return at + 1;
  }
  return most;
}

/** Any numbers will do, as long as they are the same everywhere and always. */
function gearTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) =>
    createHash('sha256').update(Buffer.of(byte)).digest().readInt32LE(),
  );
}
