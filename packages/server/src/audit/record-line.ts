// A record of the trail as a line of a segment: its sequence number, its fields, and the SHA-256 by which it hangs on the
// record before. FORMAT.md has the form.
import { hash } from 'node:crypto';

/** Of the first record: there is none before it. */
export const noHash = '0'.repeat(64);

/** Where a record stands in the chain. */
export interface Place {
  readonly seq: number;
  readonly hash: string;
}

export interface ReadLine extends Place {
  readonly previous: string;
}

const beginning = /^\{"seq":([1-9]\d{0,15}),/;
const ending = /^,"previous":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/;
const hashBytes = ',"hash":"'.length + noHash.length + '"}'.length;
const endingBytes = ',"previous":"'.length + noHash.length + 1 + hashBytes;
const longestBeginning = '{"seq":,'.length + 16;

/** `fields`: JSON without the braces around it. The line is without its end. */
export function lineOf(fields: string, before: Place): Place & { readonly line: string } {
  const seq = before.seq + 1;
  const hashed = `{"seq":${seq},${fields},"previous":"${before.hash}"`;
  const sum = hash('sha256', hashed, 'hex');
  return { seq, hash: sum, line: `${hashed},"hash":"${sum}"}` };
}

/** Undefined where it is not as it was written. By its bytes: two texts that differ may be shown the same. */
export function readLine(bytes: Buffer): ReadLine | undefined {
  const [, seq] = beginning.exec(bytes.toString('latin1', 0, longestBeginning)) ?? [];
  const [, previous, sum] = ending.exec(bytes.toString('latin1', Math.max(0, bytes.length - endingBytes))) ?? [];
  if (seq === undefined || previous === undefined || sum === undefined) return undefined;
  if (hash('sha256', bytes.subarray(0, -hashBytes), 'hex') !== sum) return undefined;
  return { seq: Number(seq), previous, hash: sum };
}

/** The fields of a line that is JSON at least, as a reader gets them; undefined where it is not. */
export function fieldsOf(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const fields: unknown = JSON.parse(bytes.toString());
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
