// Where records of a series are missing because of a missing file: what answers show there.
import type { ListedFile } from '../files/inventory-file.ts';
import type { Series } from '../records.ts';
import { headCutOff } from './retention.ts';

export interface GapsRequest {
  readonly series: Series;
  readonly sinceUs: number;
  readonly untilUs: number;
  readonly cutOffUs: number;
}

/**
 * From when on they are missing, ascending: of a file that lasts into the interval from its start on, and of one with
 * records that have expired from the others on. Tombstones do not count: they are forgotten when no file has records of theirs,
 * and what is missing may come back. Only measurements have a quality that could say so.
 */
export function gapsOf(lost: readonly ListedFile[], request: GapsRequest): number[] {
  const { series, sinceUs, untilUs, cutOffUs } = request;
  if (series.kind !== 'measurements') return [];
  const times = new Set<number>();
  for (const { firstUs, lastUs, records, highestSeries } of lost) {
    if (records === 0 || series.number > highestSeries || firstUs >= untilUs) continue;
    const startUs = lastUs < sinceUs ? firstUs : Math.max(firstUs, sinceUs);
    const timeUs = Math.max(startUs, headCutOff(startUs, cutOffUs));
    if (timeUs <= lastUs) times.add(timeUs);
  }
  return [...times].sort((a, b) => a - b);
}
