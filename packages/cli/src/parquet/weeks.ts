// Weeks as the folders of Parquet files have them: from Monday to before Monday, UTC, by the date of the first day.

const dayUs = 86_400_000_000;
const weekUs = 7 * dayUs;
/** The first Monday before 1970. */
const firstUs = -3 * dayUs;
/** Until the last time that a record can have. */
const endUs = Number.MAX_SAFE_INTEGER;

export interface Week {
  /** Such as `2026-01-12`. */
  readonly day: string;
  /** In microseconds since 1970, as far as there are times. */
  readonly sinceUs: number;
  readonly untilUs: number;
}

export function weekOf(timeUs: number): Week {
  const startUs = Math.floor((timeUs - firstUs) / weekUs) * weekUs + firstUs;
  return {
    day: new Date(startUs / 1000).toISOString().slice(0, 10),
    sinceUs: Math.max(0, startUs),
    untilUs: Math.min(endUs, startUs + weekUs),
  };
}
