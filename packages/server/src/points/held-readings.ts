// What a device says while its watchdog says that it is not to be believed: kept back, the newest a point, and brought
// out when the watchdog is content again.
import { Batch } from '@telltale/schema';
import type { StoredValue } from './convert.ts';
import { flag, type MeasurementTable } from './measurement-table.ts';

interface Reading {
  readonly value: StoredValue | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

export class HeldReadings {
  readonly #table: MeasurementTable;
  /** As the points were before the watchdog spoke. */
  readonly #before = new Map<number, { readonly quality: number; readonly timeUs: number }>();
  readonly #newest = new Map<number, Reading>();

  constructor(table: MeasurementTable, handles: Iterable<number>) {
    this.#table = table;
    for (const handle of handles) {
      const [quality = 0, timeUs] = [table.qualities[handle], table.timeOf(handle)];
      this.#before.set(handle, { quality, timeUs });
    }
  }

  /** Keeps back what belongs to linked points; what is left goes on. */
  hold(batch: Batch, watchdog: number): Batch {
    const rest = new Batch(8);
    for (let at = 0; at < batch.count; at++) {
      const point = batch.points[at] as number;
      const [value, quality = 0, timeUs = 0] = [batch.valueAt(at), batch.qualities[at], batch.times[at]];
      const isLinked = point < this.#table.capacity && ((this.#table.flags[point] ?? 0) & flag.linked) !== 0;
      if (isLinked && point !== watchdog) this.#newest.set(point, { value, quality, timeUs });
      else add(rest, point, { value, quality, timeUs });
    }
    return rest;
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
