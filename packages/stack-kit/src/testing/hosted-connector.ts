// A connector run as the server runs it, with what it has published kept by address, and its lies found out.
import { getEventListeners } from 'node:events';
import { type Batch, type Datatype, isGood, type Value } from '@telltale/schema';
import type { Connector, StackCommand, StackPoint } from '../connector.ts';
import type { ConnectorRole } from '../define-stack.ts';
import { Connection, type ConnectionStatus, type WriteOutcome } from '../link/index.ts';
import { connectorOptions } from './instance-options.ts';
import { ShortPauses } from './short-pauses.ts';

export interface HostedPoint {
  readonly address: string;
  readonly datatype: Datatype;
  readonly properties?: Readonly<Record<string, string>>;
}

export interface HostedConnectorOptions {
  readonly role: ConnectorRole;
  readonly vars: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly measurements: readonly HostedPoint[];
  readonly commands?: readonly HostedPoint[];
  /** Nobody could see whether a reading is true: none is judged. */
  readonly isBlind?: () => boolean;
  /** Why a good reading cannot be true; undefined where it can. */
  readonly lieOf?: (address: string, value: Value) => string | undefined;
  /** It may unless told otherwise. */
  readonly mayWrite?: (() => boolean) | undefined;
}

export interface Shown {
  value: Value | undefined;
  quality: number;
  /** Readings of good quality so far. */
  good: number;
}

/** A time of a reading that is off by more is none of the readings of a test: milliseconds, perhaps, or seconds. */
const maxOffUs = 24 * 3600 * 1e6;
/** The bad quality that the server gives when the link is lost. */
const communicationFailure = 0x18;

export class HostedConnector {
  readonly connection: Connection;
  readonly points = new Map<string, Shown>();
  /** Readings that cannot be true, and what else must not be. */
  readonly wrong: string[] = [];
  batches = 0;
  readonly #options: HostedConnectorOptions;
  readonly clock = new ShortPauses();
  readonly #commands = new Map<number, StackCommand>();
  readonly #addresses = new Map<number, string>();
  #nextId = 1;
  #runSignal: AbortSignal | undefined;

  constructor(options: HostedConnectorOptions) {
    this.#options = options;
    const quiet = () => {};
    this.connection = new Connection({
      create: (publish) => this.#create(publish),
      clock: this.clock,
      random: this.clock.random,
      log: { debug: quiet, info: quiet, warn: quiet, error: (text) => this.#hear(text) },
      writeTimeoutMs: 3000,
      reconnectMaxMs: () => 5000,
      isMeasurement: (id) => this.#addresses.has(id),
      command: (id) => this.#commands.get(id),
      onAccepted: quiet,
      onReadings: (batch) => this.#take(batch),
      onLink: (up) => {
        if (!up) for (const shown of this.points.values()) shown.quality = communicationFailure;
      },
      onState: quiet,
    });
  }

  get state(): ConnectionStatus['state'] {
    return this.connection.status().state;
  }

  get lastError(): string {
    return this.connection.status().lastError?.text ?? 'no error';
  }

  /** How many wait for the end of `run`: as many after a thousand requests as after one. */
  get runListeners(): number {
    return this.#runSignal === undefined ? 0 : getEventListeners(this.#runSignal, 'abort').length;
  }

  /** The first call starts it. Every point is a new one, by its id: its value is owed again. */
  setPoints(): void {
    const { measurements, commands = [] } = this.#options;
    this.#addresses.clear();
    this.#commands.clear();
    this.points.clear();
    const point = ({ address, datatype, properties = {} }: HostedPoint): StackPoint => {
      const id = this.#nextId++;
      return { id, name: `point${id}`, address, datatype, properties };
    };
    const measured = measurements.map(point);
    for (const { id, address } of measured) {
      this.#addresses.set(id, address);
      this.points.set(address, { value: undefined, quality: 0, good: 0 });
    }
    for (const command of commands.map(point)) this.#commands.set(command.id, { ...command, last: undefined });
    this.connection.setPoints({ measurements: measured, commands: [...this.#commands.values()] });
  }

  write(address: string, value: Value): Promise<WriteOutcome> {
    const command = [...this.#commands.values()].find((each) => each.address === address);
    if (command === undefined) throw new Error(`there is no command ${address}`);
    return this.connection.write(
      [{ commandId: command.id, value }],
      this.clock.monotonicMs(),
    )[0] as Promise<WriteOutcome>;
  }

  /** Together, in this order. */
  writeMany(writes: readonly { readonly address: string; readonly value: Value }[]): Promise<WriteOutcome[]> {
    const known = [...this.#commands.values()];
    const asked = writes.map(({ address, value }) => {
      const commandId = known.find((each) => each.address === address)?.id ?? -1;
      return { commandId, value };
    });
    return Promise.all(this.connection.write(asked, this.clock.monotonicMs()));
  }

  stop(): Promise<void> {
    return this.connection.stop();
  }

  async #create(publish: (batch: Batch) => void): Promise<Connector> {
    const { role, vars, folder, mayWrite = () => true } = this.#options;
    const { values, faults } = role.readVariables(vars);
    if (faults.length > 0) throw new Error(faults.map(({ field, message }) => `${field} ${message}`).join('; '));
    const { createConnector } = await role.load();
    const connector = createConnector(connectorOptions({ variables: values, folder, publish, mayWrite }));
    const run = connector.run.bind(connector);
    connector.run = (signal) => {
      this.#runSignal = signal;
      return run(signal);
    };
    return connector;
  }

  #take(batch: Batch): number {
    this.batches++;
    for (let at = 0; at < batch.count; at++) {
      const address = this.#addresses.get(batch.points[at] ?? 0);
      const shown = this.points.get(address ?? '');
      if (address === undefined || shown === undefined) continue;
      const [quality = 0, timeUs = 0] = [batch.qualities[at], batch.times[at]];
      const value = batch.valueAt(at) ?? shown.value;
      shown.quality = quality;
      shown.value = value;
      if (isGood(quality)) shown.good++;
      if (this.#options.isBlind?.() !== true) this.#judge(address, value, quality, timeUs);
    }
    batch.clear();
    return 0;
  }

  #judge(address: string, value: Value | undefined, quality: number, timeUs: number): void {
    if (!Number.isSafeInteger(timeUs) || Math.abs(timeUs - this.clock.now()) > maxOffUs) {
      this.#accuse(`${address} was read at ${timeUs}, which is not a time of today in microseconds`);
    }
    if (!isGood(quality)) return;
    const lie = value === undefined ? 'it has no value' : this.#options.lieOf?.(address, value);
    if (lie !== undefined) this.#accuse(`${address} was shown as ${value} with good quality: ${lie}`);
  }

  #hear(text: string): void {
    if (text.includes('has not ended')) this.#accuse(text);
  }

  #accuse(text: string): void {
    if (this.wrong.length < 20) this.wrong.push(text);
  }
}

/** Whether two values are the same; 1 and true are, as a batch has them. */
export function isSame(one: Value | undefined, other: Value | undefined): boolean {
  const plain = (value: Value | undefined) => (typeof value === 'boolean' ? Number(value) : value);
  return plain(one) === plain(other);
}
