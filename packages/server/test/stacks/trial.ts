// A stack that does what its addresses say, good or bad, to try the host that runs it.
import { fileURLToPath } from 'node:url';
import { BroadcastChannel, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { Batch, quality, untilAborted, type Value } from '@telltale/schema';
import {
  type BrowseAnswer,
  type BrowseRequest,
  type CommandWrite,
  type Connector,
  type ConnectorOptions,
  defineStack,
  Fatal,
  type InstanceDetail,
  type Provider,
  type ProviderOptions,
  type ReadingTrace,
  Refused,
  Secret,
  type StackAlarm,
  type StackAlarmState,
  type StackCommand,
  type StackPoint,
  type StackPoints,
  Type,
  type WriteResult,
  written,
} from '@telltale/stack-kit';

const syntax = { regex: '^[a-z ]*$', doc: 'Anything.', examples: [{ address: 'good', meaning: 'all is well' }] };
const variables = Type.Object({
  mode: Type.String({ title: 'Mode', default: 'good' }),
  token: Secret({ title: 'Token', default: '' }),
});
type Variables = { mode: string; token: string };
const never = new Promise<never>(() => {});

function block(): never {
  for (;;);
}

/** Blocks its thread until somebody says something on the channel. */
function waitAtGate(onReady: () => void): void {
  const gate = new BroadcastChannel('gate');
  const never = new Int32Array(new SharedArrayBuffer(4));
  onReady();
  while (receiveMessageOnPort(gate as never) === undefined) Atomics.wait(never, 0, 0, 1);
  gate.close();
}

async function unknownAfter(signal: AbortSignal): Promise<WriteResult> {
  await untilAborted(signal);
  return written.unknown('it was aborted');
}

class TrialConnector implements Connector {
  readonly #options: ConnectorOptions<Variables>;
  readonly writeMany?: NonNullable<Connector['writeMany']>;
  #points: StackPoints = { measurements: [], commands: [] };
  #isUp = false;

  constructor(options: ConnectorOptions<Variables>) {
    this.#options = options;
    if (options.variables.mode === 'many') this.writeMany = (writes) => this.#writeMany(writes);
    if (options.variables.mode === 'unmade') throw new Error('cannot be made');
    if (options.variables.mode === 'tell token') options.log.info(`token ${options.variables.token}`);
  }

  setPoints(points: StackPoints): void {
    this.#points = points;
    const lasts = points.commands.map(({ name, last }) => `${name}=${last}`);
    this.#options.log.info(`points ${points.measurements.map(({ id }) => id)} ${lasts}`);
    if (this.#isUp && this.#options.variables.mode !== 'busy') this.#publishAll(1);
  }

  async connect(): Promise<void> {
    if (this.#options.variables.mode === 'block') block();
    if (this.#options.variables.mode === 'fatal') throw new Fatal('never');
    if (this.#options.variables.mode === 'tell token') throw new Fatal(`not with ${this.#options.variables.token}`);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#isUp = true;
    this.#publishAll(1);
    if (this.#options.variables.mode === 'stuck') await never;
    if (this.#options.variables.mode === 'flood') {
      for (let value = 2; value <= 20_000; value++) this.#publishAll(value);
    }
    const busy = this.#options.variables.mode === 'busy' && setInterval(() => this.#publishLengths(), 1);
    await untilAborted(signal);
    if (busy) clearInterval(busy);
  }

  async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    switch (command.address) {
      case 'mute':
        return never;
      case 'exit':
        return process.exit(3);
      case 'block':
        this.#options.log.info('blocks');
        return block();
      case 'gate':
        waitAtGate(() => this.#options.log.info('blocks'));
        return written.accepted;
      case 'process':
      case 'missing process': {
        const file = command.address === 'process' ? 'echo-process.ts' : 'no-such-file.ts';
        const { log, startProcess } = this.#options;
        startProcess(fileURLToPath(new URL(file, import.meta.url)), {
          onMessage: (message) => log.info(`process said ${message}`),
          onEnded: (reason) => log.info(`process ended: ${reason}`),
        }).send(value);
        return written.accepted;
      }
      case 'throw later':
        setImmediate(() => {
          throw new Error('nobody caught it');
        });
        return unknownAfter(signal);
      case 'babble':
        console.log('printed');
        process.stderr.write('complained\n');
        for (const message of [null, 5, {}, { kind: 'toString' }, { kind: 'call', method: 'readings' }]) {
          parentPort?.postMessage(message);
        }
        return written.accepted;
      case 'reject later':
        Promise.reject(new Error('nobody caught it'));
        return unknownAfter(signal);
      case 'eat buffers': {
        const eaten: unknown[] = [];
        const eat = () => eaten.push(Buffer.alloc(4_000_000, 1));
        setInterval(eat, 10);
        return unknownAfter(signal);
      }
      case 'eat memory': {
        const eaten: unknown[] = [];
        for (;;) eaten.push(new Array(100_000).fill(0.5));
      }
      default:
        this.#options.meter.answered(2);
        this.#publishAll(Number(value));
        return written.accepted;
    }
  }

  /** 2 is refused, and of 3 nothing is known. */
  async #writeMany(writes: readonly CommandWrite[]): Promise<WriteResult[]> {
    this.#options.log.info(`together ${writes.map(({ command, value }) => `${command.id}=${value}`)}`);
    return writes.map(({ value }) => {
      if (value === 2) return written.refused('too much');
      return value === 3 ? written.unknown('silence') : written.accepted;
    });
  }

  detail(): InstanceDetail {
    const { mode } = this.#options.variables;
    if (mode === 'wrong') return { devices: () => 5 } as never;
    const group = { periodMs: 4000, points: 1, requests: 1, scans: 1, overruns: 0, tookMs: 1 };
    if (mode === 'slow') return { scanGroups: [group, { ...group, periodMs: 6000 }] };
    return { devices: [{ name: mode, isUp: true, sinceUs: 1, lastError: undefined }] };
  }

  explain({ address, name }: StackPoint): ReadingTrace | undefined {
    const { mode } = this.#options.variables;
    if (mode === 'wrong') return { value: () => 5 } as never;
    if (address === 'block') block();
    if (address === 'silent') return undefined;
    const [device, scanPeriodMs] = [mode, 1000];
    return { timeUs: 1, request: `read ${name}`, raw: '01', value: 1, error: undefined, device, scanPeriodMs };
  }

  async browse({ path, limit }: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    if (path === 'refused') throw new Refused('there is no such folder');
    if (path === 'wrong') return { items: [{ title: () => 5 }] } as never;
    if (path === 'endless') {
      await untilAborted(signal);
      this.#options.log.info('browsing was aborted');
    }
    const item = { title: 'Level', path: undefined, measurement: undefined, command: undefined };
    return { items: new Array(Math.min(3, limit)).fill(item), cursor: undefined };
  }

  async close(): Promise<void> {
    this.#isUp = false;
  }

  #publishAll(value: number): void {
    this.#publish(() => value);
  }

  /** Of their addresses. */
  #publishLengths(): void {
    this.#publish(({ address }) => address.length);
  }

  #publish(read: (point: StackPoint) => number): void {
    const { clock, publish } = this.#options;
    const batch = new Batch();
    for (const point of this.#points.measurements) batch.number(point.id, read(point), quality.good, clock.now());
    publish(batch);
  }
}

/** Writes each value that it is given to its first command, and logs how that went. */
class TrialProvider implements Provider {
  readonly #options: ProviderOptions<Variables>;
  #alarms: readonly StackAlarm[] = [];
  #points: StackPoints = { measurements: [], commands: [] };

  constructor(options: ProviderOptions<Variables>) {
    this.#options = options;
  }

  setPoints(points: StackPoints): void {
    this.#points = points;
  }

  async connect(): Promise<void> {}

  run(signal: AbortSignal): Promise<void> {
    const { meter, variables } = this.#options;
    if (variables.mode === 'crowded') {
      meter.served();
      meter.held();
      meter.held();
      meter.unread(3);
    }
    return untilAborted(signal);
  }

  publish(batch: Batch): void | Promise<void> {
    const { log, write } = this.#options;
    if (this.#options.variables.mode === 'many') return this.#writeMany(batch);
    const command = this.#points.commands[0] ?? { id: -1, name: '', address: '', datatype: 'd', properties: {} };
    for (let at = 0; at < batch.count; at++) {
      const value = batch.valueAt(at) as Value;
      write(command, value).then((result) => log.info(wordsOf(result, `written ${value}`)));
    }
  }

  /** Each value to a command of its own, together. */
  async #writeMany(batch: Batch): Promise<void> {
    const stranger = { id: -1, name: '', address: '', datatype: 'd', properties: {} } as const;
    const writes = Array.from({ length: batch.count }, (_, at) => {
      return { command: this.#points.commands[at] ?? stranger, value: batch.valueAt(at) as Value };
    });
    const results = await this.#options.writeMany(writes);
    this.#options.log.info(results.map(({ kind }) => kind).join());
  }

  setAlarms(alarms: readonly StackAlarm[]): void {
    this.#alarms = alarms;
    this.#options.log.info(`alarms ${alarms.map(({ name, description }) => `${name} ${description}`)}`);
  }

  /** Acknowledges what is raised, where that is its mode. */
  publishAlarms(states: readonly StackAlarmState[]): void {
    const { log, variables, acknowledge } = this.#options;
    for (const { id, isActive, isAcknowledged, authority, message } of states) {
      const alarm = this.#alarms.find((each) => each.id === id) ?? {
        id: -1,
        name: '',
        description: '',
        severity: 0,
        measurement: 0,
      };
      log.info(`alarm ${alarm.name} ${isActive} ${isAcknowledged} ${authority}${message ? `: ${message}` : ''}`);
      if (variables.mode !== 'acknowledge' || isAcknowledged) continue;
      acknowledge(alarm, 'a client').then((result) => log.info(wordsOf(result, `acknowledged ${alarm.name}`)));
    }
  }

  async close(): Promise<void> {}
}

const wordsOf = (result: WriteResult, accepted: string) =>
  result.kind === 'accepted' ? accepted : `${result.kind} ${result.reason}`;

const role = { variables, measurement: syntax, command: syntax };

export default defineStack({
  name: 'trial',
  title: 'Trial',
  description: 'For tests.',
  connector: { ...role, load: async () => ({ createConnector: (options) => new TrialConnector(options) }) },
  provider: { ...role, load: async () => ({ createProvider: (options) => new TrialProvider(options) }) },
});
