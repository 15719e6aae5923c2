// What is known of the state of a service, from several of its answers.
import { type MetricSample, type TelltaleClient, TelltaleProblem } from '@telltale/client';
import {
  type DisabledLink,
  type FunctionModuleState,
  familyNames,
  type LinkState,
  type LiveAlarm,
  type NodeState,
  type Simulation,
  type Timestamp,
} from '@telltale/schema';
import { isActive } from '../words.ts';
import { bySeverity } from './alarms.ts';

export interface DeviceDown {
  readonly name: string;
  readonly since: Timestamp;
  readonly error: string | null;
}

export interface LinkStatus {
  readonly role: 'connector' | 'provider';
  readonly name: string;
  readonly state: LinkState;
  readonly since: Timestamp;
  /** The newest, also where the link is up again. */
  readonly error: string | null;
  /** Who disabled it, when and why; null while it is in service. */
  readonly disabled: DisabledLink | null;
  /** Of a connector with several devices behind it. */
  readonly devicesDown: readonly DeviceDown[];
}

export interface ModuleStatus {
  readonly name: string;
  readonly state: FunctionModuleState;
  readonly enabled: boolean;
  readonly since: Timestamp;
  readonly error: string | null;
}

export interface DiskStatus {
  /** Null where the system does not say. */
  readonly sizeBytes: number | null;
  readonly freeBytes: number | null;
  readonly archiveBytes: number;
  /** Null where there is no limit. */
  readonly archiveMaxBytes: number | null;
}

export interface StatusFacts {
  readonly url: string;
  readonly version: string;
  /** Why the service is not ready; null where it is. */
  readonly notReady: string | null;
  /** What is to be done soon, such as to renew a certificate: a sentence each. From here on null is: the service does not say. */
  readonly warnings: readonly string[] | null;
  /** What other machines do not do for it. */
  readonly degraded: readonly string[] | null;
  /** Whether there are no users, and every program of the machine may do everything. */
  readonly isOpen: boolean | null;
  readonly upToDate: boolean | null;
  /** Objects that were edited and are not rendered. */
  readonly pendingEdits: number | null;
  /** Objects in the configuration, by family. */
  readonly objects: Readonly<Record<string, number>> | null;
  /** Of the nodes of its site; null where it is the only one. */
  readonly node: NodeState | null;
  readonly links: readonly LinkStatus[] | null;
  readonly modules: readonly ModuleStatus[] | null;
  /** The most severe first. */
  readonly activeAlarms: readonly LiveAlarm[] | null;
  readonly unacknowledgedAlarms: number | null;
  readonly simulated: readonly Simulation[] | null;
  readonly disk: DiskStatus | null;
  /** Files of the archive that are damaged or missing, in whole or in part. */
  readonly archiveDamaged: readonly string[] | null;
}

export async function readStatusFacts(client: TelltaleClient, signal: AbortSignal): Promise<StatusFacts> {
  const options = { signal };
  const notReady = await client.service.ready(options).then(() => null, reasonOf);
  const version = await client.service.version(options);
  const [readiness, overview, identity, upToDate, metrics, connectors, providers, modules, alarms, simulated, archive] =
    await Promise.all([
      ifThere(client.service.readiness(options)),
      ifThere(client.service.overview(options)),
      ifThere(client.access.me(options)),
      ifThere(client.configuration.isUpToDate(options)),
      ifThere(client.service.metrics(options)),
      ifThere(
        client.connectors.list({ ...options, fields: ['name', 'state', 'since', 'last-error', 'disabled', 'devices'] }),
      ),
      ifThere(client.providers.list({ ...options, fields: ['name', 'state', 'since', 'last-error', 'disabled'] })),
      ifThere(client.functionModules.list({ ...options, fields: ['name', 'state', 'enabled', 'since', 'last-error'] })),
      ifThere(client.alarms.list(options)),
      ifThere(client.measurements.simulations(options)),
      ifThere(client.archive.stats(options)),
    ]);
  const pendingEdits = upToDate === false ? await ifThere(client.configuration.diff(options)) : upToDate && [];
  const links = [
    ...Object.values(connectors ?? {}).map((live) => linkOf('connector', live, live.devices)),
    ...Object.values(providers ?? {}).map((live) => linkOf('provider', live, [])),
  ];
  return {
    url: client.service.url,
    version,
    notReady,
    warnings: readiness?.warnings ?? null,
    degraded: readiness?.degraded.map(({ text }) => text) ?? null,
    isOpen: identity?.isOpen ?? null,
    upToDate,
    pendingEdits: pendingEdits?.length ?? null,
    objects: metrics && countObjects(metrics),
    node: overview?.node ?? null,
    links: connectors && providers && links,
    modules:
      modules &&
      Object.values(modules).map(({ name, state, enabled, since, 'last-error': error }) => ({
        name,
        state,
        enabled,
        since,
        error: error?.text ?? null,
      })),
    activeAlarms:
      alarms &&
      Object.values(alarms)
        .filter(({ state }) => isActive(state))
        .sort(bySeverity),
    unacknowledgedAlarms: alarms && Object.values(alarms).filter(({ state }) => state.endsWith('_UNACK')).length,
    simulated: simulated && Object.values(simulated),
    disk: archive && {
      sizeBytes: archive['disk-bytes'],
      freeBytes: archive['disk-free-bytes'],
      archiveBytes: archive.bytes,
      archiveMaxBytes: archive['max-bytes'],
    },
    archiveDamaged: archive && [...new Set(archive.damages.map(({ file }) => file))],
  };
}

interface Live {
  readonly name: string;
  readonly state: LinkState;
  readonly since: Timestamp;
  readonly 'last-error': { readonly text: string } | null;
  readonly disabled: DisabledLink | null;
}

type Devices = readonly { name: string; state: string; since: Timestamp; 'last-error': string | null }[];

function linkOf(role: LinkStatus['role'], live: Live, devices: Devices): LinkStatus {
  const { name, state, since, 'last-error': error, disabled } = live;
  const devicesDown = devices
    .filter((device) => device.state === 'down')
    .map((device) => ({ name: device.name, since: device.since, error: device['last-error'] }));
  return { role, name, state, since, error: error?.text ?? null, disabled, devicesDown };
}

function reasonOf(error: unknown): string {
  if (error instanceof TelltaleProblem) return error.detail;
  throw error;
}

/** Null where the service does not have it, or cannot say while it is not ready. */
async function ifThere<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof TelltaleProblem) return null;
    throw error;
  }
}

function countObjects(metrics: readonly MetricSample[]): Record<string, number> {
  const counts = metrics.filter(({ name }) => name === 'telltale_configuration_objects');
  const of = new Map(counts.map(({ labels, value }) => [labels.get('family'), value]));
  return Object.fromEntries(familyNames.map((family) => [family, of.get(family) ?? 0]));
}
