// The moment that all views show: now, or one in the past, which is `at` in the address (seconds since 1970).
import { computed, type ReadonlySignal } from '@preact/signals';
import { queryOf, setQuery } from '../router.ts';

const text = queryOf('at');

/** Microseconds since 1970; undefined: now. */
export const moment: ReadonlySignal<number | undefined> = computed(() => momentIn(text.value));

/** Of seconds in an address, as microseconds; undefined where they say no moment. */
export function momentIn(seconds: string | null): number | undefined {
  const us = Math.round(Number(seconds ?? '') * 1e6);
  return us > 0 && Number.isSafeInteger(us) ? us : undefined;
}

/** Microseconds since 1970; undefined: back to now. */
export function showMoment(us: number | undefined): void {
  setQuery({ at: us === undefined ? undefined : String(Math.round(us / 1000) / 1000) });
}
