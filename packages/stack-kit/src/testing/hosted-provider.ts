// A provider run as the server runs it: it is given points and values, and what its clients write is kept.
import { Batch, systemClock, type Value } from '@telltale/schema';
import type { StackCommand, StackPoint } from '../connector.ts';
import type { ProviderRole } from '../define-stack.ts';
import { Connection, type ConnectionStatus, type RequestCounts, RequestMeter } from '../link/index.ts';
import type { Provider } from '../provider.ts';
import { type WriteResult, written } from '../write-result.ts';
import type { SamplePoint } from './conformance-world.ts';
import { providerOptions } from './instance-options.ts';
import { ShortPauses } from './short-pauses.ts';

export interface HostedProviderOptions {
  readonly role: ProviderRole;
  readonly vars: Readonly<Record<string, string>>;
  readonly folder: string;
}

export interface Written {
  readonly address: string;
  readonly value: Value;
}

/** Of what clients write, the last so many are kept. */
const maxWrites = 100;

export class HostedProvider {
  readonly connection: Connection;
  readonly writes: Written[] = [];
  readonly wrong: string[] = [];
  /** How every write of a client ends. */
  writesEnd: WriteResult = written.accepted;
  /** Of what clients ask. */
  readonly #meter = new RequestMeter(() => systemClock.monotonicMs());
  readonly #options: HostedProviderOptions;
  readonly #clock = new ShortPauses();
  readonly #points = new Map<string, StackPoint>();
  #nextId = 1;

  constructor(options: HostedProviderOptions) {
    this.#options = options;
    const quiet = () => {};
    this.connection = new Connection({
      create: () => this.#create(),
      clock: this.#clock,
      random: this.#clock.random,
      log: { debug: quiet, info: quiet, warn: quiet, error: (text) => this.#hear(text) },
      writeTimeoutMs: 3000,
      reconnectMaxMs: () => 5000,
      isMeasurement: () => false,
      command: () => undefined,
      onAccepted: quiet,
      onReadings: () => 0,
      onLink: quiet,
      onState: quiet,
    });
  }

  get counts(): Readonly<RequestCounts> {
    return this.#meter.counts;
  }

  get state(): ConnectionStatus['state'] {
    return this.connection.status().state;
  }

  get lastError(): string {
    return this.connection.status().lastError?.text ?? 'no error';
  }

  /** The first call starts it. Every point is a new one, by its id. */
  setPoints(measurements: readonly SamplePoint[], commands: readonly SamplePoint[]): void {
    this.#points.clear();
    const point = ({ address, datatype, properties = {} }: SamplePoint): StackPoint => {
      const id = this.#nextId++;
      const made = { id, name: `point${id}`, address, datatype, properties };
      this.#points.set(address, made);
      return made;
    };
    const served = measurements.map(point);
    const writable = commands.map((each): StackCommand => ({ ...point(each), last: undefined }));
    this.connection.setPoints({ measurements: served, commands: writable });
  }

  /** Without a value: the point keeps the one that it has. */
  publish(address: string, value: Value | undefined, quality: number, timeUs: number): void {
    const id = this.#points.get(address)?.id;
    if (id === undefined) throw new Error(`${address} is not served`);
    const batch = new Batch();
    if (value === undefined) batch.none(id, quality, timeUs);
    else batch.value(id, value, quality, timeUs);
    this.connection.publish(batch);
  }

  stop(): Promise<void> {
    return this.connection.stop();
  }

  async #create(): Promise<Provider> {
    const { role, vars, folder } = this.#options;
    const { values, faults } = role.readVariables(vars);
    if (faults.length > 0) throw new Error(faults.map(({ field, message }) => `${field} ${message}`).join('; '));
    const { createProvider } = await role.load();
    const write = (point: StackPoint, value: Value) => this.#write(point, value);
    return createProvider(providerOptions({ variables: values, folder, write, meter: this.#meter }));
  }

  /** As the server does: what was accepted is the command's value from then on. */
  async #write({ address }: StackPoint, value: Value): Promise<WriteResult> {
    this.writes.push({ address, value });
    if (this.writes.length > maxWrites) this.writes.shift();
    if (this.writesEnd.kind === 'accepted') this.publish(address, value, 0xc0, this.#clock.now());
    return this.writesEnd;
  }

  #hear(text: string): void {
    if (text.includes('has not ended') || text.startsWith('publish failed')) this.wrong.push(text);
  }
}
