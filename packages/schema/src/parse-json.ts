// JSON.parse as it should be, for texts of our own and of devices; json.ts reads those of strangers. V8 takes a key with an
// escape for another one that an object of the same shape had before: once `{"a":1,"\\":1}` was read, `{"a":1,"\"":1}`
// comes out with the key `\` (nodejs/node issue 63785; Node 24 and 26). Texts with such keys are rare; they alone are put
// together by hand, so that V8 never has to make one of them.
import { JsonReader, type Reviver, readAll } from './json-reader.ts';

/** Throws as JSON.parse does. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedKey(text) ? readAll(byHand(text)) : value;
}

/** The same, but whole numbers that a double does not hold are bigints. */
export function parseExactJson(text: string): unknown {
  if (!/[0-9]{16}/.test(text)) return parseJson(text); // nearly every text
  const value: unknown = JSON.parse(text, exactNumber);
  return hasEscapedKey(text) ? readAll(byHand(text, exactNumber)) : value;
}

/** The same as `parseJson`, in steps where it takes long. */
export function* parsingJson(text: string): Generator<undefined, unknown> {
  if (!hasEscapedKey(text)) return JSON.parse(text);
  const reader = byHand(text);
  yield* reader.read();
  return reader.value;
}

function byHand(text: string, reviver?: Reviver): JsonReader {
  return new JsonReader(new TextEncoder().encode(text), { pieceBytes: 0, ...(reviver && { reviver }) });
}

/** More digits than any 64-bit integer has say nothing more: it is too large for all. */
const maxDigits = 40;

function exactNumber(_key: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
  const isInexact = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(source);
  return isInexact && source.length <= maxDigits ? BigInt(source) : value;
}

const quote = 0x22;
const backslash = 0x5c;

function hasEscapedKey(text: string): boolean {
  if (!text.includes('\\')) return false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    const end = endOfText(text, at);
    const isEscaped = text.slice(at, end).includes('\\');
    at = end;
    if (isEscaped && text.charCodeAt(afterSpace(text, at)) === 0x3a) return true;
  }
  return false;
}

/** Behind the closing quote of the text that opens at `at`. */
function endOfText(text: string, at: number): number {
  let end = at + 1;
  while (text.charCodeAt(end) !== quote) end += text.charCodeAt(end) === backslash ? 2 : 1;
  return end + 1;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}
