// The alarms of all sites of a centre, from their mirrors. Of a site that is not there, what was known last, and marked so.
import { alarmStates, type InputOf, type SitesAlarm, type SitesAlarms } from '@telltale/schema';
import { stepItems } from '../../points/index.ts';
import { liveAlarm } from '../data/index.ts';
import { incompleteSite, type SeenSite } from './seen-sites.ts';
import type { SitesParts } from './sites-parts.ts';

type Input = InputOf<'listAlarmsOfSites'>;

const usualLimit = 1000;

/** In steps. Throws `ProblemError` where the selector asks for too much. */
export function* alarmsOfSites(
  parts: Pick<SitesParts, 'alarmsOf'>,
  seen: readonly SeenSite[],
  { site: _, limit = usualLimit, severity, state, ...selector }: Input,
): Generator<void, SitesAlarms> {
  const states: ReadonlySet<string> = new Set(state ?? alarmStates.filter((each) => each !== 'INACT_ACK'));
  const incomplete = [];
  const found: SitesAlarm[] = [];
  let items = 0;
  for (const site of seen) {
    const { alarms, selection, isLive, cause } = parts.alarmsOf(site.id) ?? {};
    if (isLive !== true) incomplete.push(incompleteSite(site, site.error ?? (cause || 'its alarms are not known yet')));
    if (alarms === undefined || selection === undefined) continue;
    const matcher = selection.matcher(selector);
    for (const handle of alarms.all()) {
      if (++items % stepItems === 0) yield;
      const definition = alarms.definitionAt(handle);
      if (definition === undefined || !states.has(alarms.stateOf(handle).state)) continue;
      if (severity !== undefined && definition.severity !== severity) continue;
      if (!site.rights.on('view', definition.name, definition.area) || !matcher.matches(handle)) continue;
      found.push({ site: site.id, 'site-name': site.name, ...liveAlarm(alarms, handle), 'is-live': isLive === true });
    }
  }
  return { alarms: found.sort(bySeverity).slice(0, limit), total: found.length, incomplete };
}

/** The most severe first, and of these the newest. */
function bySeverity(a: SitesAlarm, b: SitesAlarm): number {
  return a.severity - b.severity || b.t[0] - a.t[0] || b.t[1] - a.t[1];
}
