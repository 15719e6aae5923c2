// How long a connection waits before it tries again.
import { isThrown } from './stack-error.ts';

const firstMs = 500;
const longestMs = 30_000;
/** A device that asks for more is asked again after this long. */
const longestAskedMs = 3_600_000;

/** After so many failures in a row, the last one with this error. `random` gives 0 to 1. */
export function backOffMs(failures: number, error: unknown, random: () => number): number {
  if (isThrown('BackOff', error)) {
    const askedMs = Number((error as { ms?: unknown }).ms);
    if (askedMs >= firstMs) return Math.min(askedMs, longestAskedMs);
  }
  return growingMs(failures, random);
}

/** Twice as long each time, up to 30 s, less a random part of its half: not all come back at once. */
export function growingMs(failures: number, random: () => number): number {
  const wholeMs = Math.min(longestMs, firstMs * 2 ** failures);
  return Math.max(firstMs, wholeMs * (1 - random() / 2));
}
