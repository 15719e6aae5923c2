// A device with bells, each an alarm by its address: rung, hushed and acknowledged at its own panel by commands whose
// addresses say so, and acknowledged by the server, unless the bell is deaf, never answers (`slow`) or breaks (`frail`).
import { untilAborted, type Value } from '@telltale/schema';
import {
  type BrowseAnswer,
  type Connector,
  type ConnectorOptions,
  type DeviceAlarm,
  defineStack,
  type StackCommand,
  Type,
  type WriteResult,
  written,
} from '@telltale/stack-kit';

interface Bell {
  isActive: boolean;
  isAcknowledged: boolean;
  authority: string | undefined;
}

class BellConnector implements Connector {
  readonly #options: ConnectorOptions<unknown>;
  readonly #bells = new Map<string, Bell>();
  #alarms: readonly DeviceAlarm[] = [];
  #isUp = false;

  constructor(options: ConnectorOptions<unknown>) {
    this.#options = options;
  }

  setPoints(): void {}

  setAlarms(alarms: readonly DeviceAlarm[]): void {
    this.#alarms = alarms;
    this.#options.log.info(`alarms ${alarms.map(({ name, address }) => `${name}=${address}`)}`);
    this.#publish();
  }

  async connect(): Promise<void> {}

  async run(signal: AbortSignal): Promise<void> {
    this.#isUp = true;
    this.#publish();
    await untilAborted(signal);
  }

  async write({ address }: StackCommand, _value: Value) {
    const [what, name = ''] = address.split(' ');
    if (what === 'exit') process.exit(3);
    if (what === 'ring') this.#change(name, { isActive: true, isAcknowledged: false, authority: undefined });
    else if (what === 'hush') this.#change(name, { isActive: false, authority: undefined });
    else this.#change(name, { isAcknowledged: true, authority: 'panel' });
    return written.accepted;
  }

  async browse(): Promise<BrowseAnswer> {
    const items = ['door', 'gate', 'deaf'].map((name) => ({
      title: `Bell of the ${name}`,
      path: undefined,
      measurement: undefined,
      command: undefined,
      alarm: { name, address: name, severity: 2, description: `The ${name}` },
    }));
    return { items, cursor: undefined };
  }

  async acknowledge({ address }: DeviceAlarm, authority: string, signal: AbortSignal): Promise<WriteResult> {
    if (address === 'deaf') return written.refused('it does not listen');
    if (address === 'frail') return written.unknown('it broke meanwhile');
    if (address === 'slow') {
      await untilAborted(signal);
      return written.unknown('it was given up');
    }
    this.#change(address, { isAcknowledged: true, authority: `client for ${authority}` });
    return written.accepted;
  }

  async close(): Promise<void> {
    this.#isUp = false;
  }

  #change(name: string, change: Partial<Bell>): void {
    const bell = this.#bells.get(name) ?? { isActive: false, isAcknowledged: true, authority: undefined };
    this.#bells.set(name, { ...bell, ...change });
    this.#publish();
  }

  #publish(): void {
    if (!this.#isUp) return;
    const timeUs = this.#options.clock.now();
    const states = this.#alarms.flatMap(({ id, address }) => {
      const bell = this.#bells.get(address);
      if (bell === undefined) return [];
      const { isActive, isAcknowledged, authority } = bell;
      return [{ id, isActive, isAcknowledged, timeUs, message: `${address} rings`, ...(authority && { authority }) }];
    });
    this.#options.publishAlarms(states);
  }
}

const syntax = { regex: '^[a-z ]+$', doc: 'A bell.', examples: [{ address: 'door', meaning: 'the bell of the door' }] };

export default defineStack({
  name: 'bell',
  title: 'Bell',
  description: 'For tests.',
  connector: {
    variables: Type.Object({}),
    measurement: undefined,
    command: syntax,
    alarm: syntax,
    load: async () => ({ createConnector: (options) => new BellConnector(options) }),
  },
});
