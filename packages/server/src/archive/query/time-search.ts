// Where a time stands in a column of times that grow.

/** The first position from `from` whose time is not before `timeUs`; `to` where there is none. */
export function firstFrom(times: Float64Array, from: number, to: number, timeUs: number): number {
  let low = from;
  let high = to;
  // Most often everything is before it, or it is near the start.
  if (low >= high || (times[high - 1] as number) < timeUs) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) < timeUs) low = middle + 1;
    else high = middle;
  }
  return low;
}
