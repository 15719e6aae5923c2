// Live measurements over a clock moved by hand and a disk in memory: what their tests stand on. Every read compares what
// the rest of the server reads with the bytes on the wire.
import assert from 'node:assert/strict';
import { Batch, formatPrefixed, type Measurement, quality, toTimestamp, unstored, type Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { Measurements, type SimulationRequest } from '../src/points/index.ts';
import { PlainDisk } from './plain-disk.ts';

export interface PlainReading {
  /** A name, or an id that may be nobody's. */
  readonly point: string | number;
  /** Undefined: a reading without a value. */
  readonly value: Value | undefined;
  readonly quality?: number;
  readonly timeUs?: number;
}

export type Vtq = [value: string, timeUs: number, quality: number];

export class PointsBench {
  readonly clock = new ManualClock(1_000_000_000_000);
  readonly disk = new PlainDisk();
  measurements: Measurements;
  /** Definitions that run. */
  readonly points = new Map<string, Measurement>();
  /** What listeners heard: the name and what could be read then. */
  #heard: [name: string, ...vtq: Vtq | ['removed', number]][] = [];

  constructor() {
    this.measurements = this.#create();
  }

  #create(): Measurements {
    const measurements = new Measurements({ clock: this.clock, store: this.disk });
    measurements.onChanges(({ handles, count }) => {
      const changed = handles.subarray(0, count);
      assert.equal(new Set(changed).size, count, 'a measurement stands twice in one call');
      for (const handle of changed) this.#heard.push([measurements.nameOf(handle), ...this.vtqAt(handle)]);
    });
    measurements.onRemoval((handle) => {
      this.#heard.push([measurements.nameOf(handle), 'removed', this.vtqAt(handle)[2]]);
    });
    return measurements;
  }

  /** The server ends and another one begins with what is on disk, and no point yet. */
  restart(): void {
    this.measurements.close();
    this.points.clear();
    this.measurements = this.#create();
    this.measurements.restore(this.disk.simulations.values());
  }

  put(point: Measurement): void {
    this.measurements.put(point);
    this.points.set(point.name, point);
  }

  remove(name: string): void {
    this.measurements.remove(name);
    this.points.delete(name);
  }

  read(connector: string, ...readings: readonly PlainReading[]): void {
    const batch = new Batch(8);
    for (const { point, value, quality: q = quality.good, timeUs = this.clock.now() } of readings) {
      const id = typeof point === 'number' ? point : this.measurements.find(point);
      if (value === undefined) batch.none(id, q, timeUs);
      else batch.value(id, value, q, timeUs);
    }
    this.measurements.readings(connector, batch);
  }

  simulate(name: string, request: Partial<SimulationRequest> & { value: string }): Promise<void> {
    return this.measurements.simulate(name, { quality: undefined, validForS: undefined, by: 'tester', ...request });
  }

  vtq(name: string): Vtq {
    return this.vtqAt(this.measurements.find(name));
  }

  vtqAt(handle: number): Vtq {
    const { measurements } = this;
    const datatype = measurements.datatypeOf(handle);
    const value = formatPrefixed(datatype, unstored(datatype, measurements.valueOf(handle)));
    const [timeUs, q] = [measurements.timeOf(handle), measurements.qualityOf(handle)];
    const { vtq } = JSON.parse(measurements.wire.object(handle).toString()) as { vtq: unknown };
    assert.deepEqual(vtq, [value, toTimestamp(timeUs), q]);
    return [value, timeUs, q];
  }

  /** What was heard since the last time. */
  news(): unknown[] {
    return this.#heard.splice(0);
  }
}

/** A point of the connector c whose link is up. */
export function benchWith(point: Omit<Measurement, 'name'>): PointsBench {
  const bench = new PointsBench();
  bench.measurements.putLink('connector', 'c', undefined);
  bench.measurements.setLink('connector', 'c', true, bench.clock.now());
  bench.put({ name: 'p', connectorName: 'c', address: 'a', ...point });
  bench.news();
  return bench;
}

/** What a promise rejects with: the word of its problem. */
export async function problemOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return (error as { problem?: string }).problem ?? String(error);
  }
  return 'none';
}
