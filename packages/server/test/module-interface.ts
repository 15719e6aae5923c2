// Version 1 and the channel over real sockets, with a small plant and whatever function modules a test has: what the tests of
// the modules' interface stand on.
import type { AddressInfo } from 'node:net';
import { type Clock, ProblemError, systemClock } from '@telltale/schema';
import pino from 'pino';
import { type Identities, ModuleTokens, OriginGuard } from '../src/access/index.ts';
import { Alarms } from '../src/alarms/index.ts';
import { ChannelRequests, ChannelServer, type HttpServer, type Route, Watches } from '../src/api/index.ts';
import { type Implementations, instances, LiveData, liveObjects, type StackAccess } from '../src/operations/index.ts';
import { Commands, Measurements } from '../src/points/index.ts';
import { openAccess } from './open-access.ts';
import { PlainDisk } from './plain-disk.ts';
import { openGate, plainCredentials, plainHttp, plainRoutes } from './plain-http.ts';
import type { ServedFacade } from './scripted-modules.ts';

const log = pino({ level: 'silent' });
/** For alarms. */
const willingDisk = { saveAlarm: () => Promise.resolve(), deleteAlarm: () => Promise.resolve() };
const always = { unavailable: () => undefined };
const unknown = async () => {
  throw new ProblemError('unknown-object', 'There is none.');
};
const noLinks = { disable: unknown, enable: unknown, restart: unknown, find: () => undefined };
const noStacks = {
  read: () => '{}',
  explain: unknown,
  explainCommand: unknown,
  browse: unknown,
} as unknown as StackAccess;

export interface ModuleInterfaceOptions {
  readonly tokens?: ModuleTokens;
  readonly identities?: Identities;
  /** Instead of those of live objects and instances. */
  readonly implementations?: Partial<Implementations>;
  readonly more?: readonly Route[];
  readonly clock?: Clock;
  readonly largestBodyBytes?: number;
  readonly maxWatches?: number;
}

export class ModuleInterface {
  readonly disk = new PlainDisk();
  readonly data: LiveData;
  readonly channel: ChannelServer;
  readonly requests: ChannelRequests;
  readonly #http: HttpServer;

  constructor(
    modules: ServedFacade,
    {
      tokens = new ModuleTokens(),
      identities = openAccess(tokens),
      implementations: others,
      more = [],
      clock = systemClock,
      largestBodyBytes = 64 << 20,
      maxWatches = 100,
    }: ModuleInterfaceOptions = {},
  ) {
    const store = this.disk;
    const measurements = new Measurements({ clock, store });
    const commands = new Commands({ clock, store, writeToDevice: () => Promise.resolve() });
    const alarms = new Alarms({ clock, store: willingDisk, measurements });
    for (const name of ['level', 'flow', '__proto__']) measurements.put({ name, datatype: 'd' });
    for (const name of ['valve', 'pump', '__proto__']) commands.put({ name, datatype: 'd' });
    for (const name of ['high', 'low', '__proto__']) alarms.put({ name, severity: 1 });
    this.data = new LiveData({ measurements, commands, alarms });
    const { data } = this;
    const implementations: Partial<Implementations> = others ?? {
      ...liveObjects({ data, stacks: noStacks, boot: '' }),
      ...instances({ stacks: noStacks, links: noLinks, modules }),
      heartbeat: () => undefined,
    };
    const routes = [...plainRoutes(implementations), ...more];
    this.#http = plainHttp({ routes, identities, log, largestBodyBytes });
    const stacks = {
      has: () => false,
      areaOf: () => undefined,
      names: () => [],
      stateText: () => '',
      onState: () => undefined,
    };
    const watches = new Watches({ data, modules, stacks, clock, maxWatches });
    this.requests = new ChannelRequests({ implementations, watches, slices: data.slices, gate: openGate });
    this.channel = new ChannelServer({
      path: '/data/ws',
      requests: this.requests,
      watches,
      clock,
      maxMessageBytes: 1 << 20,
      maxClients: 100,
      identities,
      credentialsOf: plainCredentials,
      gate: openGate,
      modules,
      guard: new OriginGuard({ host: '127.0.0.1' }),
      ...always,
    });
    this.channel.serve(this.#http);
  }

  /** Of bodies and long messages in memory. */
  get heldBytes(): number {
    return this.#http.budget.held;
  }

  get url(): string {
    const { port } = this.#http.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async open(): Promise<void> {
    await this.#http.listen({ host: '127.0.0.1', port: 0 });
  }

  async close(): Promise<void> {
    await this.channel.close();
    await this.#http.close();
    await this.data.alarms.close();
    this.data.commands.close();
    this.data.measurements.close();
  }

  async ask(
    method: string,
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; text: string; headers: Headers }> {
    const response = await fetch(this.url + path, { method, ...init });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }
}
