// The newest reading of every point of a provider: what it serves from when it begins.
import { Batch, form, quality, type Value } from '@telltale/schema';
import type { StackPoint, StackPoints } from '@telltale/stack-kit';

interface Last {
  /** Whose reading it is: the id alone may be another's by now, or its datatype another one. */
  readonly name: string;
  readonly datatype: StackPoint['datatype'];
  value: Value | undefined;
  quality: number;
  timeUs: number;
}

const nothing = { value: undefined, quality: quality.bad.notConnected, timeUs: 0 } as const;

export class LastReadings {
  #byId = new Map<number, Last>();

  keepOnly({ measurements, commands }: StackPoints): void {
    const before = this.#byId;
    this.#byId = new Map();
    for (const { id, name, datatype } of [...measurements, ...commands]) {
      const last = before.get(id);
      const isSame = last?.name === name && last.datatype === datatype;
      this.#byId.set(id, isSame ? last : { name, datatype, ...nothing });
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

  /** A batch of the one, or an empty one where there is none. */
  of(id: number): Batch {
    const batch = new Batch(1);
    const { value, quality: q, timeUs } = this.#byId.get(id) ?? nothing;
    if (timeUs === 0) return batch;
    if (value === undefined) batch.none(id, q, timeUs);
    else batch.value(id, value, q, timeUs);
    return batch;
  }
}
