// Joins the lines of a log that were read with those that are pushed: which of these are new.
import type { LogLine } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';

/** Whether each pushed line is new: as many equal lines are skipped as were read. */
export function newLines(read: readonly LogLine[]): (line: LogLine) => boolean {
  const counts = new Map<string, number>();
  for (const line of read) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  let first = read[0];
  /** Came before those that were asked for, while the log was being read: none does behind one that did not. */
  const isEarlier = ({ t }: LogLine) => first !== undefined && fromTimestamp(t) <= fromTimestamp(first.t);
  return (line) => {
    if (isEarlier(line)) return false;
    first = undefined;
    const left = counts.get(keyOf(line)) ?? 0;
    if (left > 1) counts.set(keyOf(line), left - 1);
    else counts.delete(keyOf(line));
    return left === 0;
  };
}

function keyOf({ t, stream, text }: LogLine): string {
  return JSON.stringify([t, stream, text]);
}
