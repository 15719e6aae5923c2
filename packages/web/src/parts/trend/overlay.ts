// Another day or week under the present window: its times as they are on the clock, so that noon is at noon also where a day of 23 or
// 25 hours lies between.
import { clockText, dayText, momentOf } from '../times.ts';

/** A stretch in which records of before, plus `shift`, are at the same time on the clock. */
export interface Aligned {
  readonly from: number;
  readonly until: number;
  readonly shift: number;
}

const hourUs = 3600e6;

/** The moment at which the clock shows the same, so many days before. */
export function daysBefore(us: number, days: number): number {
  const day = new Date(Date.parse(dayText(us)) - days * 86_400_000).toISOString().slice(0, 10);
  const second = momentOf(day, clockText(us)) ?? us - days * 24 * hourUs;
  return second + (us - Math.floor(us / 1e6) * 1e6);
}

/** The window in stretches, each as far from its overlay all the time; clocks are changed at whole quarters of an hour. */
export function alignedStretches(from: number, until: number, days: number): Aligned[] {
  const found: Aligned[] = [];
  let start = from;
  while (start < until && found.length < 400) {
    const shift = start - daysBefore(start, days);
    const end = nextChange(start, until, days);
    found.push({ from: start, until: end, shift });
    start = end;
  }
  return found;
}

/** Where the distance changes next: the clock changes now, or it did in what is laid under. */
function nextChange(from: number, until: number, days: number): number {
  const isSame = (us: number) => us - daysBefore(us, days) === from - daysBefore(from, days);
  // Half a day is shorter than any time between two changes that come one after the other.
  const step = 12 * hourUs;
  let low = from;
  let high = Math.min(until, from + step);
  while (isSame(high)) {
    // Both clocks may have changed in between, as over a year.
    low = high;
    if (high >= until) return until;
    high = Math.min(until, high + step);
  }
  while (high - low > 1e6) {
    const middle = Math.floor((low + high) / 2e6) * 1e6;
    if (middle <= low) break;
    if (isSame(middle)) low = middle;
    else high = middle;
  }
  return high;
}
