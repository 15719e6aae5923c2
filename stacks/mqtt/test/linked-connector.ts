// A connector with a host that does as little as it can: what it publishes is kept by name.
import { type Batch, type Clock, type Datatype, systemClock, type Value } from '@telltale/schema';
import type { Connector, StackCommand, StackPoint } from '@telltale/stack-kit';
import { accepted, connectorOptions, until } from '@telltale/stack-kit/testing';
import { createConnector } from '../src/connector.ts';
import stack from '../src/stack.ts';

export interface Reading {
  /** The last that came; a reading without a value keeps it. */
  readonly value: Value | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

export interface Declared {
  readonly name: string;
  readonly address: string;
  readonly datatype?: Datatype;
  readonly properties?: Record<string, string>;
  readonly eu?: string;
  readonly euRange?: readonly [number, number];
  readonly description?: string;
}

export interface LinkedOptions {
  readonly vars: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly clock?: Clock;
  readonly maxClockSkewMs?: number;
}

/** Variables beside the port, and the rest. */
export type LinkTo = [vars?: Readonly<Record<string, string>>, options?: Omit<LinkedOptions, 'vars'>];

export class LinkedConnector {
  readonly connector: Connector;
  readonly readings = new Map<string, Reading>();
  readonly history: [string, Reading][] = [];
  readonly warnings: string[] = [];
  overruns = 0;
  /** Published while it connected, of the last time: the host keeps the newest of each point alone. */
  early = 0;
  #points = new Map<number, StackPoint>();
  #commands = new Map<string, StackCommand>();
  #nextId = 1;
  #running: { controller: AbortController; ended: Promise<unknown> } | undefined;

  static to({ port }: { readonly port: number }, ...[vars = {}, options = {}]: LinkTo): LinkedConnector {
    return new LinkedConnector({ vars: { port: `${port}`, ...vars }, ...options });
  }

  constructor({ vars, folder = 'none', clock = systemClock, maxClockSkewMs = 60_000 }: LinkedOptions) {
    const { values, faults } = stack.connector?.readVariables({ timeoutMs: '500', pingAfterMs: '200', ...vars }) ?? {};
    if (values === undefined) throw new Error(JSON.stringify(faults));
    const quiet = () => {};
    this.connector = createConnector(
      connectorOptions({
        variables: values,
        folder,
        clock,
        maxClockSkewMs,
        meter: { answered: quiet, failed: quiet, overrun: () => this.overruns++ },
        log: { debug: quiet, info: quiet, warn: (text) => this.warnings.push(text), error: quiet },
        publish: (batch) => this.#keep(batch),
      }),
    );
  }

  /** Points keep their ids for as long as their names are there. */
  setPoints(measurements: readonly Declared[], commands: readonly Declared[] = []): void {
    const known = new Map([...this.#points.values()].map(({ name, id }) => [name, id]));
    const point = ({ name, address, datatype = 'd', properties = {} }: Declared): StackPoint => {
      return { id: known.get(name) ?? this.#nextId++, name, address, datatype, properties };
    };
    const points = measurements.map(point);
    this.#points = new Map(points.map((each) => [each.id, each]));
    this.#commands = new Map(commands.map((each) => [each.name, { ...point(each), last: undefined }]));
    this.connector.setPoints({ measurements: points, commands: [...this.#commands.values()] });
  }

  async start(): Promise<void> {
    const controller = new AbortController();
    const before = this.history.length;
    try {
      await this.connector.connect(controller.signal);
      this.early = this.history.length - before;
    } catch (error) {
      await this.connector.close();
      throw error;
    }
    const ended = this.connector.run(controller.signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    this.#running = { controller, ended };
  }

  /** Resolves with what `run` threw. */
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
    if (command === undefined) throw new Error(`no command ${name}`);
    return accepted(this.connector.write(command, value, signal));
  }

  point(name: string): StackPoint {
    const found = [...this.#points.values()].find((each) => each.name === name);
    if (found === undefined) throw new Error(`no measurement ${name}`);
    return found;
  }

  explain(name: string) {
    return this.connector.explain?.(this.point(name));
  }

  /** Until the newest reading is this value and quality. */
  shows(name: string, value: Value | undefined, quality = 0xc0): Promise<void> {
    return until(
      `${name} shows ${value}, quality ${quality}; it shows ${describe(this.readings.get(name))}`,
      () => {
        const reading = this.readings.get(name);
        return reading?.value === value && reading?.quality === quality;
      },
      { deadlineMs: 5000 },
    ).catch((error) => {
      throw new Error(`${error.message}; in the end ${describe(this.readings.get(name))}`);
    });
  }

  #keep(batch: Batch): void {
    for (let at = 0; at < batch.count; at++) {
      const point = this.#points.get(batch.points[at] ?? 0);
      if (point === undefined) continue;
      const raw = batch.valueAt(at);
      const value = raw === undefined ? this.readings.get(point.name)?.value : point.datatype === 'b' ? raw === 1 : raw;
      const reading = { value, quality: batch.qualities[at] ?? 0, timeUs: batch.times[at] ?? 0 };
      this.readings.set(point.name, reading);
      this.history.push([point.name, reading]);
    }
    batch.clear();
  }
}

function describe(reading: Reading | undefined): string {
  return reading === undefined ? 'nothing' : `${reading.value}, quality ${reading.quality}`;
}
