// Durations as people write them into properties: a whole number and one letter.

const unitUs: ReadonlyMap<string, number> = new Map([
  ['s', 1e6],
  ['m', 60e6],
  ['h', 3600e6],
  ['d', 86_400e6],
  ['w', 7 * 86_400e6],
  ['y', 365 * 86_400e6],
]);

/** The expected form of a duration, for messages. */
export const durationForms = 'a whole number above 0 and s, m (minutes), h, d, w or y (365 days), such as 90d';

/** For schemas; what it accepts, `parseDuration` does, unless it is longer than any time. */
export const durationPattern = '^[1-9][0-9]{0,8}[smhdwy]$';

/** Microseconds of `45s`, `30m`, `12h`, `90d`, `2w` or `2y`; undefined for any other form, zero, or too long. */
export function parseDuration(text: string): number | undefined {
  const [, digits = '', letter = ''] = /^([0-9]{1,12})([smhdwy])$/.exec(text) ?? [];
  const us = Number(digits) * (unitUs.get(letter) ?? 0);
  return us > 0 && Number.isSafeInteger(us) ? us : undefined;
}
