// A measurement as the connector scans it: how it is read, and what it stands still at while it is frozen.
import type { Batch } from '@telltale/schema';
import type { StackPoint } from '@telltale/stack-kit';

export interface Scan {
  /** Of the time of day, which its readings have. */
  readonly timeUs: number;
  /** Of the monotonic clock: delays and faults go by it. */
  readonly monotonicMs: number;
  /** Simulated: of the time of day, and since the connector was made. */
  readonly clockSeconds: number;
  readonly elapsedSeconds: number;
}

/** Puts one reading into the batch, and makes no garbage. */
export type Read = (batch: Batch, id: number, scan: Scan) => void;

export interface Item {
  /** Its id may change while it stays. */
  point: StackPoint;
  readonly read: Read;
  /** Points that show faults are not struck by them. */
  readonly strikable: boolean;
  /** The reading, by its position in a batch, that it stands still at. */
  held: { readonly batch: Batch; readonly at: number } | undefined;
}

/** Makes the item stand still at what it reads at this scan; the reading is put into the batch. */
export function hold(item: Item, batch: Batch, scan: Scan): void {
  const at = batch.count;
  item.read(batch, item.point.id, scan);
  item.held = { batch, at };
}

export function putHeld({ point, held }: Item, batch: Batch, timeUs: number): void {
  if (held === undefined) return;
  const { batch: from, at } = held;
  const quality = from.qualities[at] as number;
  const value = from.valueAt(at);
  if (value === undefined) batch.none(point.id, quality, timeUs);
  else batch.value(point.id, value, quality, timeUs);
}
