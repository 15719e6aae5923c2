// A stack for tests that takes several writes at once: its one measurement is how many came together the last time. Of a
// write of 13 it says no; addresses are words.
import { Batch, quality, untilAborted } from '@telltale/schema';
import {
  type CommandWrite,
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

const syntax = { regex: '^[a-z0-9]+$', doc: 'Any word.', examples: [{ address: 'c1', meaning: 'something' }] };

class TogetherConnector implements Connector {
  readonly #options: ConnectorOptions<unknown>;
  #measurements: readonly StackPoint[] = [];
  #last = 0;

  constructor(options: ConnectorOptions<unknown>) {
    this.#options = options;
  }

  setPoints({ measurements }: StackPoints): void {
    this.#measurements = measurements;
    this.#publish();
  }

  async connect(): Promise<void> {}

  async run(signal: AbortSignal): Promise<void> {
    this.#publish();
    await untilAborted(signal);
  }

  async write(command: StackCommand, value: CommandWrite['value']): Promise<WriteResult> {
    return this.#take([{ command, value }])[0] as WriteResult;
  }

  async writeMany(writes: readonly CommandWrite[]): Promise<WriteResult[]> {
    return this.#take(writes);
  }

  async close(): Promise<void> {}

  #take(writes: readonly CommandWrite[]): WriteResult[] {
    this.#last = writes.length;
    this.#publish();
    return writes.map(({ value }) => (value === 13 ? written.refused('it says no') : written.accepted));
  }

  #publish(): void {
    const batch = new Batch();
    const timeUs = this.#options.clock.now();
    for (const { id } of this.#measurements) batch.number(id, this.#last, quality.good, timeUs);
    this.#options.publish(batch);
  }
}

export default defineStack({
  name: 'together',
  title: 'Together',
  description: 'For tests.',
  connector: {
    variables: Type.Object({}),
    measurement: syntax,
    command: syntax,
    load: async () => ({ createConnector: (options) => new TogetherConnector(options) }),
  },
});
