// What tells whether records are the same as those of before: their number, and a checksum that depends on nothing but them.
import { createHash } from 'node:crypto';
import type { ArchiveColumns } from '@telltale/schema';

export class RecordsDigest {
  readonly #series = createHash('sha256');
  readonly #times = createHash('sha256');
  readonly #values = createHash('sha256');
  readonly #marks = createHash('sha256');
  /** Of the present series, which may come in pieces of any length. */
  #key = '';
  #keyRecords = 0;
  records = 0;

  /** Passes records on as they are counted. */
  async *of(frames: AsyncIterable<ArchiveColumns>): AsyncGenerator<ArchiveColumns, void> {
    for await (const frame of frames) {
      this.add(frame);
      yield frame;
    }
  }

  add({ name, datatype, times, values, qualities, flags }: ArchiveColumns): void {
    const key = `${datatype} ${name}`;
    if (key !== this.#key) this.#endSeries(key);
    this.records += times.length;
    this.#keyRecords += times.length;
    this.#times.update(times);
    if (ArrayBuffer.isView(values)) this.#values.update(values);
    else for (const text of values) this.#values.update(`${Buffer.byteLength(text)} ${text}`);
    this.#marks.update(flags === undefined ? qualities : interleaved(qualities, flags));
  }

  /** Behind the last record. */
  end(): string {
    this.#endSeries('');
    const all = createHash('sha256');
    for (const hash of [this.#series, this.#times, this.#values, this.#marks]) all.update(hash.digest());
    return all.digest('hex');
  }

  #endSeries(next: string): void {
    if (this.#keyRecords > 0) this.#series.update(`${this.#key} ${this.#keyRecords}\n`);
    this.#key = next;
    this.#keyRecords = 0;
  }
}

function interleaved(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(2 * first.length);
  for (let at = 0; at < first.length; at++) {
    both[2 * at] = first[at] as number;
    both[2 * at + 1] = second[at] as number;
  }
  return both;
}
