// Implements what a centre says of its sites.
import { type CentreSite, ProblemError } from '@telltale/schema';
import { checkEverywhere } from '../../access/index.ts';
import type { Implementations } from './implementation.ts';

export interface SitesParts {
  readonly sites: readonly CentreSite[];
  /** By its id or name. Throws `ProblemError`. */
  site(wanted: string): CentreSite;
}

/** Undefined: the service is no centre. */
export function sites(centre: SitesParts | undefined) {
  return {
    listSites: async (_, { caller }) => {
      checkEverywhere(caller, 'view');
      return Object.fromEntries((centre?.sites ?? []).map((site) => [site.id, site]));
    },
    getSite: async ({ site }, { caller }) => {
      checkEverywhere(caller, 'view');
      if (centre === undefined) throw new ProblemError('unknown-site', 'The service is no centre: it has no sites.');
      return centre.site(site);
    },
  } satisfies Partial<Implementations>;
}
