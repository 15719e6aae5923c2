// A connector of the stack that a test runs: its readings by name, and everything given back in the end.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch, Datatype, Value } from '@telltale/schema';
import type { Connector, ConnectorOptions, StackPoint, StackPoints } from '@telltale/stack-kit';
import { accepted, connectorOptions, until } from '@telltale/stack-kit/testing';
import { createConnector } from '../src/connector.ts';
import stack from '../src/stack.ts';
import type { ConnectorVariables } from '../src/variables.ts';

export interface Reading {
  readonly value: Value | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

export interface Sample {
  readonly name: string;
  readonly address: string;
  readonly datatype: Datatype;
  readonly properties?: Readonly<Record<string, string>>;
}

export class RunningConnector {
  readonly connector: Connector;
  readonly readings = new Map<string, Reading>();
  readonly batches: number[] = [];
  readonly answers = { answered: 0, failed: 0 };
  readonly #controller = new AbortController();
  #names = new Map<number, string>();
  #points: StackPoints = { measurements: [], commands: [] };
  #ended: Promise<void> | undefined;

  constructor(variables: Readonly<Record<string, string>>, given: Partial<ConnectorOptions<ConnectorVariables>> = {}) {
    const read = stack.connector?.readVariables(variables);
    if (read?.values === undefined) throw new Error(JSON.stringify(read?.faults));
    this.connector = createConnector(
      connectorOptions({
        variables: read.values,
        publish: (batch) => this.#take(batch),
        meter: { answered: () => this.answers.answered++, failed: () => this.answers.failed++, overrun: () => {} },
        ...given,
      }),
    );
  }

  setPoints(measurements: readonly Sample[], commands: readonly Sample[] = []): void {
    const point = (base: number) => (sample: Sample, index: number) => ({
      properties: {},
      ...sample,
      id: base + index,
    });
    const points = measurements.map(point(0));
    this.#points = {
      measurements: points,
      commands: commands.map(point(points.length)).map((each) => ({ ...each, last: undefined })),
    };
    this.#names = new Map(points.map(({ id, name }) => [id, name]));
    this.connector.setPoints(this.#points);
  }

  async start(): Promise<void> {
    await this.connector.connect(this.#controller.signal);
    this.#ended = this.#live();
  }

  /** As the server does it, but for the pauses: a link that is lost is made again. */
  async #live(): Promise<void> {
    const { signal } = this.#controller;
    while (!signal.aborted) {
      try {
        await this.connector.run(signal);
      } catch {
        await this.connector.close();
        await sleep(20);
        await this.connector.connect(signal).catch(() => undefined);
      }
    }
  }

  point(name: string): StackPoint {
    const found = this.#points.measurements.find((each) => each.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  }

  async write(name: string, value: Value, signal = new AbortController().signal): Promise<void> {
    const command = this.#points.commands.find((each) => each.name === name);
    if (command === undefined) throw new Error(name);
    await accepted(this.connector.write(command, value, signal));
  }

  async until(name: string, isSo: (reading: Reading) => boolean): Promise<Reading> {
    const found = () => this.readings.get(name);
    await until(`${name} ${isSo}`, () => {
      const reading = found();
      return reading !== undefined && isSo(reading);
    });
    return found() as Reading;
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    await this.#ended;
    await this.connector.close();
  }

  #take(batch: Batch): void {
    for (let at = 0; at < batch.count; at++) {
      const name = this.#names.get(batch.points[at] ?? -1);
      if (name === undefined) continue;
      const value = batch.valueAt(at) ?? this.readings.get(name)?.value;
      this.readings.set(name, { value, quality: batch.qualities[at] ?? -1, timeUs: batch.times[at] ?? 0 });
    }
    this.batches.push(batch.count);
    batch.clear();
  }
}
