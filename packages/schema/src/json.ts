// Reads a JSON text that a stranger sent: bounded in depth, exact in its encoding, with an error that tells where.
import { parseJson } from './parse-json.ts';
import { ProblemError } from './problem.ts';

/** Deeper than any resource of the two interfaces. */
export const maxJsonDepth = 8;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

export function readJson(bytes: Uint8Array): unknown {
  refuseDeepNesting(bytes);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new ProblemError('malformed-json', 'The body is not UTF-8.');
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new ProblemError(
      'malformed-json',
      text.trim() === '' ? 'The body is empty.' : `${(error as Error).message}.`,
    );
  }
}

/** One pass over the bytes before anything is built from them. */
function refuseDeepNesting(bytes: Uint8Array): void {
  const { length } = bytes;
  let depth = 0;
  let at = 0;
  while (at < length) {
    const byte = bytes[at++];
    if (byte === 0x22) {
      at = endOfText(bytes, at);
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > maxJsonDepth) {
        throw new ProblemError('json-too-deep', `At byte ${at - 1} the JSON is deeper than ${maxJsonDepth} levels.`);
      }
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--;
    }
  }
}

/** Behind the closing quote of the text whose first byte is at `from`. */
function endOfText(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let at = from;
  while (at < length) {
    const byte = bytes[at++];
    if (byte === 0x22) break;
    if (byte === 0x5c) at++;
  }
  return at;
}
