// What a query has loaded of one series, going through it in one direction, and what is to be loaded next. Bounded, however much there
// is: rows of a few weeks, and the arrays of the next few of them.
import { ProblemError } from '@telltale/schema/values';
import { Columns, firstFrom } from '../../archive/query/index.ts';
import { appendRecords } from './append-records.ts';
import type { DecodedParcels } from './decoded-parcels.ts';
import { type LoadedSeries, type LoadedSpan, loadSeries, type StoredSeries } from './load-spans.ts';
import type { ReadLimits } from './read-limits.ts';
import { type KeyedArrays, readKeyedArrays } from './read-rows.ts';
import { appendArrays, type RowArrays } from './row-arrays.ts';
import { readSpanChunk, type SpanChunk } from './span-chunks.ts';
import { rowsBetween, type SpanQuery } from './span-sql.ts';
import type { Copy } from './store-snapshot.ts';
import { damagedRow, keyOf, type StoredRow } from './stored-row.ts';
import { sinceOfWeek, untilOfWeek, weekOf } from './weeks.ts';

/** How a series gets at the store: `work` sees one moment of it. */
export interface SpanSource {
  readonly parcels: DecodedParcels;
  readonly limits: ReadLimits;
  read<T>(work: (copy: Copy) => Promise<T>): Promise<T>;
}

/** Of rows of which most are not read: more, where they are. */
const firstArrays = 4;
/** Rows of a chunk that has to be read again, since they were changed. */
const mostChanged = 256;
const wholeWeekRows = 2 ** 31 - 1;

export class SpanWindow {
  readonly #source: SpanSource;
  readonly #stored: StoredSeries;
  /** All of it that may be wanted. */
  readonly #query: SpanQuery;
  #span: LoadedSpan | undefined;
  #arrays: KeyedArrays;
  /** Rows whose arrays are fetched next. */
  #ahead: number;
  /** A chunk whose rows are no longer there, and what there is now. */
  #changed: { readonly chunk: SpanChunk; readonly columns: Columns } | undefined;

  constructor(source: SpanSource, query: SpanQuery, { span, arrays, ...stored }: LoadedSeries) {
    this.#source = source;
    this.#stored = stored;
    this.#query = query;
    this.#span = span;
    this.#arrays = arrays;
    const { arrays: most } = source.limits;
    this.#ahead = query.readsAll ? most : Math.min(most, firstArrays);
  }

  has(chunk: SpanChunk): boolean {
    return this.#chunksAround(chunk).includes(chunk);
  }

  /** Those of a week with records in [sinceUs, untilUs). */
  chunksOf(week: number, sinceUs: number, untilUs: number): readonly SpanChunk[] | Promise<void> {
    const [from, to] = [Math.max(sinceUs, sinceOfWeek(week)), Math.min(untilUs, untilOfWeek(week))];
    if (from >= to) return [];
    const span = this.#span;
    if (span !== undefined && span.sinceUs <= from && span.untilUs >= to) return span.weeks.get(week) ?? [];
    return this.#load(from, to);
  }

  /** Appends its records; or, with a promise, none yet. */
  read(chunk: SpanChunk, into: Columns): Promise<void> | undefined {
    if (this.#changed?.chunk === chunk) {
      const { columns } = this.#changed;
      appendRecords(columns, 0, columns.count, into);
      return undefined;
    }
    if (!rowsOf(chunk).every((row) => this.#arrays.has(keyOf(row)))) return this.#fetch(chunk);
    this.#append(chunk, this.#arrays, into);
    return undefined;
  }

  /** From there on in its direction; at least all of the week that is asked for. */
  async #load(sinceUs: number, untilUs: number): Promise<void> {
    const { isBackward, ...all } = this.#query;
    const week = { ...this.#query, looksBack: false, sinceUs, untilUs };
    const query = isBackward
      ? { ...week, sinceUs: Math.min(sinceUs, all.sinceUs) }
      : { ...week, untilUs: Math.max(untilUs, all.untilUs) };
    const { span, arrays } = await this.#source.read(async (copy) => {
      const { parcels, limits } = this.#source;
      const arrays = this.#ahead;
      const some = await loadSeries(copy, parcels, this.#stored, query, { ...limits, arrays });
      if (some.span !== undefined) return some;
      return loadSeries(copy, parcels, this.#stored, week, { ...limits, rows: wholeWeekRows, arrays });
    });
    this.#span = span;
    this.#arrays = arrays;
  }

  async #fetch(chunk: SpanChunk): Promise<void> {
    const times = this.#next(chunk).flatMap((each) => rowsOf(each).map(({ firstUs }) => firstUs));
    const { number, name } = this.#stored.series;
    const select = rowsBetween(number, Math.min(...times), Math.max(...times));
    this.#arrays = await this.#source.read(async (copy) => {
      const [rows] = await copy(select);
      return readKeyedArrays(rows, name);
    });
    this.#ahead = Math.min(this.#source.limits.arrays, 2 * this.#ahead);
    if (!rowsOf(chunk).every((row) => this.#arrays.has(keyOf(row)))) await this.#readAgain(chunk);
  }

  /** It, and those that are probably read next. */
  #next(chunk: SpanChunk): readonly SpanChunk[] {
    const chunks = this.#chunksAround(chunk);
    const at = chunks.indexOf(chunk);
    if (at < 0) return [chunk];
    if (this.#query.isBackward) return chunks.slice(Math.max(0, at + 1 - this.#ahead), at + 1);
    return chunks.slice(at, at + this.#ahead);
  }

  /** What there is now of its time. */
  async #readAgain(chunk: SpanChunk): Promise<void> {
    const { firstUs, lastUs } = chunk;
    const query = { sinceUs: firstUs, untilUs: lastUs + 1, isBackward: false, readsAll: true, looksBack: false };
    const limits = { ...this.#source.limits, rows: mostChanged, arrays: mostChanged };
    const { span, arrays } = await this.#source.read((copy) => {
      return loadSeries(copy, this.#source.parcels, this.#stored, query, limits);
    });
    if (span === undefined) {
      const { name } = this.#stored.series;
      throw new ProblemError('overloaded', `Very many records of ${name} were changed while they were read.`);
    }
    const all = new Columns();
    for (const chunks of span.weeks.values()) for (const each of chunks) this.#append(each, arrays, all);
    const columns = new Columns();
    const from = firstFrom(all.times, 0, all.count, firstUs);
    appendRecords(all, from, firstFrom(all.times, from, all.count, lastUs + 1), columns);
    this.#changed = { chunk, columns };
  }

  #append(chunk: SpanChunk, arrays: KeyedArrays, into: Columns): void {
    const { datatype } = this.#stored.series;
    readSpanChunk(datatype, chunk, (row, to) => this.#appendRow(row, arrays.get(keyOf(row)) as RowArrays, to), into);
  }

  #appendRow(row: StoredRow, arrays: RowArrays, into: Columns): void {
    const { datatype, name } = this.#stored.series;
    try {
      appendArrays(datatype, row, arrays, into);
      if (into.times[into.count - 1] !== row.lastUs) throw new RangeError('its last time is another');
    } catch (error) {
      throw damagedRow(name, row, error);
    }
  }

  #chunksAround({ firstUs }: SpanChunk): readonly SpanChunk[] {
    return this.#span?.weeks.get(weekOf(firstUs)) ?? [];
  }
}

function rowsOf({ sources }: SpanChunk): StoredRow[] {
  return sources.flatMap(({ row }) => row ?? []);
}
