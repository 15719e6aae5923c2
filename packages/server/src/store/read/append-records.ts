// Records from some columns into others, bit by bit.
import type { Columns } from '../../archive/query/index.ts';

export function appendRecords(columns: Columns, from: number, to: number, into: Columns): void {
  const at = into.count;
  into.reserve(at + to - from);
  into.times.set(columns.times.subarray(from, to), at);
  into.longs.set(columns.longs.subarray(from, to), at);
  into.qualities.set(columns.qualities.subarray(from, to), at);
  if (columns.texts[from] !== undefined) {
    for (let i = from; i < to; i++) into.texts[at + i - from] = columns.texts[i] as string;
  }
  into.count = at + to - from;
}
