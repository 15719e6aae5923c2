// Which sites of a centre somebody may view, and how much of each. One that they may not view is as if it were not there.
import { type CentreSite, type IncompleteSite, ProblemError } from '@telltale/schema';
import type { Caller, Rights } from '../../access/index.ts';

export interface SeenSite extends CentreSite {
  /** Of the caller, at this site. */
  readonly rights: Rights;
}

/** Of those that are wanted, by id or name: in the order in which they were given. Throws `ProblemError` where one is not known. */
export function seenSites(
  all: readonly CentreSite[],
  { rights: held }: Caller,
  wanted?: readonly string[],
): SeenSite[] {
  const seen = all.map((site) => ({ ...site, rights: held.at(site.id) })).filter(({ rights }) => rights.has('view'));
  if (wanted === undefined) return seen;
  const chosen = new Set(wanted.map((text) => siteIn(seen, text)));
  return seen.filter((site) => chosen.has(site.id));
}

/** What is counted of a whole site is for who may view all of it. */
export function shownSite({ rights, ...site }: SeenSite): CentreSite {
  return rights.everywhere('view') ? site : { ...site, points: null, alarms: null, uplink: null };
}

export function incompleteSite({ id, name, since }: CentreSite, error: string): IncompleteSite {
  return { site: id, 'site-name': name, since, error };
}

export function unknownSite(wanted: string): ProblemError {
  const shown = JSON.stringify(wanted.slice(0, 80));
  return new ProblemError('unknown-site', `There is no site ${shown}; /sites lists them.`);
}

function siteIn(seen: readonly SeenSite[], wanted: string): string {
  const found = seen.find(({ id }) => id === wanted) ?? seen.find(({ name }) => name === wanted);
  if (found === undefined) throw unknownSite(wanted);
  return found.id;
}
