// Implements what a centre says of its sites, and of all of them together.
import type { Clock, SitesAlarms, SitesPoints, SitesTransitions } from '@telltale/schema';
import { readInterval } from '../archive/index.ts';
import type { LiveData } from '../data/index.ts';
import {
  alarmsOfSites,
  pointsOfSites,
  type SitesParts,
  seenSites,
  shownSite,
  transitionsOfSites,
} from '../sites/index.ts';
import type { Implementations } from './implementation.ts';

export interface SitesContext {
  readonly slices: LiveData['slices'];
  readonly clock: Clock;
  /** Of the interface of a site. */
  readonly dataPath: string;
}

/** Undefined: the service is no centre, and so has no sites. */
export function sites(centre: SitesParts | undefined, { slices, clock, dataPath }: SitesContext) {
  const all = () => centre?.sites ?? [];
  return {
    listSites: (_, { caller }) =>
      Object.fromEntries(seenSites(all(), caller).map((site) => [site.id, shownSite(site)])),
    getSite: ({ site }, { caller }) => {
      const [found] = seenSites(all(), caller, [site]);
      return found && shownSite(found);
    },
    listAlarmsOfSites: async (input, { caller, signal }): Promise<SitesAlarms> => {
      const seen = seenSites(all(), caller, input.site);
      const none = { alarms: [], total: 0, incomplete: [] };
      const gone = signal();
      return (centre && (await slices.run(alarmsOfSites(centre, seen, input), () => !gone.aborted))) ?? none;
    },
    listPointsOfSites: async (input, { caller, signal }): Promise<SitesPoints> => {
      const seen = seenSites(all(), caller, input.site);
      if (centre === undefined) return { points: [], 'has-more': false, incomplete: [] };
      return pointsOfSites(centre, seen, { input, caller, dataPath, signal: signal() });
    },
    listTransitionsOfSites: async (input, { signal, ...asking }): Promise<SitesTransitions> => {
      const seen = seenSites(all(), asking.caller, input.site);
      const interval = readInterval(input.t_since, input.t_until ?? 0, clock.now());
      if (centre === undefined) return { transitions: [], incomplete: [] };
      return transitionsOfSites(centre, seen, { input, interval, asking, dataPath, signal: signal() });
    },
  } satisfies Partial<Implementations>;
}
