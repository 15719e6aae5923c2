// `telltale status`: how the service and its plant are, at a glance.
import { type MetricSample, TelltaleProblem } from '@telltale/client';
import { familyNames, type LinkState, type LiveAlarm, type Simulation } from '@telltale/schema';
import { type Call, type CommandDeclaration, Refused } from '../declaration.ts';
import type { Cell, Style } from '../terminal.ts';
import { isActive, linkCell, stateCell, valueText } from '../words.ts';
import { bySeverity } from './alarms.ts';

export interface Link {
  readonly role: string;
  readonly name: string;
  readonly state: string;
}

export interface Status {
  readonly url: string;
  readonly version: string;
  /** Why the service is not ready; null where it is. */
  readonly notReady: string | null;
  /** From here on null is: the service does not say. */
  readonly upToDate: boolean | null;
  /** Objects in the configuration, by family. */
  readonly objects: Readonly<Record<string, number>> | null;
  /** Each connector and provider, and whether its link is up: connecting, up, down or failed. */
  readonly links: readonly Link[] | null;
  readonly activeAlarms: readonly LiveAlarm[] | null;
  readonly simulated: readonly Simulation[] | null;
  /** Files of the archive that are damaged or missing, in whole or in part. */
  readonly archiveDamaged: readonly string[] | null;
}

export const status: CommandDeclaration = {
  path: ['status'],
  summary: 'Summarize the service: readiness, configuration, connectors, alarms, archive',
  arguments: [],
  options: [],
  details: 'Exit code 1 means that the service runs but is not ready.',
  run: async (call) => {
    const found = await readStatus(call);
    if (call.terminal.isJson) await call.terminal.json(found);
    else await print(call, found);
    if (found.notReady !== null) throw new Refused('The service is not ready.');
  },
};

async function readStatus({ client, signal }: Call): Promise<Status> {
  const options = { signal };
  const notReady = await client.service.ready(options).then(() => null, reasonOf);
  const version = await client.service.version(options);
  const [upToDate, metrics, alarms, simulated, archive] = await Promise.all([
    ifThere(client.configuration.isUpToDate(options)),
    ifThere(client.service.metrics(options)),
    ifThere(client.alarms.list(options)),
    ifThere(client.measurements.simulations(options)),
    ifThere(client.archive.stats(options)),
  ]);
  return {
    url: client.service.url,
    version,
    notReady,
    upToDate,
    objects: metrics && countObjects(metrics),
    links: metrics && linkStates(metrics),
    activeAlarms:
      alarms &&
      Object.values(alarms)
        .filter(({ state }) => isActive(state))
        .sort(bySeverity),
    simulated: simulated && Object.values(simulated),
    archiveDamaged: archive && [...new Set(archive.damages.map(({ file }) => file))],
  };
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

export function linkStates(metrics: readonly MetricSample[]): Link[] {
  const text = (labels: ReadonlyMap<string, string>, label: string) => labels.get(label) ?? '';
  return metrics
    .filter(({ name, value }) => name === 'telltale_stack_state' && value !== 0)
    .map(({ labels }) => ({ role: text(labels, 'role'), name: text(labels, 'name'), state: text(labels, 'state') }));
}

async function print({ terminal }: Call, found: Status): Promise<void> {
  const { notReady, upToDate, objects, links, activeAlarms, simulated, archiveDamaged } = found;
  const line = (title: string, ...cells: Cell[]) => terminal.line({ text: title.padEnd(15), style: 'bold' }, ...cells);
  await line('Telltale', `${found.version} at ${found.url}`);
  await line('Service', notReady === null ? { text: 'ready', style: 'green' } : { text: notReady, style: 'red' });
  const differs: Cell = { text: 'differs from what runs: telltale config diff', style: 'yellow' };
  await line('Configuration', upToDate === null ? unknown : upToDate ? 'runs' : differs);
  const counts = Object.entries(objects ?? {}).filter(([, count]) => count > 0);
  const texts = counts.map(
    ([family, count]) => `${count} ${(count === 1 ? family.slice(0, -1) : family).replace('-', ' ')}`,
  );
  await line('Objects', objects === null ? unknown : texts.join(', ') || 'none');
  for (const { role, name, state } of links ?? []) {
    await line(role === 'provider' ? 'Provider' : 'Connector', `${name} `, linkCell(state as LinkState));
  }
  await line('Active alarms', countCell(activeAlarms, 'red'));
  for (const { name, severity, state } of activeAlarms ?? []) {
    await line('', `${name}  severity ${severity}  `, stateCell(state));
  }
  await line('Simulated', countCell(simulated, 'magenta'));
  for (const { name, value, by } of simulated ?? []) await line('', `${name} = ${valueText(value)}, by ${by}`);
  await line('Archive', archiveCell(archiveDamaged));
}

const unknown: Cell = { text: 'not known', style: 'yellow' };

export function archiveCell(damaged: readonly string[] | null): Cell {
  if (damaged === null) return unknown;
  if (damaged.length === 0) return 'no damage is known';
  const files = damaged.length === 1 ? '1 file is' : `${damaged.length} files are`;
  return { text: `${files} damaged or missing: telltale archive stats`, style: 'red' };
}

function countCell(items: readonly unknown[] | null, style: Style): Cell {
  if (items === null) return unknown;
  return items.length === 0 ? 'none' : { text: String(items.length), style };
}
