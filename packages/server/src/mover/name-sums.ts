// What an archive has of names, in a number and a checksum each: the same wherever the records are.
import { createHash, type Hash } from 'node:crypto';
import { type ArchiveColumns, ColumnsReader } from '@telltale/schema';
import type { ArchiveAccess, Kind } from '../archive/index.ts';

export type RecordSource = Pick<ArchiveAccess, 'names' | 'read'>;

export interface NameSum {
  readonly records: number;
  /** Of all of them, bit by bit, in their order. */
  readonly checksum: string;
  /** Undefined: there is none. */
  readonly firstUs: number | undefined;
}

/** In one request: all of them are held ready by who answers. */
const mostNames = 100;
/** The first time that no record can have. */
export const endUs = Number.MAX_SAFE_INTEGER + 1;

/** Of each name, in this order. */
export function sumsOf(
  source: RecordSource,
  kind: Kind,
  names: readonly string[],
  onRecords: (count: number) => void,
  sinceUs = 0,
): AsyncGenerator<readonly [name: string, sum: NameSum]> {
  return summed(names, async function* (some) {
    for await (const columns of columnsOf(source, kind, some, sinceUs)) {
      onRecords(columns.times.length);
      yield columns;
    }
  });
}

/** `read` gives some of the names, in the order in which they are given. */
export async function* summed(
  names: readonly string[],
  read: (some: readonly string[]) => AsyncIterable<ArchiveColumns>,
): AsyncGenerator<readonly [name: string, sum: NameSum]> {
  for (let at = 0; at < names.length; at += mostNames) {
    const some = names.slice(at, at + mostNames);
    let [next, sum] = [0, new RunningSum()];
    for await (const columns of read(some)) {
      for (; some[next] !== columns.name; next++, sum = new RunningSum()) yield [some[next] as string, sum.end()];
      sum.add(columns);
    }
    for (; next < some.length; next++, sum = new RunningSum()) yield [some[next] as string, sum.end()];
  }
}

/** By name in the order that is given, in order of time. */
export async function* columnsOf(
  source: RecordSource,
  kind: Kind,
  names: readonly string[],
  sinceUs = 0,
): AsyncGenerator<ArchiveColumns> {
  const result = await source.read({ kind, names, known: [], sinceUs, untilUs: endUs, form: 'binary', flags: true });
  const reader = new ColumnsReader();
  const whole = result.takeWhole();
  if (whole !== undefined) {
    try {
      yield* reader.feed(whole.bytes);
    } finally {
      whole.release();
    }
  } else for await (const page of result) yield* reader.feed(Uint8Array.from(page)); // a page is valid until the next
  reader.end();
}

/** Where an answer is cut into columns does not matter. */
class RunningSum {
  #records = 0;
  #firstUs: number | undefined;
  #datatype = '';
  readonly #columns: readonly Hash[] = Array.from({ length: 4 }, () => createHash('sha256'));

  add({ datatype, times, values, qualities, flags = new Uint8Array() }: ArchiveColumns): void {
    this.#firstUs ??= times[0];
    const [ofTimes, ofValues, ofQualities, ofFlags] = this.#columns as [Hash, Hash, Hash, Hash];
    if (datatype !== this.#datatype) ofQualities.update(`${this.#records}${datatype}`);
    this.#datatype = datatype;
    this.#records += times.length;
    ofTimes.update(times);
    if (ArrayBuffer.isView(values)) ofValues.update(values);
    else for (const text of values) ofValues.update(`${text.length}:${text}`, 'utf16le');
    ofQualities.update(qualities);
    ofFlags.update(flags);
  }

  end(): NameSum {
    const all = createHash('sha256');
    for (const column of this.#columns) all.update(column.digest());
    return { records: this.#records, checksum: all.digest('hex').slice(0, 32), firstUs: this.#firstUs };
  }
}
