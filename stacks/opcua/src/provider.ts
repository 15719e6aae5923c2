// The provider: a server of the live points, their commands and alarms. The address space is made when it begins to
// serve, and follows the points without a restart.
import type { Batch } from '@telltale/schema';
import {
  type InstanceDetail,
  NotConnected,
  type Provider,
  type ProviderOptions,
  type StackAlarm,
  type StackAlarmState,
  type StackPoints,
} from '@telltale/stack-kit';
import type { OPCUAServer } from 'node-opcua-server';
import { applicationUriOf, CertificateFolder } from './certificate-folder.ts';
import { LastReadings } from './last-readings.ts';
import { ServedAlarms } from './served-alarms.ts';
import { ServedSpace } from './served-space.ts';
import { makeServer } from './ua-server.ts';
import type { ProviderVariables } from './variables.ts';

export function createProvider(options: ProviderOptions<ProviderVariables>): Provider {
  return new UaProvider(options);
}

const closeMs = 1500;

interface Serving {
  readonly server: OPCUAServer;
  readonly space: ServedSpace;
  readonly alarms: ServedAlarms;
}

class UaProvider implements Provider {
  readonly #options: ProviderOptions<ProviderVariables>;
  /** What came before it serves, and what a new start begins with. */
  readonly #last = new LastReadings();
  #points: StackPoints = { measurements: [], commands: [] };
  #alarms: readonly StackAlarm[] = [];
  #states = new Map<number, StackAlarmState>();
  #server: OPCUAServer | undefined;
  #serving: Serving | undefined;

  constructor(options: ProviderOptions<ProviderVariables>) {
    this.#options = options;
  }

  setPoints(points: StackPoints): void {
    this.#points = points;
    this.#last.keepOnly(points);
    this.#serving?.space.setPoints(points);
  }

  setAlarms(alarms: readonly StackAlarm[]): void {
    this.#alarms = alarms;
    this.#states = new Map();
    this.#serving?.alarms.setAlarms(alarms);
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { name, variables, folder, clock, log, write, acknowledge } = this.#options;
    const applicationUri = applicationUriOf(variables.applicationUri, name);
    const certificates = new CertificateFolder({ folder, applicationUri, applicationName: 'Telltale', log });
    await certificates.initialize();
    const server = makeServer({ variables, applicationUri, certificates, clock });
    this.#server = server;
    try {
      await server.initialize();
      signal.throwIfAborted();
      const { addressSpace } = server.engine;
      if (addressSpace === null) throw new Error('the server has no address space');
      addressSpace.installAlarmsAndConditionsService();
      const namespaceUri = variables.namespaceUri === '' ? `urn:telltale:${name}` : variables.namespaceUri;
      const space = new ServedSpace({ addressSpace, namespaceUri, name, write, log });
      const alarms = new ServedAlarms({ space, acknowledge, log });
      space.setPoints(this.#points);
      alarms.setAlarms(this.#alarms);
      space.publish(this.#last.batch());
      alarms.publish([...this.#states.values()]);
      await server.start();
      this.#serving = { server, space, alarms };
    } catch (error) {
      signal.throwIfAborted();
      throw new NotConnected(error instanceof Error ? error.message : String(error));
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
  }

  publish(batch: Batch): void {
    this.#last.take(batch);
    this.#serving?.space.publish(batch);
  }

  publishAlarms(states: readonly StackAlarmState[]): void {
    for (const state of states) this.#states.set(state.id, state);
    this.#serving?.alarms.publish(states);
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#serving = undefined;
    if (server === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, closeMs);
    await Promise.race([server.shutdown(0).catch(() => undefined), promise]);
    clearTimeout(timer);
    server.dispose();
  }

  detail(): InstanceDetail {
    return { clients: this.#serving?.server.currentSessionCount ?? 0 };
  }
}
