// What goes from a site to the store in one piece, and changes nothing when it comes again. FORMAT.md has its bytes.
import type { Columns, Series } from '../records.ts';

/** Of a site and epoch, numbered from 1 without gaps. */
export interface Parcel {
  readonly site: string;
  readonly epoch: number;
  readonly seq: number;
  /** By the clock of the site. */
  readonly madeUs: number;
  /** What the site has sent with this parcel, in words of its own: with the newest of them it goes on. */
  readonly position: string;
  readonly counters: ParcelCounters;
  /** Those that are new in this epoch or have another name now; before their first records. */
  readonly series: readonly Series[];
  readonly erasures: readonly ParcelErasure[];
  readonly sections: readonly Section[];
}

/** Of the site, since its folder was made. */
export interface ParcelCounters {
  /** Records that the archive has stored. */
  readonly stored: number;
  /** Records that were lost before they were stored: no room while the disk refused. */
  readonly dropped: number;
  /** Records that were deleted before they were sent, and from when to when they were. */
  readonly discarded: number;
  readonly discardedSinceUs: number;
  readonly discardedUntilUs: number;
  /** Records that wait to be sent after this parcel, about; and the time of the oldest, 0 where there is none. */
  readonly backlog: number;
  readonly oldestUnsentUs: number;
}

/** Of the series, everything in [sinceUs, untilUs) with a place up to this one is gone. */
export interface ParcelErasure {
  /** Number of the series. */
  readonly series: number;
  readonly sinceUs: number;
  readonly untilUs: number;
  readonly place: number;
}

/**
 * Records of one stretch of the archive. They count as recorded at `to`. By series in order of number, of each in order
 * of time; of equal times in order of arrival, without those that another of the section replaces.
 */
export interface Section {
  /** Places, from one up to the other. */
  readonly from: number;
  readonly to: number;
  /** They may have come before: the first of each time replaces. */
  readonly isRepeated: boolean;
  /** Records of this stretch that are not sent, since another of it replaces them, or they are erased. */
  readonly superseded: number;
  /** Numbers of the series, ascending. */
  readonly series: Uint32Array;
  /** By series, where its records end in the columns. */
  readonly ends: Uint32Array;
  readonly columns: Columns;
}

export type SectionColumns = Pick<Section, 'series' | 'ends' | 'columns'>;

/** In order: from where to where the records of each series are. */
export function eachSeries(ends: Uint32Array, take: (at: number, from: number, to: number) => void): void {
  for (let at = 0, from = 0; at < ends.length; at++) {
    const to = ends[at] as number;
    take(at, from, to);
    from = to;
  }
}

/** Places of a generation: one for each of its records. */
const placesAGeneration = 2 ** 24;

/** After so many records of a generation. */
export function placeOf(generation: number, records: number): number {
  return generation * placesAGeneration + records;
}

export function generationOf(place: number): number {
  return Math.floor(place / placesAGeneration);
}

export function recordsBefore(place: number): number {
  return place % placesAGeneration;
}

/** What a parcel may have at most; a reader refuses more. */
export const parcelLimits = {
  bytes: 2 ** 25,
  unpackedBytes: 2 ** 27,
  records: 2 ** 20,
  sections: 64,
  series: 2 ** 17,
  erasures: 2 ** 14,
  positionBytes: 2 ** 16,
} as const;
