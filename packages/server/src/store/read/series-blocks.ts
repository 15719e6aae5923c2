// A series as a query has it: the weeks that may have records of it, each as a block.
import {
  type Block,
  type Chunk,
  Columns,
  type Series,
  type SeriesSnapshot,
  type SnapshotBlock,
} from '../../archive/query/index.ts';
import type { LoadedSeries } from './load-spans.ts';
import type { SpanChunk } from './span-chunks.ts';
import type { SpanQuery } from './span-sql.ts';
import { type SpanSource, SpanWindow } from './span-window.ts';
import { sinceOfWeek, untilOfWeek, weekOf } from './weeks.ts';

export interface Reading {
  readonly query: SpanQuery;
  /** Those that the store has of any series. */
  readonly weeks: readonly number[];
}

const recordsOfChunk = 1024;
const mostSpare = 2;

export class SeriesBlocks {
  readonly snapshot: SeriesSnapshot;
  readonly #main: SpanWindow;
  /** Goes back from where the interval begins. */
  readonly #head: SpanWindow;
  readonly #sinceUs: number;
  readonly #weeks: ReadonlyMap<string, number>;
  readonly #spare: Columns[] = [];

  constructor(source: SpanSource, reading: Reading, loaded: LoadedSeries) {
    const { query } = reading;
    const { series } = loaded;
    const beforeIt = { ...query, sinceUs: 0, untilUs: query.sinceUs + 1, isBackward: true, readsAll: false };
    this.#main = new SpanWindow(source, query, loaded);
    this.#head = new SpanWindow(source, beforeIt, { ...loaded, span: undefined, arrays: new Map() });
    this.#sinceUs = query.sinceUs;
    const weeks = weeksOf(reading, loaded);
    this.#weeks = new Map(weeks.map((week) => [pathOf(series, week), week]));
    const blocks = weeks.map((week): SnapshotBlock => {
      return { path: pathOf(series, week), firstUs: sinceOfWeek(week), lastUs: untilOfWeek(week) - 1 };
    });
    this.snapshot = { series, tail: undefined, blocks, tombstones: [], cutOffUs: 0 };
  }

  /** By path. */
  *blocks(): Generator<[string, Block], void> {
    for (const [path, week] of this.#weeks) yield [path, this.#block(week)];
  }

  #block(week: number): Block {
    return {
      header: { tombstonesApplied: 0 },
      chunksOf: (_, sinceUs, untilUs) => {
        const window = sinceUs < this.#sinceUs ? this.#head : this.#main;
        return window.chunksOf(week, sinceUs, untilUs);
      },
      read: (_, chunk: Chunk, into) => {
        const own = chunk as SpanChunk;
        return (this.#head.has(own) ? this.#head : this.#main).read(own, into);
      },
      takeColumns: () => this.#spare.pop() ?? new Columns(recordsOfChunk),
      giveBack: (columns) => {
        columns.clear();
        if (this.#spare.length < mostSpare) this.#spare.push(columns);
      },
    };
  }
}

function pathOf({ number }: Series, week: number): string {
  return `${number}/${week}`;
}

/** Ascending: those with records as far as that is known, and those that may have some. */
function weeksOf({ query, weeks }: Reading, { span, unsealedWeeks }: LoadedSeries): number[] {
  const found = new Set<number>();
  for (const [week, chunks] of span?.weeks ?? []) if (chunks.length > 0) found.add(week);
  const [sinceUs, untilUs] = [query.looksBack ? 0 : query.sinceUs, query.untilUs];
  for (const week of [weekOf(0), ...weeks, ...unsealedWeeks, weekOf(Number.MAX_SAFE_INTEGER)]) {
    const [from, to] = [Math.max(sinceUs, sinceOfWeek(week)), Math.min(untilUs, untilOfWeek(week))];
    const isKnown = span !== undefined && span.sinceUs <= from && span.untilUs >= to;
    if (from < to && !isKnown) found.add(week);
  }
  return [...found].sort((a, b) => a - b);
}
