// How long a connection waits before it tries again.
import { isThrown } from './stack-error.ts';

const firstMs = 500;
/** A device that asks for more is asked again after this long. */
const longestAskedMs = 3_600_000;

export interface FailedAttempt {
  /** So many in a row before this one. */
  readonly failures: number;
  readonly error: unknown;
  /** How long it was tried: that counts as a part of the pause. */
  readonly tookMs: number;
}

export function backOffMs({ failures, error, tookMs }: FailedAttempt, maxMs: number, random: () => number): number {
  if (isThrown('BackOff', error)) {
    const askedMs = Number((error as { ms?: unknown }).ms);
    if (askedMs >= firstMs) return Math.min(askedMs, longestAskedMs);
  }
  return Math.max(firstMs, growingMs(failures, { firstMs, maxMs, random }) - tookMs);
}

export interface Growth {
  readonly firstMs?: number;
  readonly maxMs: number;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Twice as long each time, up to the longest, less a random part of its half: not all come back at once. */
export function growingMs(failures: number, { firstMs: first = firstMs, maxMs, random }: Growth): number {
  const wholeMs = Math.min(maxMs, first * 2 ** failures);
  return Math.max(Math.min(first, maxMs), wholeMs * (1 - random() / 2));
}
