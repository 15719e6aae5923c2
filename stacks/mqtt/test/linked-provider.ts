// A provider with a host that does as little as it can.
import { Batch, type Clock, type Datatype, systemClock, type Value } from '@telltale/schema';
import {
  type Provider,
  type ProviderHistory,
  type StackCommand,
  type StackPoint,
  type WriteResult,
  written,
} from '@telltale/stack-kit';
import { providerOptions } from '@telltale/stack-kit/testing';
import { createProvider } from '../src/provider.ts';
import stack from '../src/stack.ts';
import type { Declared } from './linked-connector.ts';

export interface LinkedProviderOptions {
  readonly vars: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly clock?: Clock;
  readonly history?: ProviderHistory;
  /** How a write ends; accepted unless it says otherwise. */
  readonly write?: (name: string, value: Value) => WriteResult | undefined;
}

export class LinkedProvider {
  readonly provider: Provider;
  readonly written: [string, Value][] = [];
  readonly warnings: string[] = [];
  readonly #ids = new Map<string, { id: number; datatype: Datatype }>();
  #running: { controller: AbortController; ended: Promise<unknown> } | undefined;

  constructor({ vars, folder = 'none', clock = systemClock, history, write }: LinkedProviderOptions) {
    const { values, faults } = stack.provider?.readVariables({ timeoutMs: '500', pingAfterMs: '200', ...vars }) ?? {};
    if (values === undefined) throw new Error(JSON.stringify(faults));
    const quiet = () => {};
    this.provider = createProvider(
      providerOptions({
        name: 'out',
        variables: values,
        folder,
        clock,
        ...(history !== undefined && { history }),
        log: { debug: quiet, info: quiet, warn: (text) => this.warnings.push(text), error: quiet },
        write: async (command, value) => {
          const result = write?.(command.name, value) ?? written.accepted;
          if (result.kind !== 'accepted') return result;
          this.written.push([command.name, value]);
          this.publish(command.name, value);
          return result;
        },
      }),
    );
  }

  setPoints(measurements: readonly Declared[], commands: readonly Declared[] = []): void {
    const point = ({ name, address, datatype = 'd', properties = {}, ...more }: Declared): StackPoint => {
      const id = this.#ids.get(name)?.id ?? this.#ids.size + 1;
      this.#ids.set(name, { id, datatype });
      return { id, name, address, datatype, properties, ...more };
    };
    const served = commands.map((each): StackCommand => ({ ...point(each), last: undefined }));
    this.provider.setPoints({ measurements: measurements.map(point), commands: served });
  }

  publish(name: string, value: Value | undefined, quality = 0xc0, timeUs = Date.now() * 1000): void {
    const batch = new Batch();
    const { id = 0 } = this.#ids.get(name) ?? {};
    if (value === undefined) batch.none(id, quality, timeUs);
    else batch.value(id, value, quality, timeUs);
    this.provider.publish(batch);
  }

  async start(): Promise<void> {
    const controller = new AbortController();
    try {
      await this.provider.connect(controller.signal);
    } catch (error) {
      await this.provider.close();
      throw error;
    }
    const ended = this.provider.run(controller.signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    this.#running = { controller, ended };
  }

  async lost(): Promise<unknown> {
    const error = await this.#running?.ended;
    await this.provider.close();
    return error;
  }

  async stop(): Promise<unknown> {
    this.#running?.controller.abort();
    return this.lost();
  }
}
