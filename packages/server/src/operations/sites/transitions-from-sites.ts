// The journal of the sites that are there, asked one by one, where there is no store.
import {
  type AlarmTransition,
  AlarmTransitions,
  checker,
  fromTimestamp,
  parseJson,
  type SitesTransition,
  type SitesTransitions,
} from '@telltale/schema';
import { placeText, type TransitionPlace } from '../../archive/index.ts';
import type { Interval } from '../archive/index.ts';
import { type AskedTransitions, usualTransitions } from './asked-transitions.ts';
import { eachSite, queryOf } from './each-site.ts';
import type { SeenSite } from './seen-sites.ts';
import type { SitesParts } from './sites-parts.ts';

const answers = checker(AlarmTransitions);

export async function transitionsFromSites(
  parts: SitesParts,
  seen: readonly SeenSite[],
  { input, interval, asking, dataPath, signal }: AskedTransitions,
  before: TransitionPlace | undefined,
): Promise<SitesTransitions> {
  const { limit = usualTransitions, names, area, connector, search, severity, state, simulated } = input;
  const selector = { names, area, connector, search, severity, state, simulated, limit };
  const pathOf = ({ id }: SeenSite) => {
    const query = queryOf({ ...selector, ...boundsOf(id, interval, before) });
    return `${dataPath}/archive/alarms/transitions?${query}`;
  };
  const answered = await eachSite(seen, signal, async (site) => {
    const said = parseJson(await parts.ask(site.id, pathOf(site), asking.caller, signal));
    if (!answers.fits(said)) throw new Error('what the site answers is not understood');
    const { transitions, next } = said as AlarmTransitions;
    return { site, transitions, next };
  });
  const all = answered.good
    .flatMap(({ site, transitions }) => transitions.map((each) => ofSite(site, each)))
    .sort(newestFirst);
  const shown = all.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = all.length > limit || answered.good.some(({ next }) => next !== undefined);
  return {
    transitions: shown,
    ...(hasMore && last !== undefined && { next: placeText(placeOf(last, shown, before)) }),
    incomplete: answered.incomplete,
  };
}

function ofSite({ id, name }: SeenSite, transition: AlarmTransition): SitesTransition {
  return { site: id, 'site-name': name, ...transition };
}

/** Where a page of one site begins, so that nothing of it comes twice. */
function boundsOf(site: string, { sinceUs, untilUs }: Interval, before: TransitionPlace | undefined) {
  const times = (us: number) => ({ t_since: secondsText(sinceUs), t_until: secondsText(us) });
  if (before === undefined) return times(untilUs);
  const at = before.name.indexOf('/');
  const last = before.name.slice(0, at);
  // Those at the same time are in the order of their sites.
  if (site !== last) return times(Math.min(untilUs, site < last ? before.timeUs : before.timeUs + 1));
  return { ...times(untilUs), before: placeText({ ...before, name: before.name.slice(at + 1) }) };
}

function secondsText(us: number): string {
  return `${Math.floor(us / 1e6)}.${`${us % 1e6}`.padStart(6, '0')}`;
}

function newestFirst(a: SitesTransition, b: SitesTransition): number {
  return (
    fromTimestamp(b.t) - fromTimestamp(a.t) || (fullName(a) < fullName(b) ? -1 : fullName(a) > fullName(b) ? 1 : 0)
  );
}

function placeOf(last: SitesTransition, shown: readonly SitesTransition[], before: TransitionPlace | undefined) {
  const [timeUs, name] = [fromTimestamp(last.t), fullName(last)];
  const given = before?.timeUs === timeUs && before.name === name ? before.count : 0;
  const same = shown.filter((each) => fullName(each) === name && fromTimestamp(each.t) === timeUs);
  return { timeUs, name, count: given + same.length };
}

function fullName({ site, name }: SitesTransition): string {
  return `${site}/${name}`;
}
