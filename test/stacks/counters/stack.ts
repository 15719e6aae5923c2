// A stack for tests whose measurements are counters: a write of `n` to its command `ticks` makes each of them rise by
// one, n times, a period apart. None is skipped, so that whoever sees every number has seen every change.
import { Batch, quality, untilAborted, type Value } from '@telltale/schema';
import {
  type Connector,
  type ConnectorOptions,
  defineStack,
  type StackCommand,
  type StackPoint,
  type StackPoints,
  Type,
  type WriteResult,
  written,
} from '@telltale/stack-kit';

const syntax = { regex: '^[a-z0-9]+$', doc: 'Any word.', examples: [{ address: 'c1', meaning: 'a counter' }] };

class CountersConnector implements Connector {
  readonly #options: ConnectorOptions<{ periodMs: number }>;
  readonly #batch = new Batch();
  #measurements: readonly StackPoint[] = [];
  #count = 0;
  #left = 0;

  constructor(options: ConnectorOptions<{ periodMs: number }>) {
    this.#options = options;
  }

  setPoints({ measurements }: StackPoints): void {
    this.#measurements = measurements;
    this.#publish();
  }

  async connect(): Promise<void> {}

  async run(signal: AbortSignal): Promise<void> {
    this.#publish();
    const timer = setInterval(() => this.#tick(), this.#options.variables.periodMs);
    await untilAborted(signal);
    clearInterval(timer);
  }

  async write(_command: StackCommand, value: Value): Promise<WriteResult> {
    this.#left += Number(value);
    return written.accepted;
  }

  async close(): Promise<void> {}

  #tick(): void {
    if (this.#left === 0) return;
    this.#left--;
    this.#count++;
    this.#publish();
  }

  #publish(): void {
    const timeUs = this.#options.clock.now();
    for (const { id } of this.#measurements) this.#batch.number(id, this.#count, quality.good, timeUs);
    this.#options.publish(this.#batch);
  }
}

export default defineStack({
  name: 'counters',
  title: 'Counters',
  description: 'For tests.',
  connector: {
    variables: Type.Object({ periodMs: Type.Integer({ title: 'Period', minimum: 1, maximum: 60_000, default: 50 }) }),
    measurement: syntax,
    command: syntax,
    load: async () => ({ createConnector: (options) => new CountersConnector(options) }),
  },
});
