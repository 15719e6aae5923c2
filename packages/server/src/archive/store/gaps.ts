// Where records of a series are missing with a file that is gone: what answers show there.
import type { ListedFile } from '../files/inventory-file.ts';
import type { Series } from '../records.ts';
import { headCutOff } from './retention.ts';
import type { AppliedErasure } from './snapshot.ts';

export interface GapsRequest {
  readonly series: Series;
  readonly sinceUs: number;
  readonly untilUs: number;
  readonly erasures: readonly AppliedErasure[];
  readonly cutOffUs: number;
}

/**
 * From when on they are missing, ascending: of a file that lasts into the interval from its start on. Only measurements
 * have a quality that could say so.
 */
export function gapsOf(lost: readonly ListedFile[], request: GapsRequest): number[] {
  const { series, sinceUs, untilUs, erasures, cutOffUs } = request;
  if (series.kind !== 'measurements') return [];
  const times = new Set<number>();
  for (const { firstUs, lastUs, records, highestSeries } of lost) {
    if (records === 0 || series.number > highestSeries || firstUs >= untilUs) continue;
    const timeUs = lastUs < sinceUs ? firstUs : Math.max(firstUs, sinceUs);
    const isErased = erasures.some((erased) => erased.sinceUs <= timeUs && timeUs < erased.untilUs);
    if (!isErased && timeUs >= headCutOff(timeUs, cutOffUs)) times.add(timeUs);
  }
  return [...times].sort((a, b) => a - b);
}
