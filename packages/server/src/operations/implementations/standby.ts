// Implements what is done to the nodes of a site.
import { type NodeSwitch, ProblemError } from '@telltale/schema';
import { checkEverywhere } from '../../access/index.ts';
import type { Implementations } from './implementation.ts';

export interface StandbyParts {
  switchTo(to: string | undefined): Promise<NodeSwitch>;
}

/** Undefined: this server is the only node of its site. */
export function standby(node: StandbyParts | undefined) {
  return {
    switchNode: async ({ to }, { caller }) => {
      checkEverywhere(caller, 'operate-link');
      if (node !== undefined) return node.switchTo(to);
      throw new ProblemError(
        'cannot-switch',
        'This server is the only node of its site: it was started without --lease.',
      );
    },
  } satisfies Partial<Implementations>;
}
