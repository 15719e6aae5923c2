// How the service is, in one small answer that is asked for every two seconds: counts, rates, the disk, warnings, the plant's
// time zone, and which configuration runs.
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Overview } from '@telltale/schema';
import { fromTimestamp, systemClock } from '@telltale/schema/values';
import { poll } from './polled.ts';
import { client } from './service.ts';

const periodMs = 2000;
const jitterUs = 50_000;

const present = signal<Overview | undefined>(undefined);
const offset = signal(0);

/** Undefined until the service has answered once; the last answer stays while there is no link. */
export const overview: ReadonlySignal<Overview | undefined> = present;

/** The revision that runs; undefined where that is not known, or not said to this caller. */
export const revision: ReadonlySignal<number | undefined> = computed(() => present.value?.configuration?.revision?.id);

/** The IANA name of the plant's time zone. */
export const plantZone: ReadonlySignal<string | undefined> = computed(() => present.value?.['time-zone']);

/** How far the clock of the service is ahead of that of the browser, in microseconds. */
export const clockOffset: ReadonlySignal<number> = offset;

export function startOverview(): void {
  poll(readOverview, periodMs);
}

/** Reads it now: what was just done shows at once. */
export async function readOverview(): Promise<void> {
  const asked = systemClock.monotonicMs();
  try {
    const found = await client.service.overview();
    const tookUs = (systemClock.monotonicMs() - asked) * 1000;
    const ahead = fromTimestamp(found.t) + tookUs / 2 - systemClock.now();
    // Below the time that the answer took, it says nothing.
    if (Math.abs(ahead - offset.peek()) > tookUs + jitterUs) offset.value = ahead;
    present.value = found;
  } catch {
    // The link says so.
  }
}
