// Of the new records of a series those that no other new one replaces and nothing erases, in order of time.
import { Columns, replaces } from '../../../archive/index.ts';
import { dropReplaced, sortByTime, TombstoneFilter } from '../../../archive/query/index.ts';
import { comparePlaces, type Place } from '../../read/place.ts';
import type { Erased } from '../../read/section-layers.ts';
import type { SealedSeries } from './chunk-rows.ts';
import type { GatheredRecords, SeriesSlice } from './gathered-records.ts';
import type { PlacedSection } from './stretch.ts';

export interface VisibleRecords {
  readonly series: SealedSeries;
  readonly columns: Columns;
  /** The section of each. */
  readonly sectionOf: readonly PlacedSection[];
  /** The highest rank that one of each run has. */
  readonly rankOf: ReadonlyMap<number, Place>;
}

export function visibleRecords(
  { columns, sectionOf, sections }: GatheredRecords,
  { series, from, to }: Pick<SeriesSlice, 'series' | 'from' | 'to'>,
  erasures: readonly Erased[],
): VisibleRecords {
  const isErased = erasedBy(erasures);
  const order = new Uint32Array(to - from);
  let count = 0;
  for (let at = from; at < to; at++) {
    const section = sections[sectionOf[at] as number] as PlacedSection;
    if (!isErased(section, columns.times[at] as number)) order[count++] = at;
  }
  for (const _ of sortByTime(order, 0, count, columns.times));
  count = dropReplaced(order, 0, count, columns.times, columns.qualities);
  const positions = order.subarray(0, count);
  const placed = Array.from(positions, (at) => sections[sectionOf[at] as number] as PlacedSection);
  const rankOf = new Map<number, Place>();
  for (const { run, epoch, place } of placed) {
    const known = rankOf.get(run);
    if (known === undefined || comparePlaces(known, { epoch, place }) < 0) rankOf.set(run, { epoch, place });
  }
  return { series, columns: pickRecords(columns, positions), sectionOf: placed, rankOf };
}

/** Asked in order of rank. */
function erasedBy(erasures: readonly Erased[]): (section: PlacedSection, timeUs: number) => boolean {
  if (erasures.length === 0) return () => false;
  const sorted = erasures.toSorted(comparePlaces);
  let first = -1;
  let filter = new TombstoneFilter([], 0);
  return (section, timeUs) => {
    const before = first;
    first = Math.max(0, first);
    while (first < sorted.length && comparePlaces(sorted[first] as Erased, section) < 0) first++;
    if (first !== before) {
      const left = sorted.slice(first).map(({ sinceUs, untilUs }) => ({ seq: 1, sinceUs, untilUs }));
      filter = new TombstoneFilter(left, 0);
    }
    return filter.covers(timeUs, timeUs);
  };
}

/** Bit by bit. */
export function pickRecords(columns: Columns, positions: Uint32Array): Columns {
  const picked = new Columns(positions.length);
  // As words, since a double with the bits of an integer may lose some of them on its way.
  const [from, into] = [new Int32Array(columns.numbers.buffer), new Int32Array(picked.numbers.buffer)];
  for (const [to, at] of positions.entries()) {
    picked.times[to] = columns.times[at] as number;
    into[2 * to] = from[2 * at] as number;
    into[2 * to + 1] = from[2 * at + 1] as number;
    picked.qualities[to] = columns.qualities[at] as number;
    if (columns.texts[at] !== undefined) picked.texts[to] = columns.texts[at] as string;
  }
  picked.count = positions.length;
  return picked;
}

export function isReplacing({ qualities }: Columns, at: number): boolean {
  return ((qualities[at] as number) & replaces) !== 0;
}
