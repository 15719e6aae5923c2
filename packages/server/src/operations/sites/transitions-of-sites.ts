// The journal of all sites of a centre: transitions of alarms, the newest first, from the store, which has them also of sites that are
// not there. Without a store, the sites that are there are asked.
import {
  type AlarmTransitions,
  checkSelector,
  type IncompleteSite,
  invalidQuery,
  nameMatcher,
  type SitesTransitions,
  searchWords,
} from '@telltale/schema';
import { readPlace, type TransitionPlace } from '../../archive/index.ts';
import { visitorOf } from '../archive/index.ts';
import { type AskedTransitions, usualTransitions } from './asked-transitions.ts';
import { incompleteSite, type SeenSite } from './seen-sites.ts';
import type { SitesHistory, SitesParts } from './sites-parts.ts';
import { transitionsFromSites } from './transitions-from-sites.ts';

/** A site whose records wait for longer has some that the store lacks. */
const mostLagS = 10;

export async function transitionsOfSites(
  parts: SitesParts,
  seen: readonly SeenSite[],
  asked: AskedTransitions,
): Promise<SitesTransitions> {
  const { input } = asked;
  checkSelector(input);
  const before = input.before === undefined ? undefined : readPlace(input.before);
  if (input.before !== undefined && before === undefined)
    throw invalidQuery('before', 'is not the next of a page; leave it out to begin with the newest');
  const { history } = parts;
  return history === undefined
    ? transitionsFromSites(parts, seen, asked, before)
    : fromStore(parts, history, seen, asked, before);
}

async function fromStore(
  parts: SitesParts,
  history: SitesHistory,
  seen: readonly SeenSite[],
  { input, interval, asking, signal }: AskedTransitions,
  before: TransitionPlace | undefined,
): Promise<SitesTransitions> {
  const { limit = usualTransitions, state, search, simulated } = input;
  const untilUs = before === undefined ? interval.untilUs : Math.min(interval.untilUs, before.timeUs + 1);
  const names = await history.namesIn('alarms', interval.sinceUs, untilUs);
  const bySite = Map.groupBy(names, ({ name }) => name.slice(0, name.indexOf('/')));
  const wanted = seen.flatMap((site) => {
    const isWanted = wantedOf(parts, site, input);
    const isNewest = newestOf(parts, site, interval.sinceUs);
    return (bySite.get(site.id) ?? [])
      .map(({ name, isSealed }) => ({ full: name, isSealed, name: name.slice(site.id.length + 1) }))
      .filter(({ name, isSealed }) => isWanted(name) && (isSealed || isNewest(name)));
  });
  const result = await history.of(undefined).read(
    {
      kind: 'alarms',
      names: wanted.map(({ full }) => full).sort(),
      known: [],
      sinceUs: interval.sinceUs,
      untilUs: interval.untilUs,
      form: 'json',
      simulated: simulated === 'include' ? undefined : simulated,
      transitions: {
        limit,
        before,
        states: state && new Set(state),
        words: search === undefined ? undefined : searchWords(search),
      },
    },
    { ...visitorOf(asking), signal },
  );
  const pieces: Buffer[] = [];
  for await (const page of result) pieces.push(Buffer.from(page)); // it is good until the next one
  const { transitions, next } = JSON.parse(Buffer.concat(pieces).toString()) as AlarmTransitions;
  const nameOf = new Map(seen.map(({ id, name }) => [id, name]));
  return {
    transitions: transitions.map(({ name: full, ...transition }) => {
      const at = full.indexOf('/');
      const site = full.slice(0, at);
      return { site, 'site-name': nameOf.get(site) ?? site, name: full.slice(at + 1), ...transition };
    }),
    ...(next !== undefined && { next }),
    incomplete: seen.flatMap((site) => behind(site) ?? []),
  };
}

/** Where the store may lack something of it. */
function behind(site: SeenSite): IncompleteSite | undefined {
  const { uplink, error } = site;
  if (uplink !== null && uplink['lag-seconds'] <= mostLagS && error === null) return undefined;
  const waiting = uplink?.['waiting-records'] ?? 0;
  const waits = waiting > 0 ? `${waiting} of its records wait for the store` : '';
  const cause = error ?? (uplink === null ? 'it sends nothing to a store' : uplink.error);
  return incompleteSite(site, [waits, cause].filter(Boolean).join(': ') || 'the store does not have all of it yet');
}

/** By its configuration where that is asked for, and by what may be viewed. What is not known here is in no area. */
function wantedOf(parts: SitesParts, { id, rights }: SeenSite, { severity, ...input }: AskedTransitions['input']) {
  const { alarms, selection } = parts.alarmsOf(id) ?? {};
  const { names, area, connector } = input;
  const isConfigured = area !== undefined || connector !== undefined || severity !== undefined;
  const isNamed = names === undefined ? () => true : nameMatcher(names);
  const matcher = selection?.matcher({ area, connector });
  return (name: string): boolean => {
    const handle = alarms?.find(name) ?? -1;
    const definition = alarms?.definitionAt(handle);
    if (!isNamed(name) || !rights.on('view', name, definition?.area)) return false;
    if (!isConfigured) return true;
    return matcher?.matches(handle) === true && (severity === undefined || definition?.severity === severity);
  };
}

/** Whether something of an alarm may be in the interval that is not sealed yet: only where it has changed since. */
function newestOf(parts: SitesParts, { id }: SeenSite, sinceUs: number) {
  const { alarms, isLive } = parts.alarmsOf(id) ?? {};
  return (name: string): boolean => {
    const handle = alarms?.find(name) ?? -1;
    if (alarms === undefined || isLive !== true || handle < 0) return true;
    return alarms.stateOf(handle).timeUs >= sinceUs;
  };
}
