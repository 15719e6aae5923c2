// What changes among the chunks of the store: rows to be removed and rows to be added, written when there are many of them.
import type { Columns } from '../../../archive/index.ts';
import { comparePlaces, type Place } from '../../read/place.ts';
import { weekOf } from '../../read/weeks.ts';
import type { Connection } from '../connection.ts';
import { ChunkRows, copyChunks, endOfChunk, type SealedSeries } from './chunk-rows.ts';
import { removeChunks, type StoredChunk } from './stored-chunks.ts';

const mostBytes = 2 ** 23;
const mostRemoved = 4096;

/** Records of one series and week in order of time, which may be in one chunk. */
export interface Piece {
  readonly series: SealedSeries;
  readonly run: number;
  /** The highest of theirs. */
  readonly rank: Place;
  readonly columns: Columns;
  readonly from: number;
  readonly to: number;
}

export class ChunkChanges {
  readonly #connection: Connection;
  readonly #rows = new ChunkRows();
  readonly #removed = new Map<number, StoredChunk[]>();
  #removals = 0;
  /** By series, the next part of what is written of it now. */
  readonly #parts = new Map<number, number>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  add({ series, rank, columns, from, to }: Piece): void {
    for (let at = from; at < to; ) {
      const end = endOfChunk(columns, at, to);
      const part = this.#parts.get(series.id) ?? 0;
      this.#parts.set(series.id, part + 1);
      this.#rows.add(series, { ...rank, part }, columns, at, end);
      at = end;
    }
  }

  remove(chunk: StoredChunk): void {
    const week = weekOf(chunk.firstUs);
    const chunks = this.#removed.get(week) ?? [];
    this.#removed.set(week, chunks);
    chunks.push(chunk);
    this.#removals++;
  }

  /** Some of its records are gone. */
  replace(series: SealedSeries, chunk: StoredChunk, left: Columns): void {
    this.remove(chunk);
    if (left.count > 0) this.#rows.add(series, chunk, left, 0, left.count);
  }

  /** What is written of the series now comes behind this chunk, where they have the same rank. */
  follow(chunk: StoredChunk, rank: Place): void {
    if (comparePlaces(chunk, rank) !== 0) return;
    this.#parts.set(chunk.series, Math.max(this.#parts.get(chunk.series) ?? 0, chunk.part + 1));
  }

  /** Writes where there is much to write: between series, since what replaces something must not come before it is removed. */
  async writeMany(): Promise<void> {
    if (this.#rows.bytes >= mostBytes || this.#removals >= mostRemoved) await this.write();
  }

  async write(): Promise<void> {
    for (const [week, chunks] of this.#removed) await removeChunks(this.#connection, week, chunks);
    this.#removed.clear();
    this.#removals = 0;
    if (!this.#rows.isEmpty) await this.#connection.copyIn(copyChunks, this.#rows.take());
  }
}
