// The records of a series in parcels that are not sealed yet, put together as far as their order allows: most parcels have a few
// of each series, and most of these are newer than what came before.
import type { Datatype } from '@telltale/schema';
import { Columns, TombstoneFilter } from '../../archive/query/index.ts';
import { appendRecords } from './append-records.ts';
import { comparePlaces, type Place } from './place.ts';

/** Of one series, from one section. */
export interface SectionRecords extends Place {
  readonly columns: Columns;
  readonly from: number;
  readonly to: number;
}

/** Everything of the series in [sinceUs, untilUs) up to this place is gone. */
export interface Erased extends Place {
  readonly sinceUs: number;
  readonly untilUs: number;
}

/** In order of time, then of arrival, without what is erased. A record that replaces others replaces those of lower layers. */
export interface Layer extends Place {
  readonly columns: Columns;
}

/** `sections` and `cuts` ascend. At each cut there are records that are elsewhere: no layer has some from before and behind it. */
export function layersOf(
  datatype: Datatype,
  sections: readonly SectionRecords[],
  erasures: readonly Erased[],
  cuts: readonly Place[] = [],
): Layer[] {
  const layers: Layer[] = [];
  let last: Columns | undefined;
  let cut = 0;
  for (const section of sections) {
    for (; cut < cuts.length && comparePlaces(cuts[cut] as Place, section) <= 0; cut++) last = undefined;
    const { columns, from, to, epoch, place } = section;
    const isBehind = last !== undefined && (columns.times[from] as number) > (last.times[last.count - 1] as number);
    const into: Columns = last !== undefined && isBehind ? last : new Columns(to - from);
    const start = into.count;
    appendRecords(columns, from, to, into);
    const erased = erasures.filter((each) => comparePlaces(each, section) >= 0);
    takeOut(datatype, into, start, erased);
    if (into === last || into.count === 0) continue;
    last = into;
    layers.push({ epoch, place, columns: into });
  }
  return layers;
}

/** Of the records from `from` on, which are in order of time. */
export function takeOut(datatype: Datatype, columns: Columns, from: number, erased: readonly Erased[]): void {
  if (erased.length === 0) return;
  const tombstones = erased.map(({ sinceUs, untilUs }) => ({ seq: 1, sinceUs, untilUs }));
  columns.count = new TombstoneFilter(tombstones, 0).takeOut(datatype, columns, from, columns.count);
  if (columns.texts.length > columns.count) columns.texts.length = columns.count;
}
