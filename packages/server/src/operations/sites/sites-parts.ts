// What the operations about all sites need of a centre.
import type { CentreSite } from '@telltale/schema';
import type { Caller } from '../../access/index.ts';
import type { Alarms } from '../../alarms/index.ts';
import type { ArchiveReading, Kind } from '../../archive/index.ts';
import type { SelectionIndex } from '../../selection/index.ts';

/** The alarms of a site, as they are mirrored at the centre. */
export interface AlarmsAtSite {
  readonly alarms: Alarms;
  readonly selection: Pick<SelectionIndex, 'matcher'>;
  readonly isLive: boolean;
  /** Why not; empty: it is. */
  readonly cause: string;
}

/** A name of the store, and whether it surely has records of an interval; otherwise the newest of them may be. */
export interface NameInInterval {
  readonly name: string;
  readonly isSealed: boolean;
}

/** The history of all sites: each name as `site/name`. */
export interface SitesHistory {
  of(site: undefined): Pick<ArchiveReading, 'read'>;
  namesIn(kind: Kind, sinceUs: number, untilUs: number): Promise<readonly NameInInterval[]>;
}

export interface SitesParts {
  /** By name. */
  readonly sites: readonly CentreSite[];
  /** Undefined: nothing was heard of the site yet. */
  alarmsOf(site: string): AlarmsAtSite | undefined;
  /** The text of an answer of the site. Rejects with an `Error`, whose message says why there is none; given up with the signal. */
  ask(site: string, path: string, caller: Caller, signal: AbortSignal): Promise<string>;
  /** Undefined: there is no store. */
  readonly history: SitesHistory | undefined;
}
