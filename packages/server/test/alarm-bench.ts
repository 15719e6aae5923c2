// Alarms over measurements set by hand, a clock moved by hand and a disk that waits: what their tests stand on.
import type { Alarm, Datatype, Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { Alarms, type StoredAlarm } from '../src/alarms/index.ts';
import { PlainMeasurements } from './plain-measurements.ts';
import { SlowDisk } from './slow-disk.ts';

export class AlarmBench {
  readonly clock = new ManualClock(1_000_000_000);
  readonly measurements = new PlainMeasurements();
  disk: SlowDisk;
  alarms: Alarms;
  /** What listeners heard: `name STATE authority timeUs`, or `name removed`. */
  readonly heard: string[] = [];

  constructor() {
    [this.disk, this.alarms] = this.#start(new Map());
  }

  /** What was not on disk is lost. */
  crash(): void {
    void this.alarms.close();
    [this.disk, this.alarms] = this.#start(this.disk.alarms);
  }

  #start(stored: ReadonlyMap<string, StoredAlarm>): [SlowDisk, Alarms] {
    const disk = new SlowDisk(stored);
    const alarms = new Alarms({ measurements: this.measurements, store: disk, clock: this.clock });
    alarms.onChange((handle, isRemoved) => {
      const { name, state, authority, timeUs } = alarms.stateOf(handle);
      this.heard.push(isRemoved ? `${name} removed` : `${name} ${state} ${authority} ${timeUs}`);
    });
    alarms.restore(stored.values());
    return [disk, alarms];
  }

  /** A measurement m, and an alarm a that it triggers: above 10 where nothing else is said. */
  with(datatype: Datatype, alarm: Partial<Alarm> = {}): this {
    this.measurements.add('m', datatype);
    this.alarms.put(triggered({ ...alarm }));
    return this;
  }

  set(name: string, value: Value, q?: number, timeUs?: number): void {
    this.alarms.evaluate(this.measurements.set(name, value, q, timeUs));
  }

  stateOf(name: string): string {
    return this.alarms.stateOf(this.alarms.find(name)).state;
  }

  /** What was heard since the last time. */
  news(): string[] {
    return this.heard.splice(0);
  }
}

export function triggered(fields: Partial<Alarm> = {}): Alarm {
  return { name: 'a', severity: 1, trgMeasurement: 'm', trgOperator: 'gt', trgRefValue: '10', ...fields };
}
