// The points that a provider serves, each with its newest value, which outlives a change of the points.
import { type Batch, quality, unstored, type Value } from '@telltale/schema';
import type { StackPoint, StackPoints } from './connector.ts';

export interface ServedPoint {
  readonly point: StackPoint;
  readonly isCommand: boolean;
  /** Undefined before the first one, and of a command that was never written. */
  value: Value | undefined;
  quality: number;
  timeUs: number;
}

export class ServedPoints {
  /** Measurements, then commands. */
  all: readonly ServedPoint[] = [];
  #byId = new Map<number, ServedPoint>();

  get(id: number): ServedPoint | undefined {
    return this.#byId.get(id);
  }

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
  }

  /** Calls `onTaken` after each reading: a batch may have several of a point. */
  take(batch: Batch, onTaken: (served: ServedPoint) => void = () => {}): void {
    for (let at = 0; at < batch.count; at++) {
      const served = this.#byId.get(batch.points[at] as number);
      if (served === undefined) continue;
      const value = batch.valueAt(at);
      if (value !== undefined) served.value = unstored(served.point.datatype, value);
      served.quality = batch.qualities[at] as number;
      served.timeUs = batch.times[at] as number;
      if (served.isCommand && served.timeUs === 0) served.value = undefined;
      onTaken(served);
    }
  }
}
