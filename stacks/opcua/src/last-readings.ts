// The newest reading of every point of a provider: what it serves from when it begins.
import { Batch, form, quality, type Value } from '@telltale/schema';
import type { StackPoints } from '@telltale/stack-kit';

interface Last {
  value: Value | undefined;
  quality: number;
  timeUs: number;
}

export class LastReadings {
  #byId = new Map<number, Last>();

  keepOnly({ measurements, commands }: StackPoints): void {
    const before = this.#byId;
    this.#byId = new Map();
    for (const { id } of [...measurements, ...commands]) {
      this.#byId.set(id, before.get(id) ?? { value: undefined, quality: quality.bad.notConnected, timeUs: 0 });
    }
  }

  take(batch: Batch): void {
    for (let at = 0; at < batch.count; at++) {
      const last = this.#byId.get(batch.points[at] ?? -1);
      if (last === undefined) continue;
      if (batch.forms[at] !== form.none) last.value = batch.valueAt(at);
      last.quality = batch.qualities[at] ?? 0;
      last.timeUs = batch.times[at] ?? 0;
    }
  }

  /** Of those that have one. */
  batch(): Batch {
    const batch = new Batch(this.#byId.size);
    for (const [id, { value, quality: q, timeUs }] of this.#byId) {
      if (timeUs === 0) continue;
      if (value === undefined) batch.none(id, q, timeUs);
      else batch.value(id, value, q, timeUs);
    }
    return batch;
  }
}
