// Everything that the tests of one provider share: where it listens or whom it serves, and its clients.
import { quality, systemClock, type Value } from '@telltale/schema';
import type { ProviderRole } from '../define-stack.ts';
import { temporaryFolder } from './cleanup.ts';
import type { Endpoint, ProviderWorld, SamplePoint, Seen, TestClient } from './conformance-world.ts';
import { freePort } from './free-port.ts';
import { isSame } from './hosted-connector.ts';
import { HostedProvider } from './hosted-provider.ts';
import { until } from './until.ts';
import { openWay, type Way } from './way.ts';

export class ProviderBench {
  readonly world: ProviderWorld;
  readonly role: ProviderRole;
  readonly folder: string;
  /** For clients. */
  readonly endpoint: Endpoint;
  /** To whom the provider connects; nothing where it listens. */
  readonly way: Way | undefined;
  readonly #cleanup: AsyncDisposableStack;

  static async start(world: ProviderWorld): Promise<ProviderBench> {
    const role = world.stack.provider;
    if (role === undefined) throw new Error(`stack ${world.stack.name} has no provider`);
    await using cleanup = new AsyncDisposableStack();
    const folder = temporaryFolder(cleanup);
    world.prepareFolder?.(folder);
    const served = await world.startServed?.();
    cleanup.defer(() => served?.stop());
    const port = served?.port ?? (world.transport === 'none' ? 0 : await freePort());
    const endpoint = { host: '127.0.0.1', port };
    const way = cleanup.use(served && (await openWay(world.transport, endpoint)));
    return new ProviderBench(world, role, endpoint, way, folder, cleanup.move());
  }

  private constructor(
    world: ProviderWorld,
    role: ProviderRole,
    endpoint: Endpoint,
    way: Way | undefined,
    folder: string,
    cleanup: AsyncDisposableStack,
  ) {
    this.world = world;
    this.role = role;
    this.endpoint = endpoint;
    this.way = way;
    this.folder = folder;
    this.#cleanup = cleanup;
  }

  async stop(): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  get vars(): Readonly<Record<string, string>> {
    return this.world.variables(this.way?.endpoint ?? this.endpoint);
  }

  get #seenMs(): number {
    return this.world.seenMs ?? 15_000;
  }

  host(): HostedProvider {
    return new HostedProvider({ role: this.role, vars: this.vars, folder: this.folder });
  }

  /** Up, with all samples, none of which has a value yet. */
  async startProvider(): Promise<HostedProvider> {
    const hosted = this.host();
    hosted.setPoints(this.world.measurements, this.world.commands);
    try {
      await until('it is up', () => hosted.state === 'up', { deadlineMs: this.#seenMs });
    } catch (error) {
      await hosted.stop();
      throw new Error(`the provider is ${hosted.state}: ${hosted.lastError}`, { cause: error });
    }
    return hosted;
  }

  /** Every sample gets one of its values, good, as of now. */
  publishAll(hosted: HostedProvider, turn: number): void {
    const timeUs = systemClock.now();
    for (const sample of [...this.world.measurements, ...this.world.commands]) {
      hosted.publish(sample.address, valueAt(sample, turn), quality.good, timeUs);
    }
  }

  connectClient(): Promise<TestClient> {
    return this.world.connectClient(this.endpoint);
  }

  /** A client of the test's own, that is closed when the work is done. */
  async withClient(work: (client: TestClient) => Promise<void>): Promise<void> {
    const client = await this.connectClient();
    try {
      await work(client);
    } finally {
      await client.close();
    }
  }

  /** Until the client sees this at the address. */
  async untilSeen(client: TestClient, address: string, isIt: (seen: Seen) => boolean, what: string): Promise<void> {
    let last: Seen | undefined;
    try {
      const look = async () => {
        last = await client.read(address);
        return isIt(last);
      };
      await until(`${address} is seen as ${what}`, look, { deadlineMs: this.#seenMs });
    } catch (error) {
      throw new Error(`${(error as Error).message}; it was ${last?.value}, ${last?.isGood ? 'good' : 'not good'}`, {
        cause: error,
      });
    }
  }

  async untilAllSeen(client: TestClient, turn: number): Promise<void> {
    for (const sample of this.world.measurements) {
      const value = valueAt(sample, turn);
      const isIt = (seen: Seen) => seen.isGood && isSame(seen.value, value);
      await this.untilSeen(client, sample.address, isIt, `${value}, good`);
    }
  }
}

export function valueAt({ values }: SamplePoint, turn: number): Value {
  return values[turn % values.length] as Value;
}
