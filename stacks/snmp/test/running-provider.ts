// A provider of the stack that a test runs, and the tools of net-snmp as its clients.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Batch, type Datatype, quality, type Value } from '@telltale/schema';
import { type Provider, type ProviderOptions, written } from '@telltale/stack-kit';
import { freePort, providerOptions } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { createProvider } from '../src/provider.ts';
import stack from '../src/stack.ts';
import type { ProviderVariables } from '../src/variables.ts';

export const base = '1.3.6.1.4.1.8072.9999.9999';

/** A user of version 3: as variables have it, and as the tools are told. */
export const operator = { user: 'operator', authKey: 'first key', privKey: 'second key' };
export const operatorFlags = [
  '-v3',
  '-u',
  'operator',
  '-l',
  'authPriv',
  '-a',
  'SHA-256',
  '-A',
  'first key',
  '-x',
  'AES',
  '-X',
  'second key',
];

export interface Served {
  readonly address: string;
  readonly datatype: Datatype;
}

const run = promisify(execFile);
/** So that what somebody has configured on the machine does not matter. */
const nowhere = '/nonexistent';

/** What the tool said; rejects where it failed, with what it said. */
export async function tool(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, args, {
    env: { PATH: '/usr/bin:/bin', MIBS: '', SNMPCONFPATH: nowhere, SNMP_PERSISTENT_DIR: nowhere, HOME: nowhere },
    timeout: 15_000,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout?: string; stderr?: string; message: string }) => {
    throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}` || error.message);
  });
  return stdout;
}

export class RunningProvider {
  readonly port: number;
  readonly provider: Provider;
  readonly #cleanup = new AsyncDisposableStack();
  readonly writes: [string, Value][] = [];
  readonly logged: string[] = [];
  readonly #controller = new AbortController();
  #ended: Promise<void> | undefined;
  #ids = new Map<string, number>();

  static async start(
    variables: Readonly<Record<string, string>>,
    measurements: readonly Served[] = [],
    commands: readonly Served[] = [],
    given: Partial<ProviderOptions<ProviderVariables>> = {},
  ): Promise<RunningProvider> {
    const running = new RunningProvider(variables, await freePort(), given);
    running.setPoints(measurements, commands);
    await running.provider.connect(running.#controller.signal).catch(async (error) => {
      await running.stop();
      throw error;
    });
    running.#ended = running.provider.run(running.#controller.signal);
    return running;
  }

  private constructor(
    variables: Readonly<Record<string, string>>,
    port: number,
    given: Partial<ProviderOptions<ProviderVariables>>,
  ) {
    this.port = port;
    const read = stack.provider?.readVariables({ port: `${port}`, ...variables });
    if (read?.values === undefined) throw new Error(JSON.stringify(read?.faults));
    const log = (message: string) => this.logged.push(message);
    this.provider = createProvider(
      providerOptions({
        name: 'tested',
        variables: read.values,
        folder: given.folder ?? temporaryFolder(this.#cleanup),
        log: { debug: log, info: log, warn: log, error: log },
        write: async ({ address }, value) => {
          this.writes.push([address, value]);
          return written.accepted;
        },
        ...given,
      }),
    );
    this.#cleanup.defer(() => this.provider.close());
    this.#cleanup.defer(() => {
      this.#controller.abort();
      return this.#ended;
    });
  }

  setPoints(measurements: readonly Served[], commands: readonly Served[] = []): void {
    const point = (start: number) => (served: Served, index: number) => ({
      ...served,
      id: start + index,
      name: `point_${start + index}`,
      properties: {},
    });
    const points = {
      measurements: measurements.map(point(0)),
      commands: commands.map(point(measurements.length)).map((each) => ({ ...each, last: undefined })),
    };
    this.#ids = new Map([...points.measurements, ...points.commands].map(({ address, id }) => [address, id]));
    this.provider.setPoints(points);
  }

  publish(address: string, value: Value | undefined, q: number = quality.good, timeUs = 1_700_000_000_123_456): void {
    const id = this.#ids.get(address);
    if (id === undefined) throw new Error(address);
    const batch = new Batch();
    if (value === undefined) batch.none(id, q, timeUs);
    else batch.value(id, value, q, timeUs);
    this.provider.publish(batch);
  }

  get place(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** `get`, `getnext`, `walk`, `bulkwalk`, `set`: numbers only, in the words of net-snmp. */
  async ask(command: string, ...args: readonly string[]): Promise<string> {
    return tool(`snmp${command}`, ['-v2c', '-c', 'reading', '-On', '-t', '2', '-r', '0', this.place, ...args]);
  }

  async set(...args: readonly string[]): Promise<string> {
    return tool('snmpset', ['-v2c', '-c', 'writing', '-On', '-t', '2', '-r', '0', this.place, ...args]);
  }

  async stop(): Promise<void> {
    await this.#cleanup.disposeAsync();
  }
}
