// Alarms over measurements set by hand, a clock moved by hand and a disk that waits: what their tests stand on.
import { type Alarm, type Datatype, ManualClock, type Value } from '@telltale/schema';
import { Alarms } from '../src/alarms/index.ts';
import { PlainMeasurements } from './plain-measurements.ts';
import { SlowDisk } from './slow-disk.ts';

export class AlarmBench {
  readonly clock = new ManualClock(1_000_000_000);
  readonly measurements = new PlainMeasurements();
  readonly disk = new SlowDisk();
  readonly alarms: Alarms;
  /** What listeners heard: `name STATE authority timeUs`, or `name removed`. */
  readonly heard: string[] = [];

  constructor() {
    this.alarms = new Alarms({ measurements: this.measurements, keeper: this.disk, clock: this.clock });
    this.alarms.onChange((handle, isRemoved) => {
      const { name, state, authority, timeUs } = this.alarms.stateOf(handle);
      this.heard.push(isRemoved ? `${name} removed` : `${name} ${state} ${authority} ${timeUs}`);
    });
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
