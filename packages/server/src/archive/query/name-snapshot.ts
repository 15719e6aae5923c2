// Everything of one name, as a query sees it: its series, each with its blocks and its records in memory.
import { form, quality, traitsOf } from '@telltale/schema/values';
import { Columns, oldestPlausibleUs, type Series } from '../records.ts';
import { columnsOf, type SeriesSnapshot } from '../store/snapshot.ts';
import { type Interval, type NameContext, RecordCursor, type RecordLocation } from './record-cursor.ts';

export class NameSnapshot {
  /** By order. */
  readonly locations: RecordLocation[] = [];
  readonly context: NameContext;
  readonly #parts: readonly SeriesSnapshot[];

  constructor(parts: readonly SeriesSnapshot[], context: NameContext) {
    this.context = context;
    this.#parts = parts.map(withExpired).sort((a, b) => identityOf(a) - identityOf(b) || epochOf(a) - epochOf(b));
    for (const part of this.#parts) {
      this.#addGaps(part);
      for (const block of part.blocks) {
        this.locations.push({ part, order: this.locations.length, tail: undefined, ...block });
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
    tail.qualities.fill(quality.bad.nonSpecific);
    const [firstUs, lastUs] = [gaps[0] as number, gaps.at(-1) as number];
    this.locations.push({ part, order: this.locations.length, path: undefined, tail, firstUs, lastUs });
  }

  #addTail(part: SeriesSnapshot): void {
    if (part.tail === undefined) return;
    const { times } = part.tail;
    const [firstUs, lastUs] = [times[0] as number, times[times.length - 1] as number];
    const tail = columnsOf(part.tail);
    this.locations.push({ part, order: this.locations.length, path: undefined, tail, firstUs, lastUs });
  }

  /** Fresh ones, at the start of the interval. */
  cursors({ sinceUs, untilUs }: Interval): RecordCursor[] {
    return this.locations.map((location) => {
      const { cutOffUs } = location.part;
      const fromUs = sinceUs < oldestPlausibleUs ? sinceUs : Math.max(sinceUs, cutOffUs);
      return new RecordCursor(this.context, location, { sinceUs: fromUs, untilUs });
    });
  }
}

/** Of a series, what other archives have of it is one with it. */
function identityOf({ identity, series }: SeriesSnapshot): number {
  return identity ?? series.number;
}

function epochOf({ epoch = 0 }: SeriesSnapshot): number {
  return epoch;
}

/** What has expired is as if it were erased: what is older still, with an implausible time, stays. */
function withExpired(part: SeriesSnapshot): SeriesSnapshot {
  if (part.cutOffUs <= oldestPlausibleUs) return part;
  const expired = { seq: Number.POSITIVE_INFINITY, sinceUs: oldestPlausibleUs, untilUs: part.cutOffUs };
  return { ...part, tombstones: [...part.tombstones, expired] };
}
