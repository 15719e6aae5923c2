// Readings of a device whose watchdog reports that it is not there: the newest of each point is held back, and released
// when the watchdog is healthy again.
import { Batch } from '@telltale/schema';
import type { ChainCounts } from './measurement-chain.ts';
import { flag } from './measurement-layout.ts';
import type { MeasurementTable } from './measurement-table.ts';
import type { PointStatus, Reading } from './reading.ts';

export class HeldReadings {
  readonly #table: MeasurementTable;
  /** As the points were before the watchdog reported it. */
  readonly #before: Map<number, PointStatus>;
  readonly #newest = new Map<number, Reading>();
  readonly #counts: ChainCounts;

  constructor(table: MeasurementTable, before: Map<number, PointStatus>, counts: ChainCounts) {
    this.#table = table;
    this.#counts = counts;
    this.#before = before;
  }

  /** Holds back what belongs to linked points; the rest passes. */
  hold(batch: Batch, connector: number, watchdog: number): Batch {
    const rest = new Batch(8);
    for (let at = 0; at < batch.count; at++) {
      const point = batch.points[at] as number;
      const [value, quality = 0, timeUs = 0] = [batch.valueAt(at), batch.qualities[at], batch.times[at]];
      if (point !== watchdog && this.#isLinked(point, connector)) {
        this.#discardNewest(point);
        this.#newest.set(point, { value, quality, timeUs });
      } else add(rest, point, { value, quality, timeUs });
    }
    return rest;
  }

  /** The point is another one now, or none: what was read of it counts no longer. */
  forget(point: number): void {
    this.#before.delete(point);
    this.#discardNewest(point);
  }

  /** The link was lost: nothing from before it counts. */
  forgetAll(): void {
    this.#before.clear();
    for (const point of [...this.#newest.keys()]) this.#discardNewest(point);
  }

  #isLinked(point: number, connector: number): boolean {
    const table = this.#table;
    if (point >= table.capacity || table.connectorOf(point) !== connector) return false;
    return (table.flagsOf(point) & flag.linked) !== 0;
  }

  #discardNewest(point: number): void {
    if (this.#newest.delete(point)) this.#counts.superseded++;
  }

  /** The newest reading of a point that is held back. */
  newestOf(point: number): Reading | undefined {
    return this.#newest.get(point);
  }

  /** The newest readings, to go through the chain. */
  readings(): Batch {
    const batch = new Batch(this.#newest.size);
    for (const [point, reading] of this.#newest) add(batch, point, reading);
    return batch;
  }

  /** The points of which nothing was read meanwhile, as they were. */
  *unread(): Generator<{ handle: number; quality: number; timeUs: number }> {
    for (const [handle, { quality, timeUs }] of this.#before) {
      if (!this.#newest.has(handle)) yield { handle, quality, timeUs };
    }
  }
}

function add(batch: Batch, point: number, { value, quality, timeUs }: Reading): void {
  if (value === undefined) batch.none(point, quality, timeUs);
  else batch.value(point, value, quality, timeUs);
}
