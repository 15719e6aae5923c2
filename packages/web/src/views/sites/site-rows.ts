// Which sites the list shows, and in which order: what is not well comes first.
import { fromTimestamp } from '@telltale/schema/values';
import type { CentreSite } from '../../data/sites.ts';
import type { SortKeys } from '../../parts/sorted-by.ts';

/** The most urgent first. `unsent`: nothing goes to the store. `clock`: its time of day is wrong. */
const conditions = ['down', 'twice', 'unsent', 'clock', 'up'] as const;
export type Condition = (typeof conditions)[number];

/** Beyond this, times of the site and those of others are no longer in one order for people. */
const mostAheadS = 5;

export function isClockOff(site: CentreSite): boolean {
  return Math.abs(site['clock-ahead-seconds']) > mostAheadS;
}

export function conditionOf(site: CentreSite): Condition {
  if (site.state === 'down') return 'down';
  if (site['is-twice']) return 'twice';
  if (site.uplink !== null && site.uplink.error !== null) return 'unsent';
  return isClockOff(site) ? 'clock' : 'up';
}

/** Why it is not well, in the words of the service. */
export function causeOf({ error, uplink }: CentreSite): string {
  return error ?? uplink?.error ?? '';
}

/** Seconds by which the store is behind. */
export function lagOf({ uplink }: CentreSite): number {
  return uplink?.['lag-seconds'] ?? 0;
}

export function lostOf({ uplink }: CentreSite): number {
  return (uplink?.['lost-records'] ?? 0) + (uplink?.['dropped-records'] ?? 0);
}

/** Each word is in its name, its id, its version or its cause. */
export function filteredSites(sites: readonly CentreSite[], text: string): CentreSite[] {
  const wanted = text.toLowerCase().split(/\s+/);
  return sites.filter((site) => {
    const searched = `${site.name} ${site.id} ${site.version ?? ''} ${causeOf(site)}`.toLowerCase();
    return wanted.every((word) => searched.includes(word));
  });
}

export const siteKeys: SortKeys<CentreSite> = {
  state: (site) => conditions.indexOf(conditionOf(site)),
  name: ({ name }) => name.toLowerCase(),
  since: ({ since }) => -fromTimestamp(since),
  alarms: ({ alarms }) => (alarms === null ? -1 : alarms.unacknowledged * 1e6 + alarms.active),
  bad: ({ points }) => points?.bad ?? -1,
  lag: lagOf,
  waiting: ({ uplink }) => uplink?.['waiting-records'] ?? -1,
  lost: lostOf,
  clock: (site) => Math.abs(site['clock-ahead-seconds']),
  version: ({ version }) => version ?? '',
};
