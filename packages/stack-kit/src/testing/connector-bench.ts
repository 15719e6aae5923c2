// Everything that the tests of one connector share: its device, the way there, and what the device has had.
import { setTimeout as sleep } from 'node:timers/promises';
import { isBad, isGood, type Value } from '@telltale/schema';
import type { ConnectorRole } from '../define-stack.ts';
import { temporaryFolder } from './cleanup.ts';
import type { ConnectorWorld, SamplePoint, TestDevice } from './conformance-world.ts';
import { HostedConnector, type HostedPoint, isSame } from './hosted-connector.ts';
import { until } from './until.ts';
import { openWay, type Way } from './way.ts';

export interface ExtraPoints {
  readonly measurements?: readonly HostedPoint[];
  readonly commands?: readonly HostedPoint[];
}

/** After this long, what was to be kept for later would have been sent. */
const laterMs = 300;

export class ConnectorBench {
  readonly world: ConnectorWorld;
  readonly role: ConnectorRole;
  readonly device: TestDevice;
  readonly way: Way;
  readonly folder: string;
  readonly #cleanup: AsyncDisposableStack;
  /** Bits are flipped and nobody can see: readings are not judged. */
  isBlind = false;
  /** What stacks are told. */
  mayWrite = true;
  readonly #had = new Map<string, Set<Value>>();
  readonly #at = new Map<string, number>();

  static async start(world: ConnectorWorld): Promise<ConnectorBench> {
    const role = world.stack.connector;
    if (role === undefined) throw new Error(`stack ${world.stack.name} has no connector`);
    await using cleanup = new AsyncDisposableStack();
    const folder = temporaryFolder(cleanup);
    world.prepareFolder?.(folder);
    const device = await world.startDevice();
    cleanup.defer(() => device.stop());
    const way = cleanup.use(await openWay(world.transport, { host: '127.0.0.1', port: device.port }));
    return new ConnectorBench(world, role, device, way, folder, cleanup.move());
  }

  private constructor(
    world: ConnectorWorld,
    role: ConnectorRole,
    device: TestDevice,
    way: Way,
    folder: string,
    cleanup: AsyncDisposableStack,
  ) {
    this.world = world;
    this.role = role;
    this.device = device;
    this.way = way;
    this.folder = folder;
    this.#cleanup = cleanup;
  }

  async stop(): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  get vars(): Readonly<Record<string, string>> {
    return this.world.variables(this.way.endpoint);
  }

  get silenceMs(): number {
    return this.world.silenceMs ?? 10_000;
  }

  get recoveryMs(): number {
    return this.world.recoveryMs ?? 20_000;
  }

  /** The way is clear and the device has the first value of every sample. */
  async begin(): Promise<void> {
    this.isBlind = false;
    this.mayWrite = true;
    await this.way.repair();
    this.#had.clear();
    this.#at.clear();
    for (const sample of [...this.world.measurements, ...this.world.commands]) await this.#give(sample, 0);
  }

  host({ measurements = [], commands = [] }: ExtraPoints = {}): HostedConnector {
    return new HostedConnector({
      role: this.role,
      vars: this.vars,
      folder: this.folder,
      measurements: [...this.world.measurements, ...measurements],
      commands: [...this.world.commands, ...commands],
      isBlind: () => this.isBlind,
      lieOf: (address, value) => this.#lieOf(address, value),
      mayWrite: () => this.mayWrite,
    });
  }

  /** Every measurement of the device gets its next value. */
  async change(): Promise<void> {
    for (const sample of this.world.measurements) await this.#give(sample, this.#index(sample) + 1);
  }

  /** What the device has at a sample, as the suite has set it. */
  present(sample: SamplePoint): Value {
    return sample.values[this.#index(sample) % sample.values.length] as Value;
  }

  /** Another value than the one that the device has at a command. */
  async other(command: SamplePoint): Promise<Value> {
    const present = await this.device.get(command.address);
    const other = command.values.find((value) => !isSame(value, present));
    if (other === undefined) throw new Error(`the values of ${command.address} do not differ`);
    return other;
  }

  /** All samples are shown with good quality and the value that the device has. */
  untilRight(hosted: HostedConnector): Promise<void> {
    const missing = () =>
      this.world.measurements.filter((sample) => {
        const shown = hosted.points.get(sample.address);
        return shown === undefined || !isGood(shown.quality) || !isSame(shown.value, this.present(sample));
      });
    return until('every measurement is good and right', () => missing().length === 0, {
      deadlineMs: this.recoveryMs,
    }).catch((error: Error) => {
      const texts = missing().map(({ address }) => {
        const { value, quality } = hosted.points.get(address) ?? {};
        return `${address} is ${value} with quality ${quality}`;
      });
      throw new Error(`${error.message}: ${texts.join(', ')}; the link is ${hosted.state}, ${hosted.lastError}`);
    });
  }

  untilBad(hosted: HostedConnector): Promise<void> {
    const isOver = () =>
      this.world.measurements.every(({ address }) => isBad(hosted.points.get(address)?.quality ?? 0));
    return until('every measurement is bad', isOver, { deadlineMs: this.silenceMs });
  }

  /** The link was lost and has come up again; or, where nobody notices, something has come since. */
  untilRelinked(hosted: HostedConnector, connects: number): Promise<void> {
    if (this.world.linkIsConnection === false) {
      const enough = hosted.batches + 2 * this.world.measurements.length;
      return until('readings come again', () => hosted.batches >= enough, { deadlineMs: this.recoveryMs });
    }
    const isNew = () => hosted.connection.status().counters.connects > connects;
    return until('the link is new', isNew, { deadlineMs: this.recoveryMs });
  }

  /** Time in which something that was kept would be sent. */
  async later(): Promise<void> {
    await sleep(laterMs);
  }

  #index({ address }: SamplePoint): number {
    return this.#at.get(address) ?? 0;
  }

  async #give(sample: SamplePoint, index: number): Promise<void> {
    const { address, values } = sample;
    this.#at.set(address, index);
    const value = this.present(sample);
    const had = this.#had.get(address) ?? new Set();
    this.#had.set(address, had.add(value));
    if (values.length < 2) throw new Error(`${address} needs two values that differ`);
    await this.device.set(address, value);
  }

  #lieOf(address: string, value: Value): string | undefined {
    const had = this.#had.get(address);
    if (had === undefined || [...had].some((each) => isSame(each, value))) return undefined;
    return `the device only ever had ${[...had].join(', ')}`;
  }
}
