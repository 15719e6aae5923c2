// The moment that all views show: now, or one in the past, which is `at` in the address (seconds since 1970).
import { computed, type ReadonlySignal } from '@preact/signals';
import { queryOf, setQuery } from '../router.ts';

const text = queryOf('at');

/** Microseconds since 1970; undefined: now. */
export const moment: ReadonlySignal<number | undefined> = computed(() => {
  const seconds = Number(text.value);
  return text.value !== '' && seconds > 0 && Number.isFinite(seconds) ? Math.round(seconds * 1e6) : undefined;
});

/** Microseconds since 1970; undefined: back to now. */
export function showMoment(us: number | undefined): void {
  setQuery({ at: us === undefined ? undefined : String(Math.round(us / 1000) / 1000) });
}
