// The records in memory by their place: those that are sent as they came.
import { form, traitsOf } from '@telltale/schema/values';
import { generationOf, parcelLimits, placeOf, recordsBefore } from '../parcel/parcel.ts';
import type { Frozen } from '../store/generations.ts';
import { isErased, type Memtable } from '../store/memtable.ts';
import type { OutgoingParts } from './outgoing-parts.ts';
import type { LiveRecords } from './outgoing-piece.ts';

export class MemoryRecords {
  readonly #parts: OutgoingParts;
  /** Those that are in blocks, and of which the store may have a part; oldest first. */
  readonly #unsent: Frozen[];

  constructor(parts: OutgoingParts, unsent: readonly Frozen[]) {
    this.#parts = parts;
    this.#unsent = [...unsent];
  }

  /** It is in blocks now, and its records are needed as they came. */
  retain(frozen: Frozen): void {
    this.#unsent.push(frozen);
  }

  /** Of those that are retained, the ones before this generation go. */
  release(generation: number): Frozen[] {
    const count = this.#unsent.findIndex(({ table }) => table.generation >= generation);
    return this.#unsent.splice(0, count < 0 ? this.#unsent.length : count);
  }

  /** Whether any of these is retained. */
  retains(genFrom: number, genTo: number): boolean {
    return this.#unsent.some(({ table: { generation } }) => generation >= genFrom && generation <= genTo);
  }

  /** Those before it are in blocks. */
  get firstGeneration(): number {
    return (this.#parts.generations.tables[0] as Memtable).generation;
  }

  get activeGeneration(): number {
    return this.#parts.generations.active.generation;
  }

  /** Behind everything. */
  get end(): number {
    const { generation, committed } = this.#parts.generations.active;
    return placeOf(generation, committed);
  }

  /** When the archive is opened: behind the last record that came before. */
  get replayedEnd(): number {
    const last = this.#parts.generations.frozen.at(-1)?.table;
    return last === undefined ? this.end : placeOf(last.generation, last.committed);
  }

  /** Of the generations from this one on, the first whose records have their places; after a damaged journal they may not. */
  firstWhole(generation: number): number {
    const whole = this.#frozen.find(({ table, isDamaged }) => table.generation === generation && !isDamaged);
    if (whole !== undefined) return generation;
    const { frozen, active } = this.#parts.generations;
    const first = frozen.find(({ table, isDamaged }) => table.generation >= generation && !isDamaged);
    return first?.table.generation ?? active.generation;
  }

  /** Behind the last record of a generation that takes no more, the next one begins; it may be empty as well. */
  behind(place: number): number {
    const over = this.#frozen.find(({ table }) => table.generation === generationOf(place));
    if (over?.table.committed !== recordsBefore(place)) return place;
    return this.behind(placeOf(generationOf(place) + 1, 0));
  }

  /** From the place on. */
  count(place: number): number {
    let count = 0;
    for (const { generation, committed } of this.#tables) {
      if (generation === generationOf(place)) count += committed - recordsBefore(place);
      else if (generation > generationOf(place)) count += committed;
    }
    return count;
  }

  /** The time of the first record from the place on; Infinity: there is none. */
  timeAt(place: number): number {
    const table = this.#tables.find(({ generation }) => generation === generationOf(place));
    const at = recordsBefore(place);
    return table !== undefined && at < table.committed ? (table.times[at] as number) : Number.POSITIVE_INFINITY;
  }

  table(generation: number): Memtable | undefined {
    return this.#tables.find((each) => each.generation === generation);
  }

  /** At most so many, from the place up to the other, in order of arrival. Those before an erasure and those after it come apart. */
  from(place: number, until: number, most: number): LiveRecords[] {
    const all: LiveRecords[] = [];
    let [reached, left] = [place, most];
    for (const table of this.#tables) {
      const { generation, committed } = table;
      if (generation < generationOf(reached)) continue;
      // Those between are in blocks.
      if (generation > generationOf(reached) || generation >= generationOf(until)) break;
      let at = recordsBefore(reached);
      while (at < committed) {
        if (left === 0 || all.length === parcelLimits.sections / 2) return all;
        const to = Math.min(committed, at + left, this.#parts.tombstones.cutAfter(generation, at));
        const end = Math.min(until, this.behind(placeOf(generation, to)));
        all.push({ from: reached, to: end, ...this.#copy(table, at, to) });
        left -= to - at;
        [at, reached] = [to, end];
      }
    }
    return all;
  }

  get #frozen(): readonly Frozen[] {
    return [...this.#unsent, ...this.#parts.generations.frozen];
  }

  get #tables(): readonly Memtable[] {
    return [...this.#unsent.map(({ table }) => table), ...this.#parts.generations.tables];
  }

  #copy(table: Memtable, from: number, to: number): Omit<LiveRecords, 'from' | 'to'> {
    const texts: string[] = [];
    const series = table.series.slice(from, to);
    if (table.texts.length > 0) {
      for (let at = 0; at < series.length; at++) {
        if (!this.#isText(series[at] as number)) continue;
        texts[at] = table.texts[table.numbers[from + at] as number] as string;
      }
    }
    const [times, numbers, qualities] = [table.times, table.numbers, table.qualities].map((column) =>
      column.slice(from, to),
    ) as [LiveRecords['times'], LiveRecords['numbers'], LiveRecords['qualities']];
    return { series, times, numbers, qualities, texts, isErased: this.#erased(table, from, to) };
  }

  #isText(number: number): boolean {
    const series = this.#parts.catalogue.byNumber(number);
    return series !== undefined && traitsOf(series.datatype).form === form.text;
  }

  #erased(table: Memtable, from: number, to: number): Uint8Array<ArrayBuffer> | undefined {
    const { tombstones } = this.#parts;
    if (tombstones.size === 0) return undefined;
    const erased = new Uint8Array(to - from);
    for (let at = from; at < to; at++) {
      const ranges = tombstones.in(table, table.series[at] as number);
      if (ranges.length > 0 && isErased(ranges, table.times[at] as number, at)) erased[at - from] = 1;
    }
    return erased;
  }
}
