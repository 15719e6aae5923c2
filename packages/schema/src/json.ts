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
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case 0x22: // a text: on to its closing quote
        for (at++; at < bytes.length && bytes[at] !== 0x22; at++) if (bytes[at] === 0x5c) at++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxJsonDepth) {
          throw new ProblemError('json-too-deep', `At byte ${at} the JSON is deeper than ${maxJsonDepth} levels.`);
        }
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
    }
  }
}
