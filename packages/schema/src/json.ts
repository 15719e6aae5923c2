// Reads an untrusted JSON text: bounded in depth and size, strict in its encoding, with the position of an error.
import { type HandOn, type JsonLimits, JsonReader, readAll } from './json-reader.ts';

/** Deeper than any resource of the two interfaces. */
export const maxJsonDepth = 8;

/** More than anybody gives an object: maps such as `properties` and `vars` have as many at most. */
export const maxJsonKeys = 10_000;

/** As many as a client of the channel watches by name, unless it is allowed more; twice the operations of a transaction. */
export const maxJsonItems = 200_000;

/** A list of names, or an object of 1 MiB, has fewer; so many take some 30 MB. */
export const maxJsonValues = 500_000;

/** Twice the greatest object; longer than any text that is written, with every character of it escaped. */
export const maxJsonTextBytes = 2 << 20;

const limits: JsonLimits = {
  depth: maxJsonDepth,
  keys: maxJsonKeys,
  items: maxJsonItems,
  values: maxJsonValues,
  textBytes: maxJsonTextBytes,
};

/** Throws a `ProblemError`. */
export function readJson(bytes: Uint8Array, handOn?: HandOn): unknown {
  return readAll(strangersJson(bytes, handOn));
}

/** The same, for callers that pause between the pieces. `textBytes` is for a body that has a file in it. */
export function strangersJson(bytes: Uint8Array, handOn?: HandOn, textBytes = maxJsonTextBytes): JsonReader {
  return new JsonReader(bytes, { limits: { ...limits, textBytes }, ...(handOn && { handOn }) });
}
