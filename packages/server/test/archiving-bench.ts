// Live measurements and commands with the rules that archive them, over a clock moved by hand: what their tests stand on.
import assert from 'node:assert/strict';
import {
  type Alarm,
  Batch,
  type Command,
  formatPrefixed,
  type Measurement,
  quality,
  unstored,
  type Value,
} from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import type { SeriesKey } from '../src/archive/records.ts';
import { Archiving } from '../src/archive/rules/archiving.ts';
import type { ClockJump } from '../src/archive/rules/clock-watch.ts';
import type { RecordSink } from '../src/archive/rules/recorder.ts';
import { Commands, Measurements } from '../src/points/index.ts';
import { PlainDisk } from './plain-disk.ts';

/** A record as it was handed on; of alarms the value is the packed text. */
export type Handed = [name: string, value: string, timeUs: number, quality: number];

export class PlainSink implements RecordSink {
  readonly batch = new Batch(8);
  readonly sources: SeriesKey[] = [];
  readonly records: Handed[] = [];
  readonly #numbers = new Map<string, number>();

  refOf(key: SeriesKey): number {
    const text = JSON.stringify(key);
    const known = this.#numbers.get(text) ?? this.sources.push(key) - 1;
    this.#numbers.set(text, known);
    return known;
  }

  added(): void {
    const { batch } = this;
    assert.ok(batch.count > 0, 'nothing was added');
    for (let at = 0; at < batch.count; at++) {
      const { kind, name, datatype } = this.sources[batch.points[at] as number] as SeriesKey;
      const value = formatPrefixed(datatype, unstored(datatype, batch.valueAt(at) as number));
      const shown = kind === 'measurements' ? name : `${kind}/${name}`;
      this.records.push([shown, value, batch.times[at] as number, batch.qualities[at] as number]);
    }
    batch.clear();
  }
}

export class ArchivingBench {
  readonly clock = new ManualClock();
  readonly disk = new PlainDisk();
  readonly jumps: ClockJump[] = [];
  readonly points = new Map<string, Measurement>();
  sink = new PlainSink();
  measurements: Measurements;
  commands: Commands;
  archiving: Archiving;

  constructor() {
    [this.measurements, this.commands, this.archiving] = this.#create();
  }

  #create(): [Measurements, Commands, Archiving] {
    const { clock, disk: store, sink } = this;
    const measurements = new Measurements({ clock, store });
    const commands = new Commands({ clock, store, writeToDevice: async () => undefined });
    const onJump = (jump: ClockJump) => this.jumps.push(jump);
    const archiving = new Archiving({ clock, measurements, commands, sink, onJump });
    measurements.onChanges((changes) => archiving.onChanges(changes));
    commands.onChange((handle) => archiving.onCommand(handle));
    measurements.putLink('connector', 'c', undefined);
    measurements.setLink('connector', 'c', true, clock.now());
    return [measurements, commands, archiving];
  }

  /** The server ends and another one begins with what is on disk, and no object yet. */
  restart(): void {
    this.close();
    this.points.clear();
    [this.measurements, this.commands, this.archiving] = this.#create();
    this.measurements.restore(this.disk.simulations.values());
    this.commands.restore(this.disk.commands.values());
  }

  /** Of the connector c; every reading of it is a change. */
  put(point: Pick<Measurement, 'name' | 'datatype'> & Partial<Measurement>): void {
    const whole = { connectorName: 'c', address: 'a', stackUmask: 12, ...point };
    this.measurements.put(whole);
    this.points.set(point.name, whole);
    this.archiving.put('measurements', this.measurements.find(point.name), whole);
  }

  remove(name: string): void {
    if (!this.points.has(name)) return;
    this.archiving.remove('measurements', this.measurements.find(name), name);
    this.measurements.remove(name);
    this.points.delete(name);
  }

  putCommand(point: Command): void {
    this.commands.put(point);
    this.archiving.put('commands', this.commands.find(point.name), point);
  }

  putAlarm(alarm: Alarm): void {
    this.archiving.putAlarm(alarm);
  }

  read(name: string, value: Value, timeUs = this.clock.now(), status: number = quality.good): void {
    const batch = new Batch(8);
    batch.value(this.measurements.find(name), value, status, timeUs);
    this.measurements.readings('c', batch);
  }

  /** Readings of the past, of the connector that the others are of. */
  past(name: string, ...readings: readonly (readonly [value: Value | undefined, timeUs: number, status?: number])[]) {
    const batch = new Batch();
    for (const [value, timeUs, status = quality.good] of readings) {
      const handle = this.measurements.find(name);
      if (value === undefined) batch.none(handle, status, timeUs);
      else batch.value(handle, value, status, timeUs);
    }
    return this.archiving.onPast(this.measurements.pastReadings('c', batch));
  }

  /** All in one batch, at the same time. */
  scan(values: Readonly<Record<string, Value>>, timeUs = this.clock.now()): void {
    const batch = new Batch(8);
    for (const [name, value] of Object.entries(values)) {
      batch.value(this.measurements.find(name), value, quality.good, timeUs);
    }
    this.measurements.readings('c', batch);
  }

  simulate(name: string, value: string, status?: number): Promise<void> {
    return this.measurements.simulate(name, { value, quality: status, validForS: undefined, by: 'tester' });
  }

  /** What was handed on since the last time. */
  news(): Handed[] {
    const { counts } = this.archiving;
    const held = Object.values(counts.suppressed).reduce((sum, count) => sum + count, 0);
    assert.equal(counts.offered, counts.handedOn + held);
    return this.sink.records.splice(0);
  }

  close(): void {
    this.archiving.close();
    this.commands.close();
    this.measurements.close();
  }
}
