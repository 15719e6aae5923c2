// What of the state of a service somebody must do something about, and what is only worth knowing.
import { leastFreeBytes, type Simulation } from '@telltale/schema';
import { timeText, valueText } from '../words.ts';
import type { LinkStatus, ModuleStatus, StatusFacts } from './status-facts.ts';

export interface Finding {
  /** wrong: the plant or its data is not as it should be. note: somebody has set it so, or should look at it. */
  readonly level: 'wrong' | 'note';
  readonly kind:
    | 'service'
    | 'connector'
    | 'provider'
    | 'module'
    | 'disk'
    | 'archive'
    | 'configuration'
    | 'simulations'
    | 'alarms';
  /** Of the connector, provider or module. */
  readonly name: string | null;
  /** One sentence. */
  readonly text: string;
}

const mostNamed = 3;

/** What is wrong first. */
export function findingsOf(facts: StatusFacts): Finding[] {
  const found = [
    ...serviceFindings(facts),
    ...diskFindings(facts),
    ...(facts.links ?? []).flatMap(linkFindings),
    ...(facts.modules ?? []).flatMap(moduleFindings),
    ...configurationFindings(facts),
    ...simulationFindings(facts.simulated ?? []),
    ...alarmFindings(facts),
  ];
  return [...found.filter(({ level }) => level === 'wrong'), ...found.filter(({ level }) => level === 'note')];
}

function serviceFindings({ notReady, degraded, warnings }: StatusFacts): Finding[] {
  const of = (level: Finding['level'], text: string): Finding => ({ level, kind: 'service', name: null, text });
  return [
    ...(notReady === null ? [] : [of('wrong', notReady)]),
    ...(degraded ?? []).map((text) => of('wrong', text)),
    ...(warnings ?? []).map((text) => of('note', text)),
  ];
}

function diskFindings({ disk, archiveDamaged }: StatusFacts): Finding[] {
  const found: Finding[] = [];
  if (typeof disk?.freeBytes === 'number' && disk.freeBytes < leastFreeBytes) {
    const text = `Only ${megabytes(disk.freeBytes)} are free on the disk of the data folder: make room, or set --archive-max-size.`;
    found.push({ level: 'wrong', kind: 'disk', name: null, text });
  }
  if (archiveDamaged !== null && archiveDamaged.length > 0) {
    const files = archiveDamaged.length === 1 ? '1 file is' : `${archiveDamaged.length} files are`;
    const text = `${files} damaged or missing: telltale archive stats`;
    found.push({ level: 'wrong', kind: 'archive', name: null, text });
  }
  return found;
}

/** One whose first try is not over is a note; each later try of one that fails is `connecting`, too. */
function linkFindings({ role, name, state, since, error, disabled, devicesDown }: LinkStatus): Finding[] {
  const of = (level: Finding['level'], text: string): Finding => ({ level, kind: role, name, text });
  if (state === 'up') {
    return devicesDown.map((device) =>
      of(
        'wrong',
        `Device ${device.name} of ${role} ${name} is down since ${timeText(device.since)}${why(device.error)}`,
      ),
    );
  }
  if (state === 'disabled') {
    const by = disabled === null ? '' : ` by ${disabled.by}`;
    return [
      of('note', `${capital(role)} ${name} is disabled since ${timeText(since)}${by}${why(disabled?.reason ?? null)}`),
    ];
  }
  if (state === 'connecting' && error === null) {
    return [of('note', `${capital(role)} ${name} is connecting since ${timeText(since)}.`)];
  }
  const is = state === 'connecting' ? 'down' : state;
  return [of('wrong', `${capital(role)} ${name} is ${is} since ${timeText(since)}${why(error)}`)];
}

function moduleFindings({ name, state, enabled, since, error }: ModuleStatus): Finding[] {
  const of = (level: Finding['level'], text: string): Finding[] => [{ level, kind: 'module', name, text }];
  if (state === 'FAIL') return of('wrong', `Function module ${name} has failed, since ${timeText(since)}${why(error)}`);
  if (state !== 'STOP' || !enabled) return [];
  return of('note', `Function module ${name} is stopped since ${timeText(since)}.`);
}

function configurationFindings({ pendingEdits }: StatusFacts): Finding[] {
  if (pendingEdits === null || pendingEdits === 0) return [];
  const objects = pendingEdits === 1 ? '1 object is' : `${pendingEdits} objects are`;
  const text = `${objects} edited and not rendered: telltale config diff`;
  return [{ level: 'note', kind: 'configuration', name: null, text }];
}

function simulationFindings(simulated: readonly Simulation[]): Finding[] {
  if (simulated.length === 0) return [];
  const count = simulated.length === 1 ? '1 measurement is' : `${simulated.length} measurements are`;
  const named = simulated
    .slice(0, mostNamed)
    .map(({ name, value, since, by }) => `${name} = ${valueText(value)} since ${timeText(since)} by ${by}`);
  const more = simulated.length > mostNamed ? `; and ${simulated.length - mostNamed} more: telltale simulate` : '';
  return [{ level: 'note', kind: 'simulations', name: null, text: `${count} simulated: ${named.join('; ')}${more}` }];
}

function alarmFindings({ unacknowledgedAlarms, activeAlarms }: StatusFacts): Finding[] {
  if (unacknowledgedAlarms === null || unacknowledgedAlarms === 0) return [];
  const active = (activeAlarms ?? []).filter(({ state }) => state === 'ACT_UNACK').length;
  const count = unacknowledgedAlarms === 1 ? '1 alarm is' : `${unacknowledgedAlarms} alarms are`;
  const text = `${count} not acknowledged, ${active} of them active: telltale alarms`;
  return [{ level: 'note', kind: 'alarms', name: null, text }];
}

function why(error: string | null): string {
  if (error === null) return '.';
  return `: ${/[.!?…]$/.test(error) ? error : `${error}.`}`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6)} MB`;
}
