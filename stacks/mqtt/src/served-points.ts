// The points that a provider serves: the newest value of each, and which of them the broker does not have yet.
import { type Batch, form, quality, unstored, type Value } from '@telltale/schema';
import type { StackPoint, StackPoints } from '@telltale/stack-kit';

export interface Served {
  readonly point: StackPoint;
  readonly isCommand: boolean;
  /** Undefined before the first one. */
  value: Value | undefined;
  quality: number;
  timeUs: number;
}

export class ServedPoints {
  all: readonly Served[] = [];
  /** In the order in which they changed first. */
  readonly changed = new Set<Served>();
  #byId = new Map<number, Served>();

  /** Points whose name and datatype stay keep their values. A measurement and a command may have the same name. */
  setPoints({ measurements, commands }: StackPoints): void {
    const key = ({ name, datatype }: StackPoint, isCommand: boolean) => `${isCommand} ${datatype} ${name}`;
    const before = new Map(this.all.map((served) => [key(served.point, served.isCommand), served]));
    const serve = (isCommand: boolean) => (point: StackPoint) => {
      const known = before.get(key(point, isCommand));
      const { value, quality: last = quality.bad.notConnected, timeUs = 0 } = known ?? {};
      return { point, isCommand, value, quality: last, timeUs };
    };
    this.all = [...measurements.map(serve(false)), ...commands.map(serve(true))];
    this.#byId = new Map(this.all.map((served) => [served.point.id, served]));
    this.changed.clear();
  }

  take(batch: Batch): void {
    for (let at = 0; at < batch.count; at++) {
      const served = this.#byId.get(batch.points[at] ?? -1);
      if (served === undefined) continue;
      if (batch.forms[at] !== form.none) {
        const value = batch.valueAt(at);
        served.value = value === undefined ? undefined : unstored(served.point.datatype, value);
      }
      served.quality = batch.qualities[at] ?? 0;
      served.timeUs = batch.times[at] ?? 0;
      this.changed.add(served);
    }
  }

  /** All, those without a value too: what the broker has retained of them from before may not be true any more. */
  markAll(): void {
    for (const served of this.all) this.changed.add(served);
  }
}
