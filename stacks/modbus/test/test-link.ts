// A connector with a host that does as little as it can: the newest reading of each measurement is kept by name.
import type { Batch, Datatype, Value } from '@telltale/schema';
import type { Connector, InstanceDetail, ReadingTrace, StackPoint } from '@telltale/stack-kit';
import { accepted, connectorOptions } from '@telltale/stack-kit/testing';
import { createConnector } from '../src/connector.ts';
import stack from '../src/stack.ts';

export interface Reading {
  readonly value: number | bigint | string | undefined;
  readonly quality: number;
}

export class TestLink {
  readonly connector: Connector;
  readonly readings = new Map<string, Reading>();
  readonly warnings: string[] = [];
  /** What `run` has thrown. */
  lost: Error | undefined;
  #points = new Map<number, StackPoint>();
  #nextId = 1;
  #running: { readonly controller: AbortController; readonly ended: Promise<void> } | undefined;

  /** Over the defaults; the folder with certificates. */
  constructor(given: Readonly<Record<string, string | number | boolean>>, folder = '') {
    const texts = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
    const { values, faults } = stack.connector?.readVariables(texts) ?? {};
    if (values === undefined) throw new Error(`the test has wrong variables: ${JSON.stringify(faults)}`);
    const silent = () => {};
    const log = { debug: silent, info: silent, warn: (text: string) => this.warnings.push(text), error: silent };
    const publish = (batch: Batch) => this.#keep(batch);
    this.connector = createConnector(connectorOptions({ variables: values, folder, log, publish }));
    this.setPoints({});
  }

  /** Addresses and datatypes by name. */
  setPoints(points: Readonly<Record<string, readonly [string, Datatype]>>): void {
    const measurements = Object.entries(points).map(([name, [address, datatype]]) => {
      return { id: this.#nextId++, name, address, datatype, properties: {} };
    });
    this.#points = new Map(measurements.map((point) => [point.id, point]));
    this.readings.clear();
    this.connector.setPoints({ measurements, commands: [] });
  }

  async start(): Promise<void> {
    const controller = new AbortController();
    await this.connector.connect(controller.signal);
    const ended = this.connector.run(controller.signal).catch((error) => {
      this.lost = error;
    });
    this.#running = { controller, ended };
  }

  async stop(): Promise<void> {
    this.#running?.controller.abort();
    await this.#running?.ended;
    await this.connector.close();
  }

  write(address: string, datatype: Datatype, value: Value, signal = new AbortController().signal): Promise<void> {
    const command = { id: 0, name: 'written', address, datatype, properties: {}, last: undefined };
    return accepted(this.connector.write(command, value, signal));
  }

  values(): Record<string, Reading['value']> {
    return Object.fromEntries(Array.from(this.readings, ([name, { value }]) => [name, value]));
  }

  explain(name: string): ReadingTrace | undefined {
    for (const point of this.#points.values()) if (point.name === name) return this.connector.explain?.(point);
    return undefined;
  }

  detail(): InstanceDetail {
    return this.connector.detail?.() ?? {};
  }

  #keep(batch: Batch): void {
    for (let at = 0; at < batch.count; at++) {
      const name = this.#points.get(batch.points[at] ?? 0)?.name;
      if (name !== undefined) this.readings.set(name, { value: batch.valueAt(at), quality: batch.qualities[at] ?? 0 });
    }
    batch.clear();
  }
}
