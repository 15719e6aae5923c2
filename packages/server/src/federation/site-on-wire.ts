// A site as a centre shows it.
import { type CentreSite, toTimestamp } from '@telltale/schema';
import type { Beat, SiteState } from '../bus/index.ts';

/** `name`: what it is called here. `nowUs`: by the clock of the centre. */
export function siteOnWire(site: SiteState, name: string, nowUs: number): CentreSite {
  const { id, isUp, sinceUs, cause, beat, aheadUs, isTwice } = site;
  return {
    id,
    name,
    state: isUp ? 'up' : 'down',
    since: toTimestamp(sinceUs),
    error: cause === '' ? null : cause,
    version: beat?.version ?? null,
    epoch: beat?.epoch ?? null,
    'clock-ahead-seconds': aheadUs / 1e6,
    'is-twice': isTwice,
    points: beat?.points ?? null,
    alarms: beat?.alarms ?? null,
    uplink: beat?.uplink ? uplinkOnWire(beat.uplink, lagUs(site, beat.uplink, nowUs)) : null,
  };
}

/** By the clock of the site, whose times these are. Of a site that is gone, nothing is known of what came since. */
function lagUs({ isUp, beat, aheadUs }: SiteState, uplink: NonNullable<Beat['uplink']>, nowUs: number): number {
  const heardUs = beat?.nowUs ?? 0;
  const siteNowUs = nowUs + aheadUs;
  const { oldestUnsentUs } = uplink;
  const doneUs = oldestUnsentUs === 0 ? (isUp ? siteNowUs : heardUs) : oldestUnsentUs;
  return Math.max(0, siteNowUs - doneUs);
}

function uplinkOnWire(uplink: NonNullable<Beat['uplink']>, behindUs: number): NonNullable<CentreSite['uplink']> {
  const { failure, sentAtUs, sent, waiting, oldestUnsentUs, stored, dropped, discarded } = uplink;
  const isLost = discarded.count > 0;
  return {
    error: failure,
    'last-sent': sentAtUs === null ? null : toTimestamp(sentAtUs),
    'lag-seconds': Math.round(behindUs / 1e3) / 1e3,
    'sent-records': sent,
    'waiting-records': waiting,
    'oldest-waiting': oldestUnsentUs === 0 ? null : toTimestamp(oldestUnsentUs),
    'stored-records': stored,
    'dropped-records': dropped,
    'lost-records': discarded.count,
    'lost-since': isLost ? toTimestamp(discarded.sinceUs) : null,
    'lost-until': isLost ? toTimestamp(discarded.untilUs) : null,
  };
}
