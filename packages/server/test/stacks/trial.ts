// A stack that does what its addresses say, good or bad, to try the host that runs it.
import { Batch, quality, type Value } from '@telltale/schema';
import {
  type Connector,
  type ConnectorOptions,
  defineStack,
  Fatal,
  type Provider,
  type ProviderOptions,
  type StackCommand,
  type StackPoints,
  Type,
} from '@telltale/stack-kit';

const syntax = { regex: '^[a-z ]*$', doc: 'Anything.', examples: [{ address: 'good', meaning: 'all is well' }] };
const variables = Type.Object({ mode: Type.String({ title: 'Mode', default: 'good' }) });
const never = new Promise<void>(() => {});

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

function block(): never {
  for (;;);
}

class TrialConnector implements Connector {
  readonly #options: ConnectorOptions<{ mode: string }>;
  #points: StackPoints = { measurements: [], commands: [] };
  #isUp = false;

  constructor(options: ConnectorOptions<{ mode: string }>) {
    this.#options = options;
    if (options.variables.mode === 'unmade') throw new Error('cannot be made');
  }

  setPoints(points: StackPoints): void {
    this.#points = points;
    const lasts = points.commands.map(({ name, last }) => `${name}=${last}`);
    this.#options.log.info(`points ${points.measurements.map(({ id }) => id)} ${lasts}`);
    if (this.#isUp) this.#publishAll(1);
  }

  async connect(): Promise<void> {
    if (this.#options.variables.mode === 'block') block();
    if (this.#options.variables.mode === 'fatal') throw new Fatal('never');
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#isUp = true;
    this.#publishAll(1);
    if (this.#options.variables.mode === 'stuck') await never;
    if (this.#options.variables.mode === 'flood') {
      for (let value = 2; value <= 20_000; value++) this.#publishAll(value);
    }
    await untilAborted(signal);
  }

  async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<void> {
    switch (command.address) {
      case 'mute':
        return never;
      case 'exit':
        return process.exit(3);
      case 'block':
        return block();
      case 'throw later':
        setImmediate(() => {
          throw new Error('nobody caught it');
        });
        return untilAborted(signal);
      case 'eat memory': {
        const eaten: unknown[] = [];
        for (;;) eaten.push(new Array(100_000).fill(0.5));
      }
      default:
        this.#publishAll(Number(value));
    }
  }

  async close(): Promise<void> {
    this.#isUp = false;
  }

  #publishAll(value: number): void {
    const batch = new Batch();
    for (const { id } of this.#points.measurements) batch.number(id, value, quality.good, this.#options.clock.now());
    this.#options.publish(batch);
  }
}

/** Writes each value that it is given to its first command, and logs how that went. */
class TrialProvider implements Provider {
  readonly #options: ProviderOptions<{ mode: string }>;
  #points: StackPoints = { measurements: [], commands: [] };

  constructor(options: ProviderOptions<{ mode: string }>) {
    this.#options = options;
  }

  setPoints(points: StackPoints): void {
    this.#points = points;
  }

  async connect(): Promise<void> {}

  run(signal: AbortSignal): Promise<void> {
    return untilAborted(signal);
  }

  publish(batch: Batch): void {
    const { log, write } = this.#options;
    const command = this.#points.commands[0] ?? { id: -1, name: '', address: '', datatype: 'd', properties: {} };
    for (let at = 0; at < batch.count; at++) {
      const value = batch.valueAt(at) as Value;
      write(command, value).then(
        () => log.info(`written ${value}`),
        (error) => log.info(`${error.name} ${error.message}`),
      );
    }
  }

  async close(): Promise<void> {}
}

const role = { variables, measurement: syntax, command: syntax };

export default defineStack({
  name: 'trial',
  title: 'Trial',
  description: 'For tests.',
  connector: { ...role, load: async () => ({ createConnector: (options) => new TrialConnector(options) }) },
  provider: { ...role, load: async () => ({ createProvider: (options) => new TrialProvider(options) }) },
});
