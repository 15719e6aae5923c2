// The number of rows in each part of a database, and the sum of their checksums: a row that is missing, or not as it
// was written, is noticed. Updated with each change, so that no commit reads what it does not change.
import { crc32 } from 'node:zlib';

/** By part: rows, and the sum of their checksums. */
export type Sums = Readonly<Record<string, readonly [rows: number, sum: number]>>;

/** Sums stay exact: far below the largest safe integer, which two of them do not reach together. */
const modulus = 2 ** 48;

export class RowChecksums {
  #parts: Map<string, [rows: number, sum: number]>;

  constructor(sums: Sums = {}) {
    this.#parts = new Map(Object.entries(sums).map(([part, [rows, sum]]) => [part, [rows, sum]]));
  }

  /** `row` is all that the row has, in texts that lie behind each other. */
  add(part: string, ...row: readonly string[]): void {
    this.#change(part, 1, checksumOf(row));
  }

  remove(part: string, ...row: readonly string[]): void {
    this.#change(part, -1, modulus - checksumOf(row));
  }

  clear(part: string): void {
    this.#parts.delete(part);
  }

  get sums(): Sums {
    return Object.fromEntries(Array.from(this.#parts, ([part, [rows, sum]]) => [part, [rows, sum]]));
  }

  get rows(): Record<string, number> {
    return Object.fromEntries(Array.from(this.#parts, ([part, [rows]]) => [part, rows]));
  }

  differences(other: RowChecksums): { readonly part: string; readonly here: number; readonly there: number }[] {
    const parts = new Set([...this.#parts.keys(), ...other.#parts.keys()]);
    return [...parts].flatMap((part) => {
      const [[here, hereSum], [there, thereSum]] = [this.#of(part), other.#of(part)];
      return here === there && hereSum === thereSum ? [] : [{ part, here, there }];
    });
  }

  #of(part: string): [rows: number, sum: number] {
    return this.#parts.get(part) ?? [0, 0];
  }

  #change(part: string, rows: number, sum: number): void {
    const known = this.#parts.get(part);
    if (known === undefined) this.#parts.set(part, [rows, sum % modulus]);
    else {
      known[0] += rows;
      known[1] = (known[1] + sum) % modulus;
    }
  }
}

function checksumOf(texts: readonly string[]): number {
  return texts.reduce((checksum, text) => crc32(text, checksum), 0);
}
