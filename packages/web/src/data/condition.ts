// What of the service and the plant is not as it should be, gathered for the start view from what each part says of itself.
import type { FunctionModuleState, LinkState } from '@telltale/schema';
import { fromTimestamp, leastFreeBytes } from '@telltale/schema/values';
import { byUrgency, presentAlarms, sinceOf } from './alarms.ts';
import { overview } from './overview.ts';
import { client } from './service.ts';
import { may } from './session.ts';

/** Since when, in microseconds since 1970; what is so from the start has the time of the start. */
interface Since {
  readonly since: number;
  /** `wrong`: the plant or its data is not as it should be; `note`: somebody has set it so, or should look at it. */
  readonly level: 'wrong' | 'note';
}

export type Finding = Since &
  (
    | {
        readonly kind: 'connector' | 'provider';
        readonly name: string;
        readonly state: LinkState;
        readonly error: string;
        /** So many of its values are bad. */
        readonly bad?: number;
      }
    | { readonly kind: 'device'; readonly name: string; readonly device: string; readonly error: string }
    | { readonly kind: 'module'; readonly name: string; readonly state: FunctionModuleState; readonly error: string }
    /** Of one connector; '': of any. */
    | { readonly kind: 'points'; readonly count: number; readonly connector: string }
    | { readonly kind: 'point'; readonly name: string; readonly quality: number }
    | { readonly kind: 'alarm'; readonly name: string; readonly description: string; readonly severity: number }
    | { readonly kind: 'alarms' | 'configuration' | 'forced'; readonly count: number }
    | { readonly kind: 'service'; readonly text: string }
    | { readonly kind: 'disk'; readonly freeBytes: number }
  );

/** More bad points of one connector than these are one line: it is at fault, or they have a page of their own. */
const mostOfConnector = 3;
/** More than these are not read. */
const mostBadPoints = 1000;
const mostAlarms = 20;

/** The newest first. */
export async function readFindings(signal: AbortSignal): Promise<Finding[]> {
  // That a node which waits has no links is as it should be.
  if (overview.peek()?.node?.role === 'standby') return inOrder([...alarmFindings(), ...serviceFindings()]);
  const found = await Promise.all([linkFindings(signal), moduleFindings(signal), pointFindings(signal)]);
  return inOrder([...withTheirBad(found.flat()), ...alarmFindings(), ...serviceFindings()]);
}

function inOrder(findings: Finding[]): Finding[] {
  return findings.sort((a, b) => b.since - a.since);
}

async function linkFindings(signal: AbortSignal): Promise<Finding[]> {
  const fields = ['name', 'state', 'since', 'last-error', 'devices'] as const;
  const [connectors, providers] = await Promise.all([
    client.connectors.list({ fields, signal }),
    client.providers.list({ fields, signal }),
  ]);
  const of = (kind: 'connector' | 'provider', links: Readonly<Record<string, (typeof connectors)[string]>>) =>
    Object.values(links).flatMap((link): Finding[] => {
      const since = fromTimestamp(link.since);
      const error = link['last-error']?.text ?? '';
      if (link.state !== 'up') {
        const isNote = link.state === 'disabled' || (link.state === 'connecting' && error === '');
        return [{ kind, name: link.name, state: link.state, error, since, level: isNote ? 'note' : 'wrong' }];
      }
      return link.devices
        .filter(({ state }) => state === 'down')
        .map((device) => ({
          kind: 'device',
          name: link.name,
          device: device.name,
          error: device['last-error'] ?? '',
          since: fromTimestamp(device.since),
          level: 'wrong',
        }));
    });
  return [...of('connector', connectors), ...of('provider', providers)];
}

