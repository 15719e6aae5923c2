// Which block a record goes into by its time: weeks since the epoch, and one for the records of a wrong clock, so that
// a lying device makes one file and widens no range.
import { astray } from '../files/file-names.ts';
import { oldestPlausibleUs } from '../records.ts';

export const partitionUs = 7 * 86_400_000_000;

/** Records after `aheadUs` are those of a wrong clock. */
export function partitionOf(timeUs: number, aheadUs: number): number {
  return timeUs < oldestPlausibleUs || timeUs > aheadUs ? astray : Math.floor(timeUs / partitionUs);
}
