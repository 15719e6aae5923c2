// The times at which a resampled answer has a record, and its buckets begin: the start of the interval, and from there
// on in equal steps, or on the clock of a time zone.

export interface Grid {
  readonly sinceUs: number;
  readonly untilUs: number;
  /** The last time of the grid at or before `timeUs`, which is not before the start. */
  by(timeUs: number): number;
  /** The time of the grid after `gridUs`, which is one of them. */
  after(gridUs: number): number;
}

/** The first time of the grid at or after `timeUs`. */
export function gridFrom(grid: Grid, timeUs: number): number {
  const before = grid.by(timeUs);
  return before === timeUs ? before : grid.after(before);
}
