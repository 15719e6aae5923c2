// A provider at a free port, with a host that keeps what is written and refuses what it is told to refuse.
import { Batch, type Datatype, quality, type Value } from '@telltale/schema';
import { type Provider, type StackPoint, written } from '@telltale/stack-kit';
import { freePort, providerOptions } from '@telltale/stack-kit/testing';
import { createProvider } from '../src/provider.ts';
import stack from '../src/stack.ts';

type Declared = Readonly<Record<string, readonly [string, Datatype]>>;

export class TestServer {
  readonly provider: Provider;
  readonly port: number;
  readonly warnings: string[] = [];
  readonly written: [string, Value][] = [];
  /** Names of commands. */
  readonly refusing = new Set<string>();
  /** Writes that have come and are not answered. */
  underWay = 0;
  #gate: Promise<void> = Promise.resolve();
  #points = new Map<string, StackPoint>();
  readonly #running = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  /** Variables over the defaults; addresses and datatypes by name; the folder with certificates. */
  static async start(measurements: Declared, commands: Declared = {}, given = {}, folder = ''): Promise<TestServer> {
    const server = new TestServer(await freePort(), given, folder);
    server.setPoints(measurements, commands);
    await server.provider.connect(server.#running.signal);
    server.#ended = server.provider.run(server.#running.signal);
    return server;
  }

  private constructor(port: number, given: Readonly<Record<string, string>>, folder: string) {
    this.port = port;
    const { values, faults } = stack.provider?.readVariables({ port: String(port), ...given }) ?? {};
    if (values === undefined) throw new Error(`the test has wrong variables: ${JSON.stringify(faults)}`);
    const silent = () => {};
    this.provider = createProvider(
      providerOptions({
        variables: values,
        folder,
        log: { debug: silent, info: silent, warn: (text) => this.warnings.push(text), error: silent },
        write: async ({ name }, value) => {
          this.underWay++;
          await this.#gate;
          this.underWay--;
          if (this.refusing.has(name)) return written.refused('the test refuses it');
          this.written.push([name, value]);
          return written.accepted;
        },
      }),
    );
  }

  /** Writes wait from now on, until it is opened. */
  holdWrites(): { readonly open: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return { open: resolve };
  }

  setPoints(measurements: Declared, commands: Declared): void {
    const point = ([name, [address, datatype]]: [string, readonly [string, Datatype]], at: number): StackPoint => {
      return { id: at + 1, name, address, datatype, properties: {} };
    };
    const all = [...Object.entries(measurements), ...Object.entries(commands)].map(point);
    const count = Object.keys(measurements).length;
    this.#points = new Map(all.map((each) => [each.name, each]));
    this.provider.setPoints({
      measurements: all.slice(0, count),
      commands: all.slice(count).map((each) => ({ ...each, last: undefined })),
    });
  }

  publish(name: string, value: Value | undefined, q: number = quality.good, timeUs = 1): void {
    const batch = new Batch(1);
    const id = this.#points.get(name)?.id ?? 0;
    if (value === undefined) batch.none(id, q, timeUs);
    else batch.value(id, value, q, timeUs);
    this.provider.publish(batch);
  }

  async stop(): Promise<void> {
    this.#running.abort();
    await this.#ended;
    await this.provider.close();
  }
}
