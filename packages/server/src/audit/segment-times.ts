// The times of the records of a segment: the first record of the segment that follows it has them.
import { fieldsOf, type ReadLine, readLine } from './record-line.ts';
import { linesOf } from './segments.ts';

/** The times of the records of a segment. */
export interface Times {
  readonly from: string;
  readonly to: string;
}

export function widened(times: Times | undefined, time: string): Times {
  if (times === undefined) return { from: time, to: time };
  return { from: time < times.from ? time : times.from, to: time > times.to ? time : times.to };
}

/** Undefined where it is not as it was written. */
export function firstLineOf(path: string): ReadLine | undefined {
  const first = firstOf(path);
  return first === undefined ? undefined : readLine(first);
}

/** Those of the segment before: the first record of a segment has them. Undefined where they are not known. */
export function timesBefore(path: string): Times | undefined {
  const first = firstOf(path);
  const { times } = (first && fieldsOf(first)) ?? {};
  const { from, to } = (times ?? {}) as Partial<Times>;
  return typeof from === 'string' && typeof to === 'string' ? { from, to } : undefined;
}

/** Leaves the loop, which closes the file. */
function firstOf(path: string): Buffer | undefined {
  for (const [first] of linesOf(path)) return first?.bytes;
  return undefined;
}
