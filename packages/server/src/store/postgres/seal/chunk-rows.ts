// Chunks as rows for COPY: which of its arrays a chunk has, and what is in them. SCHEMA.md has the columns.
import { form, traitsOf } from '@telltale/schema/values';
import { ByteWriter, notDecimal, scaleDecimals, summarize, writeSummary } from '../../../archive/codec/index.ts';
import { type Columns, replaces, type SeriesKey, simulated } from '../../../archive/index.ts';
import type { Summary } from '../../../archive/query/index.ts';
import { CopyWriter } from './copy-writer.ts';
import { tallyOf, tallyOfSummary } from './tally.ts';
import { timeGridOf } from './time-grid.ts';

export type SealedSeries = Pick<SeriesKey, 'kind' | 'datatype'> & { readonly id: number };

export interface ChunkKey {
  readonly epoch: number;
  readonly place: number;
  readonly part: number;
}

/** In the order in which they are written. */
const columnNames = (
  'series first_us epoch place part last_us n least greatest sum bad not_good ' +
  'step unit dt us scale i l r f s utf16 quality flags q summary'
).split(' ');
export const copyChunks = `copy telltale.chunk (${columnNames.join()}) from stdin (format binary)`;
const valueArrays = 5;
export const mostInChunk = 1024;
/** Of texts; one that is longer has a chunk for itself. */
const mostUnitsInChunk = 2 ** 18;
const flagBits = replaces | simulated;

/** The end of the next chunk of records that are in order of time. */
export function endOfChunk({ texts }: Columns, from: number, to: number): number {
  const end = Math.min(to, from + mostInChunk);
  if (texts[from] === undefined) return end;
  let units = 0;
  for (let at = from; at < end; at++) {
    units += (texts[at] as string).length;
    if (units > mostUnitsInChunk && at > from) return at;
  }
  return end;
}

export class ChunkRows {
  readonly #rows = new CopyWriter();
  readonly #summary = new ByteWriter();
  readonly #work = new Float64Array(mostInChunk);

  get bytes(): number {
    return this.#rows.length;
  }

  get isEmpty(): boolean {
    return this.#rows.isEmpty;
  }

  /** Everything so far, for COPY; valid until something is added. */
  take(): Uint8Array {
    return this.#rows.take();
  }

  /** Records of one week, at most as many as a chunk has. */
  add(series: SealedSeries, { epoch, place, part }: ChunkKey, columns: Columns, from: number, to: number): void {
    const rows = this.#rows;
    const { kind, datatype } = series;
    const { times } = columns;
    const summary = summarize(series, columns, from, to);
    const short = summary && tallyOfSummary(kind, summary, columns, from, to);
    const tally = short ?? tallyOf(kind, datatype, columns, from, to);
    rows.row(columnNames.length);
    rows.int8(series.id);
    rows.int8(times[from] as number);
    rows.int8(epoch);
    rows.int8(place);
    rows.int4(part);
    rows.int8(times[to - 1] as number);
    rows.int4(to - from);
    for (const value of [tally.least, tally.greatest, tally.sum]) {
      if (value === undefined) rows.none();
      else rows.float8(value);
    }
    rows.int4(tally.bad);
    rows.int4(tally.notGood);
    this.#addTimes(times, from, to);
    this.#addValues(series, columns, from, to);
    this.#addQualities(columns.qualities, from, to);
    this.#addSummary(summary, { firstUs: times[from] as number, lastUs: times[to - 1] as number, count: to - from });
  }

  #addTimes(times: Float64Array, from: number, to: number): void {
    const rows = this.#rows;
    const { step, unit, form: used } = timeGridOf(times, from, to, this.#work);
    rows.int8(step);
    rows.int8(unit);
    if (used === 'near') rows.int4s(this.#work, 0, to - from);
    else rows.none();
    if (used === 'any') rows.int8s(times, from, to);
    else rows.none();
  }

  #addValues({ datatype }: SealedSeries, columns: Columns, from: number, to: number): void {
    const { form: held, precision } = traitsOf(datatype);
    if (held === form.text) this.#addTexts(columns.texts.slice(from, to));
    else if (held === form.long) this.#addLongs(columns, from, to);
    else this.#addNumbers(columns.numbers, from, to, precision === 'single');
  }

