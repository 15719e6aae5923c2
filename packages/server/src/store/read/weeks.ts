// The weeks that the records of a series are in: no row of the store has records of two of them.

const usAWeek = 7 * 86_400_000_000;
/** What is before 2000 or after 2100 is in one at either end. */
const [firstWeek, lastWeek] = [1564, 6784];

export function weekOf(timeUs: number): number {
  return Math.min(lastWeek, Math.max(firstWeek, Math.floor(timeUs / usAWeek)));
}

/** Half-open, up to where the next one begins. */
export function sinceOfWeek(week: number): number {
  return week <= firstWeek ? 0 : week * usAWeek;
}

export function untilOfWeek(week: number): number {
  return week >= lastWeek ? Number.POSITIVE_INFINITY : (week + 1) * usAWeek;
}
