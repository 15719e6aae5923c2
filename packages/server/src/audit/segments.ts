// The segments of a trail: files of lines, named by the sequence number of their first record.
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

export interface Segment {
  readonly name: string;
  readonly path: string;
  /** The sequence number of its first record. */
  readonly first: number;
}

/** A line without its end, valid during the step that gave it, and where it begins. */
export interface FoundLine {
  readonly bytes: Buffer;
  readonly at: number;
  /** False for what stands behind the last end of a line. */
  readonly isWhole: boolean;
}

const form = /^audit-(\d{16})\.jsonl$/;
const chunkBytes = 256 << 10;
const newline = 0x0a;

export function segmentName(first: number): string {
  return `audit-${String(first).padStart(16, '0')}.jsonl`;
}

/** Oldest first; none where there is no folder. */
export function segmentsIn(folder: string): Segment[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, digits] = form.exec(name) ?? [];
      return digits === undefined ? [] : [{ name, path: join(folder, name), first: Number(digits) }];
    })
    .sort((a, b) => a.first - b.first);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** First to last, from an offset where a line begins; lists of them, a chunk of the file each. */
export function* linesOf(path: string, from = 0, to = Number.POSITIVE_INFINITY): Generator<FoundLine[]> {
  using file = opened(path);
  const end = Math.min(to, file.size);
  let rest = Buffer.alloc(0);
  for (let at = from; at < end; ) {
    const chunk = file.read(at, Math.min(chunkBytes, end - at));
    if (chunk.length === 0) break; // it became shorter
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const begin = at - rest.length;
    at += chunk.length;
    const { lines, behind } = split(bytes, begin);
    rest = Buffer.from(bytes.subarray(behind));
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [{ bytes: rest, at: end - rest.length, isWhole: false }];
}

/** Last to first, from an offset where a line ended; what stands behind the last end of a line is left out. */
export function* linesBack(path: string, to = Number.POSITIVE_INFINITY): Generator<FoundLine[]> {
  using file = opened(path);
  let at = Math.min(to, file.size);
  let rest: Buffer = Buffer.alloc(0);
  while (at > 0) {
    const length = Math.min(chunkBytes, at);
    const bytes = Buffer.concat([file.read(at - length, length), rest]);
    at -= length;
    // What stands before the first end of a line may have begun earlier.
    const begin = at === 0 ? 0 : bytes.indexOf(newline) + 1;
    rest = begin === 0 && at > 0 ? bytes : Buffer.from(bytes.subarray(0, begin));
    if (rest === bytes) continue;
    const { lines } = split(bytes.subarray(begin), at + begin);
    if (lines.length > 0) yield lines.reverse();
  }
}

function split(bytes: Buffer, begin: number): { lines: FoundLine[]; behind: number } {
  const lines: FoundLine[] = [];
  let behind = 0;
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, behind)) {
    lines.push({ bytes: bytes.subarray(behind, end), at: begin + behind, isWhole: true });
    behind = end + 1;
  }
  return { lines, behind };
}

function opened(path: string) {
  const file = openSync(path, 'r');
  return {
    size: fstatSync(file).size,
    read(at: number, length: number): Buffer {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, at));
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}