  /** `write` writes the one at this place; the others are null. */
  #addArray(scale: number, place: number, write: () => void): void {
    const rows = this.#rows;
    rows.int2(scale);
    for (let at = 0; at < valueArrays; at++) {
      if (at === place) write();
      else rows.none();
    }
  }

  #addNumbers(numbers: Float64Array, from: number, to: number, isSingle: boolean): void {
    const work = this.#work;
    const negativeZeros: number[] = [];
    const scale = scaleDecimals(numbers, from, to, work, negativeZeros, isSingle);
    if (scale !== notDecimal && negativeZeros.length === 0) {
      if (areInt4(work, to - from)) this.#addArray(scale, 0, () => this.#rows.int4s(work, 0, to - from));
      else this.#addArray(scale, 1, () => this.#rows.int8s(work, 0, to - from));
    } else if (isSingle && areSingles(numbers, from, to)) {
      this.#addArray(0, 2, () => this.#rows.float4s(numbers, from, to));
    } else this.#addArray(0, 3, () => this.#rows.words('float8', numbers, from, to));
    this.#rows.none();
  }

  #addLongs({ numbers }: Columns, from: number, to: number): void {
    const work = this.#work;
    if (lowHalves(numbers, from, to, work)) this.#addArray(0, 0, () => this.#rows.int4s(work, 0, to - from));
    else this.#addArray(0, 1, () => this.#rows.words('int8', numbers, from, to));
    this.#rows.none();
  }

  #addTexts(texts: readonly string[]): void {
    const rows = this.#rows;
    const fit = texts.map((text) => text.toWellFormed().replaceAll('\0', '\ufffd'));
    this.#addArray(0, 4, () =>
      rows.elements(
        'text',
        fit.map((text) => Buffer.from(text)),
      ),
    );
    const odd = texts.map((text, at) => (text === fit[at] ? undefined : Buffer.from(text, 'utf16le')));
    if (odd.some((bytes) => bytes !== undefined)) rows.elements('bytea', odd);
    else rows.none();
  }

  #addQualities(qualities: Uint16Array, from: number, to: number): void {
    const rows = this.#rows;
    const first = qualities[from] as number;
    let flags = 0;
    let isSame = true;
    for (let at = from; at < to; at++) {
      flags |= qualities[at] as number;
      isSame &&= qualities[at] === first;
    }
    if (isSame) rows.int2(first);
    else rows.none();
    rows.int2(flags & flagBits);
    if (isSame) rows.none();
    else rows.int2s(qualities, from, to);
  }

  #addSummary(summary: Summary | undefined, span: Parameters<typeof writeSummary>[2]): void {
    if (summary === undefined) {
      this.#rows.none();
      return;
    }
    const out = this.#summary;
    out.reset();
    writeSummary(out, summary, span);
    this.#rows.bytes(out.written());
  }
}

function areInt4(whole: Float64Array, count: number): boolean {
  for (let at = 0; at < count; at++) {
    const value = whole[at] as number;
    if (value !== (value | 0)) return false;
  }
  return true;
}

/** Of 64-bit integers. False: some have more than that. */
function lowHalves(longs: Float64Array, from: number, to: number, into: Float64Array): boolean {
  const words = new Int32Array(longs.buffer, longs.byteOffset, 2 * longs.length);
  for (let at = from; at < to; at++) {
    const low = words[2 * at] as number;
    if (words[2 * at + 1] !== low >> 31) return false;
    into[at - from] = low;
  }
  return true;
}

function areSingles(numbers: Float64Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const value = numbers[at] as number;
    if (Math.fround(value) !== value) return false;
  }
  return true;
}
