// A connector of the stack with a host that does as little as it can: what it publishes is kept by name.
import assert from 'node:assert/strict';
import { type Batch, type Clock, type Datatype, systemClock, type Value } from '@telltale/schema';
import type { Connector, StackCommand } from '@telltale/stack-kit';
import { accepted, connectorOptions, until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { createConnector } from '../src/connector.ts';
import stack from '../src/stack.ts';
import { UaDevice } from './ua-device.ts';

export interface Reading {
  readonly value: number | bigint | string | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

interface Wanted {
  readonly datatype: Datatype;
  /** Of the node at the device; the key where it is left out. */
  readonly node?: string;
  readonly address?: string;
  readonly properties?: Record<string, string>;
}

const quick = { securityMode: 'None', publishingIntervalMs: '50', samplingIntervalMs: '20', keepAliveMs: '200' };

export class UaBench {
  readonly #cleanup = new AsyncDisposableStack();
  readonly folder = temporaryFolder(this.#cleanup);
  readonly readings = new Map<string, Reading>();
  readonly log: string[] = [];
  readonly connector: Connector;
  /** The values that came of each, in their order. */
  readonly values = new Map<string, Reading['value'][]>();
  /** How many requests were answered. */
  answered = 0;
  #names: string[] = [];
  #running: { readonly controller: AbortController; readonly ended: Promise<unknown> } | undefined;

  /** `variables` on top of such as make tests quick, or none of these. */
  constructor(
    device: { readonly port: number },
    variables: Record<string, string> | 'as they are' = {},
    clock: Clock = systemClock,
  ) {
    const endpointUrl = `opc.tcp://127.0.0.1:${device.port}`;
    const given = variables === 'as they are' ? { securityMode: 'None' } : { ...quick, ...variables };
    const read = stack.connector?.readVariables({ endpointUrl, ...given });
    if (read?.values === undefined) throw new Error(JSON.stringify(read?.faults));
    const log = (message: string) => this.log.push(message);
    this.connector = createConnector(
      connectorOptions({
        variables: read.values as Parameters<typeof createConnector>[0]['variables'],
        folder: this.folder,
        clock,
        meter: { answered: () => this.answered++, failed: () => undefined, overrun: () => undefined },
        log: { debug: log, info: log, warn: log, error: log },
        publish: (batch) => this.#keep(batch),
      }),
    );
    this.#cleanup.defer(() => this.connector.close());
  }

  setPoints(wanted: Record<string, Wanted>): void {
    this.#names = Object.keys(wanted);
    const measurements = Object.entries(wanted).map(
      ([name, { datatype, node = name, address, properties = {} }], id) => {
        return { id, name, address: address ?? UaDevice.address(node), datatype, properties };
      },
    );
    this.connector.setPoints({ measurements, commands: [] });
  }

  async start(): Promise<void> {
    const controller = new AbortController();
    await this.connector.connect(controller.signal);
    const ended = this.connector.run(controller.signal).catch((error: unknown) => error);
    this.#running = { controller, ended };
  }

  /** Runs with these points as long as `use` does; nothing else may end it. */
  async running(points: Record<string, Wanted>, use: (bench: UaBench) => Promise<void>): Promise<void> {
    try {
      this.setPoints(points);
      await this.start();
      await use(this);
    } finally {
      assert.equal(await this.stop(), undefined);
    }
  }

  /** What `run` threw, as soon as it does. */
  get lost(): Promise<unknown> {
    return this.#running?.ended ?? Promise.resolve();
  }

  /** Resolves with what `run` threw, if it did. */
  async stop(): Promise<unknown> {
    this.#running?.controller.abort();
    const error = await this.#running?.ended;
    await this.#cleanup.disposeAsync();
    return error;
  }

  async reads(name: string, expected: Reading['value'], quality?: number): Promise<Reading> {
    const found = () => this.readings.get(name);
    const isThere = () => found()?.value === expected && (quality === undefined || found()?.quality === quality);
    await until(`${name} is ${expected}, not ${found()?.value}`, isThere);
    return found() as Reading;
  }

  async has(name: string, quality: number): Promise<Reading> {
    await until(`${name} has quality ${quality}`, () => this.readings.get(name)?.quality === quality);
    return this.readings.get(name) as Reading;
  }

  write(node: string, datatype: Datatype, value: Value, properties: Record<string, string> = {}): Promise<void> {
    const address = UaDevice.address(node);
    const command: StackCommand = { id: 0, name: node, address, datatype, properties, last: undefined };
    return accepted(this.connector.write(command, value, new AbortController().signal));
  }

  #keep(batch: Batch): void {
    for (let at = 0; at < batch.count; at++) {
      const name = this.#names[batch.points[at] ?? -1] ?? '';
      const quality = batch.qualities[at] ?? 0;
      this.readings.set(name, { value: batch.valueAt(at), quality, timeUs: batch.times[at] ?? 0 });
      const values = this.values.get(name);
      if (values === undefined) this.values.set(name, [batch.valueAt(at)]);
      else values.push(batch.valueAt(at));
    }
    batch.clear();
  }
}
