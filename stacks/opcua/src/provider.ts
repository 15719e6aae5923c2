// The provider: a server of the live points, their commands and alarms. The address space is made when it begins to
// serve, and follows the points without a restart.
import { type Batch, untilAborted } from '@telltale/schema';
import {
  type InstanceDetail,
  NotConnected,
  type Provider,
  type ProviderOptions,
  ServedClients,
  ServedPoints,
  type StackAlarm,
  type StackAlarmState,
  type StackPoints,
} from '@telltale/stack-kit';
import type { OPCUAServer } from 'node-opcua-server';
import { applicationUriOf, CertificateFolder } from './certificate-folder.ts';
import { guardMonitoredRanges } from './guarded-ranges.ts';
import { guardEndpoint } from './guarded-socket.ts';
import { HistoryReads } from './history-reads.ts';
import { PacedWork } from './paced-work.ts';
import { ServedAlarms } from './served-alarms.ts';
import { ServedSpace } from './served-space.ts';
import { browseInSteps } from './stepped-browse.ts';
import { SteppedRequests } from './stepped-requests.ts';
import { chunkBytes, makeServer } from './ua-server.ts';
import { UserSessions } from './user-sessions.ts';
import { UserViews } from './user-views.ts';
import { leniencyOf, type ProviderVariables } from './variables.ts';

export function createProvider(options: ProviderOptions<ProviderVariables>): Provider {
  return new UaProvider(options);
}

const closeMs = 1500;
const fillMs = 3000;

interface Serving {
  readonly server: OPCUAServer;
  readonly space: ServedSpace;
  readonly alarms: ServedAlarms;
}

class UaProvider implements Provider {
  readonly #options: ProviderOptions<ProviderVariables>;
  readonly #work = new PacedWork();
  readonly #points = new ServedPoints();
  #alarms: readonly StackAlarm[] | undefined;
  #states = new Map<number, StackAlarmState>();
  #server: OPCUAServer | undefined;
  #serving: Serving | undefined;
  /** Rejects where what is served cannot become what is wanted: then it does not go on. */
  #broken = Promise.withResolvers<never>();

  constructor(options: ProviderOptions<ProviderVariables>) {
    this.#options = options;
  }

  setPoints(points: StackPoints): void {
    this.#points.setPoints(points);
    // The alarms name their triggers by the ids of the points: those that fit these points follow.
    this.#alarms = undefined;
    this.#change().catch(this.#broken.reject);
  }

  setAlarms(alarms: readonly StackAlarm[]): void {
    this.#alarms = alarms;
    this.#states = new Map();
    this.#change().catch(this.#broken.reject);
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { name, variables, folder, clock, log, write, acknowledge, history, signIn } = this.#options;
    const applicationUri = applicationUriOf(variables.applicationUri, name);
    const leniency = leniencyOf(variables);
    const names = { applicationUri, applicationName: 'Telltale' };
    const certificates = new CertificateFolder({ folder, ...names, clock, log, leniency });
    await certificates.initialize();
    const users = variables.users === 'service' ? new UserSessions({ signIn, log }) : undefined;
    const server = makeServer({ variables, applicationUri, certificates, clock, users });
    this.#server = server;
    this.#broken = Promise.withResolvers<never>();
    this.#broken.promise.catch(() => undefined);
    try {
      await server.initialize();
      users?.install(server);
      const clients = new ServedClients(this.#options);
      const stepped = new SteppedRequests(this.#options.turns);
      const busyUntil = () => stepped.takeBegun();
      for (const endpoint of server.endpoints) guardEndpoint(endpoint, chunkBytes, { clients, busyUntil });
      signal.throwIfAborted();
      const { addressSpace } = server.engine;
      if (addressSpace === null) throw new Error('the server has no address space');
      addressSpace.installAlarmsAndConditionsService();
      const namespaceUri = variables.namespaceUri === '' ? `urn:telltale:${name}` : variables.namespaceUri;
      const space = new ServedSpace({ addressSpace, namespaceUri, name, write, users, clock, log });
      guardMonitoredRanges(server, ({ namespace }) => namespace === space.namespace.index);
      const alarms = new ServedAlarms({ space, acknowledge, users, log });
      if (users !== undefined) new UserViews({ users, space, alarms }).install(server);
      stepped.install(server);
      browseInSteps(server.engine, this.#options.turns);
      new HistoryReads({ history, space, clock, log }).install(server);
      this.#serving = { server, space, alarms };
      // Clients find everything there, or nearly so: very many points are still on their way when it begins to listen.
      const filled = this.#change();
      filled.catch(this.#broken.reject);
      await atMost(fillMs, filled);
      signal.throwIfAborted();
      await server.start();
    } catch (error) {
      signal.throwIfAborted();
      throw new NotConnected(error instanceof Error ? error.message : String(error));
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal, this.#broken.promise);
  }

  publish(batch: Batch): void {
    this.#points.take(batch, (served) => this.#serving?.space.show(served));
  }

  publishAlarms(states: readonly StackAlarmState[]): void {
    for (const state of states) this.#states.set(state.id, state);
    this.#serving?.alarms.publish(states);
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#serving = undefined;
    this.#work.stop();
    if (server === undefined) return;
    await atMost(
      closeMs,
      server.shutdown(0).catch(() => undefined),
    );
    server.dispose();
  }

  detail(): InstanceDetail {
    return { clients: this.#serving?.server.currentSessionCount ?? 0 };
  }

  /** Has what is served become what is wanted. */
  #change(): Promise<void> {
    const serving = this.#serving;
    if (serving === undefined) return Promise.resolve();
    const [points, alarms, states] = [this.#points.all, this.#alarms, this.#states];
    function* steps({ space, alarms: servedAlarms }: Serving): Generator<void> {
      yield* space.change(points);
      if (alarms !== undefined) yield* servedAlarms.change(alarms, states);
    }
    return this.#work.start(steps(serving));
  }
}

async function atMost(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
