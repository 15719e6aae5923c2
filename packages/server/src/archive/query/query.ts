// What the thread that reads serves: an answer page by page, made of the names of a request, one after the other.
import { type Damage, Damaged } from '../files/damage.ts';
import type { Columns, Series } from '../records.ts';
import type { Snapshot } from '../store/snapshot.ts';
import type { Arrival, Block, Chunk } from './block.ts';
import type { PageBuffers } from './page.ts';
import type { Interval, NameContext } from './record-cursor.ts';

export interface Query {
  /** The name whose snapshot must be given before a page is asked for. */
  readonly wanted: string | undefined;
  /** What is older is not looked at; it may rise while the query goes on. */
  readonly sinceUs: number;
  /** Everything was given. */
  readonly isOver: boolean;
  /** The last `next` ended since it needs this first; undefined where it needs nothing. */
  readonly awaited: Arrival | undefined;
  /** Of the name that is wanted; undefined where the archive does not know it. Throws a problem. */
  give(snapshot: Snapshot | undefined): void;
  /** Works for about so long, or until a page is full. Returns the next page, maybe empty; undefined at the end. */
  next(turnMs?: number): Uint8Array<ArrayBuffer> | undefined;
}

export interface QueryOptions {
  /** Opens a block, or has it open; the next call may close it. May throw `Damaged`. */
  readonly blockOf: (path: string) => Block;
  /** Records were left out, since they cannot be read. */
  readonly onDamage: (damage: Damage) => void;
  readonly buffers?: PageBuffers;
  /** That goes on by itself. */
  readonly nowMs?: () => number;
  /** Steps between two looks at the time. */
  readonly stepsATime?: number;
}

export const usualTurnMs = 8;
/** A step takes some microseconds, and asking for the time is not free. */
export const usualStepsATime = 8;

/** What cannot be read is reported, and left out; what is on its way is awaited. */
export class QueryContext implements NameContext {
  awaited: Arrival | undefined;
  readonly #options: QueryOptions;

  constructor(options: QueryOptions) {
    this.#options = options;
  }

  blockOf(path: string): Block | undefined {
    try {
      return this.#options.blockOf(path);
    } catch (error) {
      this.#leaveOut(error);
      return undefined;
    }
  }

  chunksIn(block: Block | undefined, { number }: Series, { sinceUs, untilUs }: Interval): readonly Chunk[] | undefined {
    try {
      const chunks = block?.chunksOf(number, sinceUs, untilUs) ?? [];
      if (!(chunks instanceof Promise)) return chunks;
      this.awaited = chunks;
      return undefined;
    } catch (error) {
      this.#leaveOut(error);
      return [];
    }
  }

  read(block: Block, series: Series, chunk: Chunk, into: Columns): boolean {
    into.clear();
    try {
      this.awaited = block.read(series, chunk, into);
    } catch (error) {
      this.#leaveOut(error);
      into.clear();
    }
    return this.awaited === undefined;
  }

  #leaveOut(error: unknown): void {
    if (!(error instanceof Damaged)) throw error;
    this.#options.onDamage(error.damage);
  }
}
