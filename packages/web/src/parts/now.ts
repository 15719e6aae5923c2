// The present time as the service has it, which may not be that of the browser; and the moment that is shown.
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { systemClock } from '@telltale/schema/values';
import { moment } from '../data/moment.ts';
import { clockOffset } from '../data/overview.ts';

const tick = signal(systemClock.now());
setInterval(() => {
  if (!document.hidden) tick.value = systemClock.now();
}, 1000);

/** Microseconds since 1970, each second anew. */
export const now: ReadonlySignal<number> = computed(() => tick.value + clockOffset.value);

/** By the clock of the service, at this moment. */
export function presentUs(): number {
  return systemClock.now() + clockOffset.peek();
}

/** Now, or the moment of the past that is shown. */
export const shownMoment: ReadonlySignal<number> = computed(() => moment.value ?? now.value);
