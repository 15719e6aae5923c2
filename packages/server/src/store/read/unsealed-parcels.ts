// What a site has sent and the store has not sealed yet, by series.
import type { Parcel, Section } from '../../archive/query/index.ts';
import { comparePlaces, type Place } from './place.ts';
import type { Erased, SectionRecords } from './section-layers.ts';

/** By epoch, the number that a series has in it. */
export type SeriesNumbers = ReadonlyMap<number, number>;

interface PlacedSection extends Place {
  readonly section: Section;
}

export class UnsealedParcels {
  readonly #parcels: readonly Parcel[];
  readonly #sections: readonly PlacedSection[];

  /** In the order in which they came. */
  constructor(parcels: readonly Parcel[]) {
    this.#parcels = parcels;
    const sections = parcels.flatMap(({ epoch, sections }) => {
      return sections.map((section) => ({ epoch, place: section.to, section }));
    });
    // Stable: of those at one place the one that came later is behind.
    this.#sections = sections.sort(comparePlaces);
  }

  /** In order of their places. */
  sectionsOf(numbers: SeriesNumbers): SectionRecords[] {
    return this.#sections.flatMap(({ epoch, place, section: { series, ends, columns } }) => {
      const at = positionOf(series, numbers.get(epoch));
      if (at < 0) return [];
      return [{ epoch, place, columns, from: at === 0 ? 0 : (ends[at - 1] as number), to: ends[at] as number }];
    });
  }

  erasuresOf(numbers: SeriesNumbers): Erased[] {
    return this.#parcels.flatMap(({ epoch, erasures }) => {
      const own = erasures.filter(({ series }) => series === numbers.get(epoch));
      return own.map(({ sinceUs, untilUs, place }) => ({ epoch, place, sinceUs, untilUs }));
    });
  }
}

/** Of a number among ascending ones; below zero: it is not there. */
function positionOf(numbers: Uint32Array, number: number | undefined): number {
  if (number === undefined) return -1;
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < number) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === number ? low : -1;
}
