// Pending readings, the newest of each point, while their receiver is slow or the link is not yet reported up.
import { Batch, form } from '@telltale/schema';

/** Superseded readings are swept out when they are more than those that count, and this many. */
const sweepFrom = 1024;

export class NewestReadings {
  /** By point, in the order of the newest readings. */
  #positions = new Map<number, number>();
  #batch = new Batch();

  get size(): number {
    return this.#positions.size;
  }

  /** Takes readings over, of known points only. Returns how many of all, older or of unknown points, are passed over. */
  add(readings: Batch, isKnown: (point: number) => boolean): number {
    let passedOver = 0;
    for (let at = 0; at < readings.count; at++) {
      const point = readings.points[at] as number;
      if (!isKnown(point)) {
        passedOver++;
        continue;
      }
      const older = this.#positions.get(point);
      if (older !== undefined) {
        passedOver++;
        this.#positions.delete(point);
      }
      this.#positions.set(point, this.#batch.count);
      // A reading without a value keeps the point's: that is the one which it supersedes here.
      const retained = older === undefined || readings.forms[at] !== form.none ? undefined : this.#batch.valueAt(older);
      if (retained === undefined) this.#batch.copy(readings, at);
      else this.#batch.value(point, retained, readings.qualities[at] as number, readings.times[at] as number);
    }
    if (this.#batch.count > 2 * this.size + sweepFrom) this.#sweep();
    return passedOver;
  }

  /** Everything that waits; nothing waits afterwards. */
  take(): Batch {
    this.#sweep();
    const batch = this.#batch;
    this.#batch = new Batch();
    this.#positions = new Map();
    return batch;
  }

  #sweep(): void {
    const swept = new Batch(this.size);
    for (const [point, at] of this.#positions) {
      this.#positions.set(point, swept.count);
      swept.copy(this.#batch, at);
    }
    this.#batch = swept;
  }
}
