// Timestamps: in memory a number of whole microseconds since the Unix epoch, on the wire [seconds, microseconds].
import type { Timestamp } from './wire-schemas.ts';

const perSecond = 1_000_000;
const newest = '2255-06-05T23:47:34.740991Z';

export function toTimestamp(us: number): Timestamp {
  refuseUnfit(us);
  const fraction = us % perSecond;
  return [(us - fraction) / perSecond, fraction];
}

export function fromTimestamp([seconds, us]: Timestamp): number {
  if (!Number.isSafeInteger(seconds) || seconds < 0) {
    throw new RangeError(`The seconds of a timestamp are a whole number of 0 or more, not ${seconds}`);
  }
  if (!Number.isInteger(us) || us < 0 || us >= perSecond) {
    throw new RangeError(`The microseconds of a timestamp are a whole number from 0 to 999999, not ${us}`);
  }
  const whole = seconds * perSecond + us;
  if (!Number.isSafeInteger(whole))
    throw new RangeError(`[${seconds}, ${us}] is later than ${newest}, the newest timestamp`);
  return whole;
}

/** ISO 8601 in UTC, with microseconds: `2023-11-14T22:13:20.250000Z`. */
export function formatTimestamp(us: number): string {
  refuseUnfit(us);
  const fraction = us % 1000;
  return `${new Date((us - fraction) / 1000).toISOString().slice(0, -1)}${String(fraction).padStart(3, '0')}Z`;
}

/** As `Date.parse` reads ISO 8601, but a day that the month does not have is NaN: there it would be one of the next. */
export function parseIsoMs(text: string): number {
  const date = text.slice(0, 10);
  const midnightMs = Date.parse(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(midnightMs) && new Date(midnightMs).toISOString().startsWith(date);
  return isDay ? Date.parse(text) : Number.NaN;
}

function refuseUnfit(us: number): void {
  if (!Number.isSafeInteger(us) || us < 0) {
    throw new RangeError(
      `${us} is not a timestamp: whole microseconds from 0 to ${Number.MAX_SAFE_INTEGER} (${newest}) are expected`,
    );
  }
}
