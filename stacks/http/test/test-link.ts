// A connector with a host that does as little as it can: the newest reading of each measurement is kept by name.
import assert from 'node:assert/strict';
import type { Batch, Datatype, Value } from '@telltale/schema';
import type { BrowseAnswer, Connector, ConnectorOptions, ReadingTrace, StackPoint } from '@telltale/stack-kit';
import { accepted, connectorOptions } from '@telltale/stack-kit/testing';
import { createConnector } from '../src/connector.ts';
import type { ConnectorVariables } from '../src/connector-variables.ts';
import stack from '../src/stack.ts';

export interface Reading {
  readonly value: number | bigint | string | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

export interface TestPoint {
  readonly address: string;
  readonly datatype?: Datatype;
  readonly properties?: Readonly<Record<string, string>>;
}

export class TestLink {
  readonly connector: Connector;
  readonly readings = new Map<string, Reading>();
  readonly batches: string[][] = [];
  readonly warnings: string[] = [];
  /** What `run` has thrown. */
  lost: unknown;
  #points: StackPoint[] = [];
  #nextId = 1;
  #stop: (() => Promise<void>) | undefined;

  /** Over the defaults, with short times. */
  constructor(
    given: Readonly<Record<string, string>>,
    options: Partial<Omit<ConnectorOptions<ConnectorVariables>, 'variables'>> = {},
  ) {
    const role = stack.connector ?? assert.fail();
    const { values: variables, faults } = role.readVariables({ scanPeriodMs: '20', timeoutMs: '500', ...given });
    if (variables === undefined) throw new Error(`the test has wrong variables: ${JSON.stringify(faults)}`);
    const warn = (message: string) => this.warnings.push(message);
    const log = { debug: () => {}, info: () => {}, warn, error: warn };
    this.connector = createConnector(
      connectorOptions({ log, ...options, variables, publish: (batch) => this.#keep(batch) }),
    );
  }

  setPoints(points: Readonly<Record<string, TestPoint>>, hasCommands = false): void {
    this.#points = Object.entries(points).map(([name, { address, datatype = 'd', properties = {} }]) => {
      return { id: this.#nextId++, name, address, datatype, properties };
    });
    this.readings.clear();
    const command = {
      id: 0,
      name: 'written',
      address: 'PUT /x',
      datatype: 'd',
      properties: {},
      last: undefined,
    } as const;
    this.connector.setPoints({ measurements: this.#points, commands: hasCommands ? [command] : [] });
  }

  async start(): Promise<void> {
    const controller = new AbortController();
    this.#stop = async () => {
      controller.abort();
      await ended;
      await this.connector.close();
    };
    let ended: Promise<unknown> = Promise.resolve();
    await this.connector.connect(controller.signal);
    ended = this.connector.run(controller.signal).catch((error) => {
      this.lost = error;
    });
  }

  async stop(): Promise<void> {
    await this.#stop?.();
  }

  write(address: string, datatype: Datatype, value: Value, properties: Record<string, string> = {}): Promise<void> {
    const command = { id: 0, name: 'written', address, datatype, properties, last: undefined };
    return accepted(this.connector.write(command, value, new AbortController().signal));
  }

  value(name: string): Reading['value'] {
    return this.readings.get(name)?.value;
  }

  quality(name: string): number | undefined {
    return this.readings.get(name)?.quality;
  }

  explain(name: string): ReadingTrace | undefined {
    return this.connector.explain?.(this.#points.find((point) => point.name === name) ?? assert.fail());
  }

  async browse(path?: string, cursor?: string, limit = 100): Promise<BrowseAnswer> {
    const { browse } = this.connector;
    return (await browse?.call(this.connector, { path, cursor, limit }, new AbortController().signal)) ?? assert.fail();
  }

  #keep(batch: Batch): void {
    const names: string[] = [];
    for (let at = 0; at < batch.count; at++) {
      const point = this.#points.find(({ id }) => id === batch.points[at]);
      if (point === undefined) continue;
      names.push(point.name);
      const [quality, timeUs] = [batch.qualities[at] as number, batch.times[at] as number];
      this.readings.set(point.name, { value: batch.valueAt(at), quality, timeUs });
    }
    this.batches.push(names);
    if (this.batches.length > 1000) this.batches.splice(0, 900);
    batch.clear();
  }
}
