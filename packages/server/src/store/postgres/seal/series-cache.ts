// Which series the numbers of an epoch are, as far as it was asked lately: that never changes.
import type { Connection } from '../connection.ts';
import type { SealedSeries } from './chunk-rows.ts';

const mostKnown = 2 ** 18;

interface SeriesRow extends SealedSeries {
  readonly number: number;
}

export class SeriesCache {
  readonly #known = new Map<string, Map<number, SealedSeries>>();
  #count = 0;

  /** At least those of the numbers that there are. */
  async of(
    connection: Connection,
    site: string,
    epoch: number,
    numbers: Iterable<number>,
  ): Promise<ReadonlyMap<number, SealedSeries>> {
    const key = `${epoch} ${site}`;
    const known = this.#known.get(key) ?? new Map<number, SealedSeries>();
    // The one used last is behind.
    this.#known.delete(key);
    this.#known.set(key, known);
    const missing = new Set(numbers)
      .values()
      .filter((number) => !known.has(number))
      .toArray();
    if (missing.length > 0) {
      const { rows } = await connection.query<SeriesRow>(
        `select number, id, kind, datatype from telltale.stream_series join telltale.series on series.id = stream_series.series
          where stream_series.site = $1 and epoch = $2 and number = any($3::bigint[])`,
        [site, epoch, missing],
      );
      for (const { number, id, kind, datatype } of rows) known.set(number, { id, kind, datatype });
      this.#count += rows.length;
    }
    for (const [oldest, series] of this.#known) {
      if (this.#count <= mostKnown || oldest === key) break;
      this.#known.delete(oldest);
      this.#count -= series.size;
    }
    return known;
  }
}
