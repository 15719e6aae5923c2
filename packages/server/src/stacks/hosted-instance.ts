// One connector or provider in the thread of the stacks: its points, its stack's code, its connection.
import type { Batch, Clock, Value } from '@telltale/schema';
import {
  Refused,
  type StackCommand,
  type StackLog,
  type StackPoint,
  type StackPoints,
  type VariableFault,
} from '@telltale/stack-kit';
import type { ConnectionStatus, Role, WriteOutcome } from '@telltale/stack-kit/host';
import { Connection, type Linked, RequestMeter } from '@telltale/stack-kit/host';
import type { FindStack } from './load-stacks.ts';
import type { Instance, PointIds } from './protocol.ts';

/** The points of an instance, kept when it is started anew. */
export interface PointTable {
  readonly measurements: Map<number, StackPoint>;
  readonly commands: Map<number, StackCommand>;
  /** Whether they are whole: before, there is nothing to run. */
  isWhole: boolean;
}

export interface HostedInstanceOptions {
  readonly role: Role;
  readonly instance: Instance;
  readonly points: PointTable;
  readonly findStack: FindStack;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: StackLog;
  readonly writeTimeoutMs: number;
  readonly maxClockSkewMs: number;
  /** Of this connector or provider alone. */
  readonly folder: string;
  readonly onReadings: (batch: Batch) => number;
  readonly onLink: (up: boolean, reason: string, timeUs: number) => void;
  readonly onState: () => void;
  /** Asks the server to write a command for a client of the provider; rejects with `Refused`. */
  readonly ask: (commandId: number, value: Value) => Promise<void>;
}

/** Of one provider. */
const maxAsked = 1000;

const noProperties = Object.freeze({});

export class HostedInstance {
  /** Role and name. */
  readonly key: string;
  readonly points: PointTable;
  readonly meter = new RequestMeter(() => performance.now());
  readonly #options: HostedInstanceOptions;
  readonly #connection: Connection;
  #mayRun = false;
  #asked = 0;

  constructor(options: HostedInstanceOptions) {
    const { clock, random, log, points, onReadings, onLink, onState } = options;
    this.#options = options;
    this.key = `${options.role} ${options.instance.name}`;
    this.points = points;
    this.#connection = new Connection({
      create: (publish) => this.#create(publish),
      clock,
      random,
      log,
      writeTimeoutMs: this.#writeTimeoutMs(),
      isMeasurement: (id) => points.measurements.has(id),
      command: (id) => points.commands.get(id),
      onAccepted: ({ id, name }, value) => this.#keepLast(id, name, value),
      onReadings,
      onLink,
      onState,
    });
  }

  /** It runs from now on, as soon as its points are whole. */
  begin(): void {
    this.#mayRun = true;
    this.#givePoints();
  }

  putPoints({ measurements, commands }: StackPoints): void {
    for (const point of measurements) this.points.measurements.set(point.id, slim(point));
    for (const point of commands) this.points.commands.set(point.id, slim(point));
  }

  removePoints({ measurements, commands }: PointIds): void {
    for (const id of measurements) this.points.measurements.delete(id);
    for (const id of commands) this.points.commands.delete(id);
  }

  pointsDone(): void {
    this.points.isWhole = true;
    this.#givePoints();
  }

  write(commandId: number, value: Value, askedUs: number): Promise<WriteOutcome> {
    return this.#connection.write(commandId, value, askedUs);
  }

  publish(batch: Batch): void {
    this.#connection.publish(batch);
  }

  status(): ConnectionStatus {
    return this.#connection.status();
  }

  stop(): Promise<void> {
    return this.#connection.stop();
  }

  #givePoints(): void {
    const { measurements, commands, isWhole } = this.points;
    if (!this.#mayRun || !isWhole) return;
    this.#connection.setPoints({ measurements: [...measurements.values()], commands: [...commands.values()] });
  }

  #keepLast(id: number, name: string, value: Value): void {
    const command = this.points.commands.get(id);
    if (command?.name === name) this.points.commands.set(id, { ...command, last: value });
  }

  async #create(publish: (batch: Batch) => void): Promise<Linked> {
    const { role, instance, findStack, clock, log, folder, maxClockSkewMs } = this.#options;
    const { name, stackName, vars } = instance;
    const stack = await findStack(stackName);
    if (role === 'connector') {
      if (stack.connector === undefined) throw new Error(`the stack ${stackName} has no connector`);
      const variables = readable(stack.connector.readVariables(vars));
      const { createConnector } = await stack.connector.load();
      const { meter } = this;
      return createConnector({ name, variables, clock, log, folder, meter, maxClockSkewMs, publish });
    }
    if (stack.provider === undefined) throw new Error(`the stack ${stackName} has no provider`);
    const variables = readable(stack.provider.readVariables(vars));
    const { createProvider } = await stack.provider.load();
    const write = (command: StackPoint, value: Value) => this.#ask(command, value);
    const acknowledge = async () => {
      throw new Refused('alarms are not served yet');
    };
    return createProvider({ name, variables, clock, log, folder, write, acknowledge });
  }

  async #ask(command: StackPoint, value: Value): Promise<void> {
    if (!this.points.commands.has(command.id)) throw new Refused('the command is not one of this provider');
    if (!['boolean', 'number', 'bigint', 'string'].includes(typeof value)) throw new Refused('this is no value');
    if (this.#asked >= maxAsked) throw new Refused(`${maxAsked} writes are waiting for their answers already`);
    this.#asked++;
    try {
      await this.#options.ask(command.id, value);
    } finally {
      this.#asked--;
    }
  }

  #writeTimeoutMs(): number {
    const { instance, log, writeTimeoutMs } = this.#options;
    const text = Object.hasOwn(instance.properties, 'writeTimeout') ? instance.properties.writeTimeout : undefined;
    if (text === undefined) return writeTimeoutMs;
    if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
    log.warn(`the property writeTimeout is passed over: it wants 1 to 999999 ms, not ${JSON.stringify(text)}`);
    return writeTimeoutMs;
  }
}

/** Most points have no properties: they share one object. */
function slim<P extends StackPoint>(point: P): P {
  return Object.keys(point.properties).length === 0 ? { ...point, properties: noProperties } : point;
}

function readable<Values>(
  read: { values: Values; faults: [] } | { values: undefined; faults: VariableFault[] },
): Values {
  if (read.values !== undefined) return read.values;
  throw new Error(read.faults.map(({ field, message }) => `variable ${field} ${message}`).join('; '));
}
