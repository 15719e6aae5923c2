// Durations as people write them: whole numbers with their units, the larger ones first. The only parser of durations.

/** In the order in which they are written. */
const units = [
  ['y', 365 * 86_400e6],
  ['w', 7 * 86_400e6],
  ['d', 86_400e6],
  ['h', 3600e6],
  ['m', 60e6],
  ['s', 1e6],
  ['ms', 1e3],
] as const;

/** The expected form of a duration, for messages. */
export const durationForms =
  'whole numbers with y (365 days), w, d, h, m (minutes), s or ms, such as 90s, 5m, 1h30m or 90d';

/** For schemas: what looks like a duration. `parseDuration` has the last word on it. */
export const durationPattern = '^(?:[0-9]{1,12}(?:[ywdhms]|ms)){1,7}$';

const form = new RegExp(`^${units.map(([unit]) => `(?:([0-9]{1,12})${unit})?`).join('')}$`);
/** Each unit once, with 12 digits. */
const longest = units.reduce((length, [unit]) => length + 12 + unit.length, 0);

/** Microseconds of `90s`, `5m`, `1h30m` or `2d`; undefined for any other form, no time at all, or too long. */
export function parseDuration(text: string): number | undefined {
  if (text.length > longest) return undefined;
  const [, ...counts] = form.exec(text) ?? [];
  const us = counts.reduce((sum, count, at) => sum + Number(count ?? 0) * (units[at]?.[1] ?? 0), 0);
  return us > 0 && Number.isSafeInteger(us) ? us : undefined;
}

/** What a plain number counts, where a duration can be given in its place. */
export type DurationUnit = keyof typeof durationUnits;
/** Microseconds of each. */
export const durationUnits = { ms: 1e3, s: 1e6 } as const;

/** In the unit: of `250ms`, `90s` or `1h30m`; undefined as of `parseDuration`. Seconds may have a fraction, milliseconds have none. */
export function parseDurationIn(unit: DurationUnit, text: string): number | undefined {
  const us = parseDuration(text);
  return us === undefined ? undefined : us / durationUnits[unit];
}

/** Milliseconds of a property: plain digits, at most 12, or a duration. */
export function parseMilliseconds(text: string): number | undefined {
  return /^[0-9]{1,12}$/.test(text) ? Number(text) : parseDurationIn('ms', text);
}