async function moduleFindings(signal: AbortSignal): Promise<Finding[]> {
  const modules = await client.functionModules.list({
    fields: ['name', 'state', 'since', 'last-error', 'enabled', 'run-mode'],
    signal,
  });
  return Object.values(modules).flatMap((module): Finding[] => {
    const { name, state, enabled } = module;
    const isService = module['run-mode'] === 'service';
    if (state !== 'FAIL' && !(state === 'STOP' && enabled && isService)) return [];
    const error = module['last-error']?.text ?? '';
    const level = state === 'FAIL' ? 'wrong' : 'note';
    return [{ kind: 'module', name, state, error, since: fromTimestamp(module.since), level }];
  });
}

/** A link that is lost has its bad values on its own line. */
function withTheirBad(findings: readonly Finding[]): Finding[] {
  const down = new Set(findings.flatMap((each) => (each.kind === 'connector' ? [each.name] : [])));
  return findings.flatMap((each): Finding[] => {
    if (each.kind === 'points') return down.has(each.connector) ? [] : [each];
    if (each.kind !== 'connector') return [each];
    const bad = findings.find((other) => other.kind === 'points' && other.connector === each.name);
    return [bad?.kind === 'points' ? { ...each, bad: bad.count } : each];
  });
}

async function pointFindings(signal: AbortSignal): Promise<Finding[]> {
  const count = overview.peek()?.measurements.bad ?? 0;
  if (count === 0) return [];
  if (count > mostBadPoints) return [{ kind: 'points', count, connector: '', since: startOf(), level: 'wrong' }];
  const bad = await client.measurements.list({ quality: ['bad'], fields: ['name', 'vtq', 'connector'], signal });
  const groups = Map.groupBy(Object.values(bad), ({ connector = '' }) => connector);
  return [...groups].flatMap(([connector, members]): Finding[] => {
    const points = members.map(({ name, vtq: [, t, quality] }): Finding => {
      return { kind: 'point', name, quality, since: fromTimestamp(t), level: 'wrong' };
    });
    if (connector === '' || members.length <= mostOfConnector) return points;
    const since = points.reduce((newest, point) => Math.max(newest, point.since), 0);
    return [{ kind: 'points', count: members.length, connector, since, level: 'wrong' }];
  });
}

function alarmFindings(): Finding[] {
  const waiting = [...presentAlarms.peek().values()].filter(({ state }) => state !== 'INACT_ACK').sort(byUrgency);
  const shown = waiting.slice(0, mostAlarms).map(
    (alarm): Finding => ({
      kind: 'alarm',
      name: alarm.name,
      description: alarm.description,
      severity: alarm.severity,
      since: sinceOf(alarm),
      level: 'wrong',
    }),
  );
  const more = waiting.length - shown.length;
  return more > 0 ? [...shown, { kind: 'alarms', count: more, since: 0, level: 'wrong' }] : shown;
}

function serviceFindings(): Finding[] {
  const found = overview.peek();
  if (found === undefined) return [];
  const since = startOf();
  const findings: Finding[] = [];
  const notReady = found['not-ready'];
  if (notReady !== null) findings.push({ kind: 'service', text: notReady.detail, since, level: 'wrong' });
  for (const each of found.degraded)
    findings.push({ kind: 'service', text: each.text, since: fromTimestamp(each.since), level: 'wrong' });
  for (const text of found.warnings) findings.push({ kind: 'service', text, since, level: 'note' });
  const freeBytes = found.plant?.['disk-free-bytes'] ?? undefined;
  if (freeBytes !== undefined && freeBytes < leastFreeBytes)
    findings.push({ kind: 'disk', freeBytes, since, level: 'wrong' });
  const edits = found.configuration?.edits ?? 0;
  if (edits > 0 && may('read-config')) findings.push({ kind: 'configuration', count: edits, since: 0, level: 'note' });
  const { simulated } = found.measurements;
  if (simulated > 0) findings.push({ kind: 'forced', count: simulated, since: 0, level: 'note' });
  return findings;
}

function startOf(): number {
  const found = overview.peek();
  return found === undefined ? 0 : fromTimestamp(found.service.started);
}
