// Bodies of answers in shared memory: the thread that serves the bytes needs no copy of them.
import { masked } from '../secrets/index.ts';

export type SharedBytes = Uint8Array<SharedArrayBuffer>;

/** The pieces behind each other; texts as UTF-8. */
export function sharedBytes(pieces: readonly (string | Uint8Array)[]): SharedBytes {
  const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
  const bytes = Buffer.from(new SharedArrayBuffer(length));
  let at = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') at += bytes.write(piece, at);
    else {
      bytes.set(piece, at);
      at += piece.length;
    }
  }
  return bytes;
}

function lengthOf(piece: string | Uint8Array): number {
  return typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
}

/** The same for people: with stars for stored secrets. */
export function shownBytes(texts: readonly string[]): SharedBytes {
  return sharedBytes(texts.map(masked));
}
