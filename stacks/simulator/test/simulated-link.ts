// A connector of the simulator with a host that does as little as it can: what it publishes is kept by name, and time
// stands still until a test moves it.

import type { Batch, Datatype, Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import type { Connector, StackCommand, StackPoint } from '@telltale/stack-kit';
import { accepted, connectorOptions } from '@telltale/stack-kit/testing';
import { createConnector } from '../src/connector.ts';

export interface Reading {
  /** Undefined where the reading carries none: the point keeps its own. */
  readonly value: number | bigint | string | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

interface Declared {
  readonly name: string;
  readonly address: string;
  readonly datatype?: Datatype;
  readonly last?: Value;
}

const variables = { scanPeriodMs: 500, speed: 1, seed: 1, bus: 'loopback' };

export class SimulatedLink {
  readonly clock: ManualClock;
  readonly connector: Connector;
  /** The newest reading of each measurement, and everything that was published, scan by scan. */
  readonly readings = new Map<string, Reading>();
  readonly scans: { readonly timeUs: number; readonly readings: Map<string, Reading> }[] = [];
  readonly warnings: string[] = [];
  /** Called while the connector publishes. */
  onScan: () => unknown = () => undefined;
  #names = new Map<number, string>();
  #commands = new Map<string, StackCommand>();
  #nextId = 1;
  #running: { controller: AbortController; ended: Promise<unknown> } | undefined;

  constructor(changed: Partial<typeof variables> = {}, clock = new ManualClock(), create = createConnector) {
    this.clock = clock;
    const silent = () => undefined;
    this.connector = create(
      connectorOptions({
        name: 'bench',
        variables: { ...variables, ...changed },
        clock,
        log: { debug: silent, info: silent, warn: (message) => this.warnings.push(message), error: silent },
        publish: (batch) => this.#keep(batch),
      }),
    );
  }

  /** Every point gets an id that no point had before. */
  setPoints(measurements: readonly Declared[], commands: readonly Declared[] = []): void {
    const point = ({ name, address, datatype = 'd' }: Declared): StackPoint => {
      return { id: this.#nextId++, name, address, datatype, properties: {} };
    };
    const points = measurements.map(point);
    this.#names = new Map(points.map(({ id, name }) => [id, name]));
    this.#commands = new Map(commands.map((each) => [each.name, { ...point(each), last: each.last }]));
    this.connector.setPoints({ measurements: points, commands: [...this.#commands.values()] });
  }

  async start(): Promise<void> {
    const controller = new AbortController();
    await this.connector.connect(controller.signal);
    const ended = this.connector.run(controller.signal).catch((error: unknown) => error);
    this.#running = { controller, ended };
  }

  /** Resolves with what `run` threw, if it did. */
  async lost(): Promise<unknown> {
    const error = await this.#running?.ended;
    await this.connector.close();
    return error;
  }

  async stop(): Promise<unknown> {
    this.#running?.controller.abort();
    return this.lost();
  }

  write(name: string, value: Value, signal = new AbortController().signal): Promise<void> {
    const command = this.#commands.get(name);
    if (command === undefined) throw new Error(`the test has no command ${name}`);
    return accepted(this.connector.write(command, value, signal));
  }

  value(name: string): Reading['value'] {
    return this.readings.get(name)?.value;
  }

  quality(name: string): number | undefined {
    return this.readings.get(name)?.quality;
  }

  #keep(batch: Batch): void {
    const readings = new Map<string, Reading>();
    for (let at = 0; at < batch.count; at++) {
      const name = this.#names.get(batch.points[at] ?? 0) ?? 'a point that is gone';
      const reading = { value: batch.valueAt(at), quality: batch.qualities[at] ?? 0, timeUs: batch.times[at] ?? 0 };
      readings.set(name, reading);
      this.readings.set(name, reading);
    }
    this.scans.push({ timeUs: this.clock.now(), readings });
    batch.clear();
    this.onScan();
  }
}
