// What goes wrong with the store, as whoever reads it is told.
import { ProblemError } from '@telltale/schema/values';
import { StoreError } from '../store-error.ts';

/** Other errors stay what they are. */
export function problemOf(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  const { message } = error;
  return new ProblemError('store-unavailable', `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`);
}

/** Rejects with a `ProblemError` where the store does not do it. */
export async function orProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw problemOf(error);
  }
}
