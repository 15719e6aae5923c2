// Finds a time in an ascending column of times.

/** The first position from `from` whose time is not before `timeUs`; `to` where there is no such position. */
export function firstFrom(times: Float64Array, from: number, to: number, timeUs: number): number {
  // Most often everything is before it, or next to nothing.
  if (from >= to || (times[to - 1] as number) < timeUs) return to;
  let low = from;
  let high = from + 1;
  for (let step = 1; high < to && (times[high - 1] as number) < timeUs; step *= 2) {
    low = high;
    high = Math.min(to, high + step);
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) < timeUs) low = middle + 1;
    else high = middle;
  }
  return low;
}
