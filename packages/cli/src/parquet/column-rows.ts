// Which rows of a column have a value, and how they are cut into pages.
import type { ByteSink } from '@telltale/schema/byte-sink';
import { pageRows, rowGroupRows } from './format.ts';
import { writeHybrid, writeRun } from './hybrid.ts';

/** Some rows of a column, and their values by place among all values of the row group. */
export interface PageRows {
  readonly rows: number;
  readonly nulls: number;
  readonly from: number;
  readonly to: number;
}

export class ColumnRows {
  /** 1 where a row has a value. */
  readonly #levels: Uint8Array | undefined;
  #rows = 0;
  #values = 0;

  constructor(isOptional: boolean) {
    this.#levels = isOptional ? new Uint8Array(rowGroupRows) : undefined;
  }

  get values(): number {
    return this.#values;
  }

  clear(): void {
    this.#rows = this.#values = 0;
  }

  /** The next rows have values. Returns the place of the first one. */
  have(rows: number): number {
    const from = this.#values;
    this.#levels?.fill(1, this.#rows, this.#rows + rows);
    this.#rows += rows;
    this.#values += rows;
    return from;
  }

  /** The next rows have none. */
  lack(rows: number): void {
    this.#levels?.fill(0, this.#rows, this.#rows + rows);
    this.#rows += rows;
  }

  /** Each page begins with its levels in `body`, which was emptied, where rows may lack a value. */
  *pages(body: ByteSink): Generator<PageRows> {
    let from = 0;
    for (let row = 0; row < this.#rows; row += pageRows) {
      const rows = Math.min(pageRows, this.#rows - row);
      body.reset();
      const values = this.#levels === undefined ? rows : writeLevels(body, this.#levels.subarray(row, row + rows));
      yield { rows, nulls: rows - values, from, to: from + values };
      from += values;
    }
  }
}

/** Behind their length. Returns how many of them are 1. */
function writeLevels(body: ByteSink, levels: Uint8Array): number {
  let values = 0;
  for (let row = 0; row < levels.length; row++) values += levels[row] as number;
  body.u32(0);
  // Most pages have one form of values.
  if (values === 0 || values === levels.length) writeRun(body, values === 0 ? 0 : 1, levels.length, 1);
  else writeHybrid(body, new Float64Array(levels), 0, levels.length, 1);
  body.view.setUint32(0, body.length - 4, true);
  return values;
}
