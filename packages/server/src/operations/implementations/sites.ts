// Implements what a centre says of its sites.
import type { CentreSite } from '@telltale/schema';
import { checkEverywhere } from '../../access/index.ts';
import type { Implementations } from './implementation.ts';

export interface SitesParts {
  readonly sites: readonly CentreSite[];
}

/** Undefined: the service is no centre. */
export function sites(centre: SitesParts | undefined) {
  return {
    listSites: async (_, { caller }) => {
      checkEverywhere(caller, 'view');
      return Object.fromEntries((centre?.sites ?? []).map((site) => [site.id, site]));
    },
  } satisfies Partial<Implementations>;
}
