// Everything there is of one name, as a reading sees it: its series, each with its blocks and what is in memory.
import { form, quality, traitsOf } from '@telltale/schema/values';
import { Columns, marksGap, oldestPlausibleUs, type Series } from '../records.ts';
import { columnsOf, type SeriesSnapshot } from '../store/snapshot.ts';
import type { Block } from './block.ts';
import { Source } from './source.ts';

export interface Interval {
  /** Half-open. */
  readonly sinceUs: number;
  readonly untilUs: number;
}

/** What the places of a name are given by the reading that they belong to. */
export interface NameContext {
  /** For the moment: the next call may close it. Undefined: it cannot be read, and that has been reported. */
  readonly blockOf: (path: string) => Block | undefined;
  /** Called with what could not be read and is left out. Throws where the error is no damage. */
  readonly onUnreadable: (error: unknown) => void;
}

/** One place where records of a series are, or may be: a block is opened when it is its turn. */
export interface Place {
  readonly part: SeriesSnapshot;
  /** Records at the same time come in this order. */
  readonly order: number;
  /** Of a block; undefined: in memory. */
  readonly path: string | undefined;
  readonly tail: Columns | undefined;
  /** Of its records in memory, or of all records of the block. */
  readonly firstUs: number;
  readonly lastUs: number;
}

export class NameSnapshot {
  /** By order. */
  readonly places: Place[] = [];
  readonly context: NameContext;
  readonly #parts: readonly SeriesSnapshot[];

  constructor(parts: readonly SeriesSnapshot[], context: NameContext) {
    this.context = context;
    this.#parts = parts.map(withExpired).sort((a, b) => a.series.number - b.series.number);
    for (const part of this.#parts) {
      this.#addGaps(part);
      for (const block of part.blocks) {
        this.places.push({ part, order: this.places.length, tail: undefined, ...block });
      }
      this.#addTail(part);
    }
  }

  get series(): readonly Series[] {
    return this.#parts.map(({ series }) => series);
  }

  /** Before all others: a record at the same time counts. */
  #addGaps(part: SeriesSnapshot): void {
    const { gaps = [], series } = part;
    if (gaps.length === 0) return;
    const tail = new Columns(gaps.length);
    tail.times.set(gaps);
    tail.count = gaps.length;
    if (traitsOf(series.datatype).form === form.text) tail.texts = gaps.map(() => '');
    tail.qualities.fill(quality.bad.nonSpecific | marksGap);
    const [firstUs, lastUs] = [gaps[0] as number, gaps.at(-1) as number];
    this.places.push({ part, order: this.places.length, path: undefined, tail, firstUs, lastUs });
  }

  #addTail(part: SeriesSnapshot): void {
    if (part.tail === undefined) return;
    const { times } = part.tail;
    const [firstUs, lastUs] = [times[0] as number, times[times.length - 1] as number];
    const tail = columnsOf(part.tail);
    this.places.push({ part, order: this.places.length, path: undefined, tail, firstUs, lastUs });
  }

  /** Fresh ones, at the start of the interval. */
  sources({ sinceUs, untilUs }: Interval): Source[] {
    return this.places.map((place) => {
      const { cutOffUs } = place.part;
      const fromUs = sinceUs < oldestPlausibleUs ? sinceUs : Math.max(sinceUs, cutOffUs);
      return new Source(this.context, place, { sinceUs: fromUs, untilUs });
    });
  }
}

/** What has expired is as if it were erased: what is older still, with a time that nobody believes, stays. */
function withExpired(part: SeriesSnapshot): SeriesSnapshot {
  if (part.cutOffUs <= oldestPlausibleUs) return part;
  const expired = { seq: Number.POSITIVE_INFINITY, sinceUs: oldestPlausibleUs, untilUs: part.cutOffUs };
  return { ...part, erasures: [...part.erasures, expired] };
}
