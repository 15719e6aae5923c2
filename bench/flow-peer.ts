// The peer of the flow benchmark: one hand-written loop that does the same for the same points. A point is a plain object
// found by its number, which has all that the chain, its alarm and the archive need; updates are objects until they are
// written by JSON.stringify. It knows no conversions, delays, simulations, links or leaders.
import { type Alarm, Batch, type BatchMessage, form, type Measurement } from '@telltale/schema';
import type { Flow } from './flow-plant.ts';

const simulated = 0x100;

class PeerPoint {
  readonly name: string;
  readonly datatype: Measurement['datatype'];
  value: number | string = 0;
  quality = 0x08;
  timeUs = 0;
  readonly isScaled: boolean;
  readonly rawLo: number;
  readonly rawHi: number;
  readonly euLo: number;
  readonly euHi: number;
  readonly deadband: number;
  readonly hasAlarm: boolean;
  readonly limit: number;
  readonly hysteresis: number;
  isActive = false;
  readonly archiveDeadband: number;
  archivedValue: number | string = 0;
  archivedUs = 0;
  watcher: Update[] | undefined;

  constructor(point: Measurement, alarm: Alarm | undefined) {
    const { name, datatype, rawRangeLo, rawRangeHi, euRangeLo, euRangeHi, deadband = '0' } = point;
    this.name = name;
    this.datatype = datatype;
    this.isScaled = rawRangeLo !== undefined;
    this.rawLo = Number(rawRangeLo ?? Number.NEGATIVE_INFINITY);
    this.rawHi = Number(rawRangeHi ?? Number.POSITIVE_INFINITY);
    this.euLo = Number(euRangeLo ?? 0);
    this.euHi = Number(euRangeHi ?? 0);
    const isRelative = deadband.endsWith('%');
    this.deadband = isRelative ? (Number.parseFloat(deadband) / 100) * (this.euHi - this.euLo) : Number(deadband);
    this.hasAlarm = alarm !== undefined;
    this.limit = Number(alarm?.trgRefValue ?? 0);
    this.hysteresis = Number(alarm?.trgHysteresis ?? 0);
    this.archiveDeadband = Number(point.archValueDeadband ?? 0);
  }
}

interface Update {
  readonly name: string;
  readonly vtq: readonly [value: string, time: readonly [number, number], quality: number];
}

export class FlowPeer implements Flow {
  readonly outcome = { changed: 0, records: 0, transitions: 0, updates: 0 };
  /** The message that went out last. */
  sent = Buffer.alloc(0);
  readonly #points: PeerPoint[] = [];
  readonly #watchers: Update[][] = [];
  readonly #records = new Batch(1024);

  put(point: Measurement, alarm: Alarm | undefined): void {
    this.#points.push(new PeerPoint(point, alarm));
  }

  /** One more client watches these. */
  watch(numbers: readonly number[]): void {
    const updates: Update[] = [];
    this.#watchers.push(updates);
    for (const number of numbers) (this.#points[number] as PeerPoint).watcher = updates;
  }

  apply(message: BatchMessage): void {
    const batch = Batch.from(message);
    for (let at = 0; at < batch.count; at++) {
      const number = batch.points[at] as number;
      const value = batch.forms[at] === form.text ? (batch.texts[at] as string) : (batch.numbers[at] as number);
      this.#read(number, value, (batch.qualities[at] as number) & ~simulated, batch.times[at] as number);
    }
  }

  /** Every client gets one message of what changed of its points; the records are handed on. */
  flush(): void {
    for (const updates of this.#watchers) {
      if (updates.length === 0) continue;
      this.sent = Buffer.from(JSON.stringify({ notification: 'MeasurementUpdateNotification', updates }));
      this.outcome.updates += updates.length;
      updates.length = 0;
    }
    this.outcome.records += this.#records.take().count;
  }

  #read(number: number, given: number | string, status: number, timeUs: number): void {
    const point = this.#points[number] as PeerPoint;
    let value = given;
    let quality = status;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) return;
      if (point.isScaled) {
        const { rawLo, rawHi, euLo, euHi } = point;
        if (value < rawLo) quality = 0x55;
        else if (value > rawHi) quality = 0x56;
        value = euLo + ((value - rawLo) * (euHi - euLo)) / (rawHi - rawLo);
      }
    }
    if (quality === point.quality) {
      if (value === point.value) return;
      if (typeof value === 'number' && Math.abs(value - (point.value as number)) < point.deadband) return;
    }
    point.value = value;
    point.quality = quality;
    point.timeUs = timeUs;
    this.outcome.changed++;
    this.#archive(number, point, value);
    if (point.hasAlarm) this.#evaluate(point, value as number);
    if (point.watcher !== undefined) {
      const seconds = Math.floor(timeUs / 1_000_000);
      point.watcher.push({
        name: point.name,
        vtq: [point.datatype + value, [seconds, timeUs - seconds * 1_000_000], quality],
      });
    }
  }

  #archive(number: number, point: PeerPoint, value: number | string): void {
    const { archivedValue, archiveDeadband, quality, timeUs } = point;
    if (timeUs <= point.archivedUs) return;
    if (typeof value === 'number') {
      if (Math.abs(value - (archivedValue as number)) < archiveDeadband) return;
      this.#records.number(number, value, quality, timeUs);
    } else this.#records.text(number, value, quality, timeUs);
    point.archivedValue = value;
    point.archivedUs = timeUs;
  }

  #evaluate(point: PeerPoint, value: number): void {
    const isActive = point.isActive ? value > point.limit - point.hysteresis : value > point.limit;
    if (isActive === point.isActive) return;
    point.isActive = isActive;
    this.outcome.transitions++;
  }
}
