// Everything there is of one name, as a reading sees it: its series, each with its blocks and what is in memory.
import { quality } from '@telltale/schema/values';
import { Columns, marksGap, oldestPlausibleUs, type Series } from '../records.ts';
import { columnsOf, type SeriesSnapshot } from '../store/snapshot.ts';
import type { Block } from './block.ts';
import { Source, type SourceContext } from './source.ts';

export interface Interval {
  /** Half-open. */
  readonly sinceUs: number;
  readonly untilUs: number;
}

export interface NameContext extends SourceContext {
  /** Undefined: it cannot be read, and that has been reported. */
  readonly blockOf: (path: string) => Block | undefined;
}

/** One place where records of a series are. */
export interface Place {
  readonly part: SeriesSnapshot;
  /** Records at the same time come in this order. */
  readonly order: number;
  /** Undefined: in memory. */
  readonly block: Block | undefined;
  readonly tail: Columns | undefined;
  readonly firstUs: number;
  readonly lastUs: number;
}

export class NameSnapshot {
  /** By order. */
  readonly places: Place[] = [];
  readonly context: NameContext;
  readonly #parts: readonly SeriesSnapshot[];
  #part = 0;
  #block = 0;

  constructor(parts: readonly SeriesSnapshot[], context: NameContext) {
    this.context = context;
    this.#parts = parts.map(withExpired).sort((a, b) => a.series.number - b.series.number);
  }

  get series(): readonly Series[] {
    return this.#parts.map(({ series }) => series);
  }

  /** Opens one block. True: all places are known. */
  step(): boolean {
    const part = this.#parts[this.#part];
    if (part === undefined) return true;
    if (this.#block === 0) this.#addGaps(part);
    const path = part.blocks[this.#block++];
    if (path !== undefined) {
      this.#addBlock(part, this.context.blockOf(path));
      return false;
    }
    this.#addTail(part);
    this.#part++;
    this.#block = 0;
    return false;
  }

  /** Before all others: a record at the same time counts. */
  #addGaps(part: SeriesSnapshot): void {
    const { gaps = [], series } = part;
    if (gaps.length === 0) return;
    const tail = new Columns(gaps.length);
    tail.times.set(gaps);
    tail.count = gaps.length;
    if (series.datatype === 's') tail.texts = gaps.map(() => '');
    tail.qualities.fill(quality.bad.nonSpecific | marksGap);
    const [firstUs, lastUs] = [gaps[0] as number, gaps.at(-1) as number];
    this.places.push({ part, order: this.places.length, block: undefined, tail, firstUs, lastUs });
  }

  #addBlock(part: SeriesSnapshot, block: Block | undefined): void {
    const span = block?.spanOf(part.series.number);
    if (span === undefined) return;
    const { firstUs, lastUs } = span;
    this.places.push({ part, order: this.places.length, block, tail: undefined, firstUs, lastUs });
  }

  #addTail(part: SeriesSnapshot): void {
    if (part.tail === undefined) return;
    const { times } = part.tail;
    const [firstUs, lastUs] = [times[0] as number, times[times.length - 1] as number];
    const tail = columnsOf(part.tail);
    this.places.push({ part, order: this.places.length, block: undefined, tail, firstUs, lastUs });
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
