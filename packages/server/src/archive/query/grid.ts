// The times at which a resampled answer has a record: the start of the interval, and from there on in equal steps.

export interface Grid {
  readonly sinceUs: number;
  readonly untilUs: number;
  /** A whole number above 0. */
  readonly stepUs: number;
}

/** The last time of the grid at or before `timeUs`, which is not before the start. */
export function gridBy({ sinceUs, stepUs }: Grid, timeUs: number): number {
  const past = timeUs - sinceUs;
  return timeUs - (past % stepUs);
}

/** The first time of the grid at or after `timeUs`. */
export function gridFrom(grid: Grid, timeUs: number): number {
  const before = gridBy(grid, timeUs);
  return before === timeUs ? before : before + grid.stepUs;
}
