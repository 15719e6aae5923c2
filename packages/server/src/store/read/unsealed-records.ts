// What a site has sent of some series and the store has not sealed yet: taken out of one parcel after the other, of which none is kept.
import { Columns, firstFrom } from '../../archive/query/index.ts';
import { appendRecords } from './append-records.ts';
import type { UnsealedParcel } from './decoded-parcels.ts';
import { comparePlaces } from './place.ts';
import type { Erased, SectionRecords } from './section-layers.ts';
import type { UnsealedRoom } from './unsealed-room.ts';
import { untilOfWeek, weekOf } from './weeks.ts';

/** By epoch, which series its numbers are: those that are wanted. */
export type SeriesNumbers = ReadonlyMap<number, ReadonlyMap<number, number>>;

interface OfSeries {
  /** Of all sections. */
  readonly columns: Columns;
  readonly sections: SectionRecords[];
  readonly erasures: Erased[];
}

export class UnsealedRecords {
  readonly #numbers: SeriesNumbers;
  readonly #sinceUs: number;
  readonly #untilUs: number;
  readonly #room: UnsealedRoom;
  readonly #series = new Map<number, OfSeries>();

  /** Records of [sinceUs, untilUs) alone, as many as there is room for. */
  constructor(numbers: SeriesNumbers, sinceUs: number, untilUs: number, room: UnsealedRoom) {
    this.#numbers = numbers;
    this.#sinceUs = sinceUs;
    this.#untilUs = untilUs;
    this.#room = room;
  }

  /** In the order in which they came. Throws `ProblemError` where there is no room for what is wanted of it. */
  add({ epoch, erasures, sections }: UnsealedParcel): void {
    const wanted = this.#numbers.get(epoch);
    if (wanted === undefined) return;
    for (const { series: number, sinceUs, untilUs, place } of erasures) {
      const series = wanted.get(number);
      if (series === undefined) continue;
      this.#room.takeErasure();
      this.#of(series).erasures.push({ epoch, place, sinceUs, untilUs });
    }
    for (const { to: place, series: numbers, ends, columns } of sections) {
      for (const [number, series] of wanted) {
        const at = positionOf(numbers, number);
        if (at < 0) continue;
        const end = ends[at] as number;
        const from = firstFrom(columns.times, at === 0 ? 0 : (ends[at - 1] as number), end, this.#sinceUs);
        const to = firstFrom(columns.times, from, end, this.#untilUs);
        if (from === to) continue;
        this.#room.takeRecords(columns, from, to);
        const own = this.#of(series);
        const start = own.columns.count;
        appendRecords(columns, from, to, own.columns);
        own.sections.push({ epoch, place, columns: own.columns, from: start, to: own.columns.count });
      }
    }
  }

  /** In order of their places; of those at one place the one that came later is behind. */
  sectionsOf(series: number): SectionRecords[] {
    return (this.#series.get(series)?.sections ?? []).toSorted(comparePlaces);
  }

  erasuresOf(series: number): readonly Erased[] {
    return this.#series.get(series)?.erasures ?? [];
  }

  /** Those in which it has records. */
  weeksOf(series: number): ReadonlySet<number> {
    const weeks = new Set<number>();
    for (const { columns, from, to } of this.#series.get(series)?.sections ?? []) {
      for (let at = from; at < to; ) {
        const week = weekOf(columns.times[at] as number);
        weeks.add(week);
        at = firstFrom(columns.times, at, to, untilOfWeek(week));
      }
    }
    return weeks;
  }

  #of(series: number): OfSeries {
    const known = this.#series.get(series);
    if (known !== undefined) return known;
    const fresh = { columns: new Columns(), sections: [], erasures: [] };
    this.#series.set(series, fresh);
    return fresh;
  }
}

/** Of a number among ascending ones; below zero: it is not there. */
function positionOf(numbers: Uint32Array, number: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < number) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === number ? low : -1;
}
