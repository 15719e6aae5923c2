// What the audit trail has of something that a program shows: before and after it is changed.
import { ProblemError } from '@telltale/schema';
import type { Asked } from './implementation.ts';

/** Carries it out; `shown` is noted before and after. Where that throws, there is nothing. */
export async function notingSides<Result>(
  { note }: Asked,
  shown: () => unknown,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  note({ old: known(shown) });
  const result = await work();
  note({ new: known(shown) });
  return result;
}

function known(shown: () => unknown): unknown {
  try {
    return shown();
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
