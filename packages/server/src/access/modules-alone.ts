// The identities of an address that is for function modules alone.
import { ProblemError } from '@telltale/schema';
import type { Identities } from './access.ts';

/** Who else comes, with whatever, is refused. */
export function modulesAlone(all: Identities): Identities {
  return {
    onChanged: (listener) => all.onChanged(listener),
    identify: ({ authorization }) => {
      const caller = authorization === undefined ? undefined : all.identify({ authorization });
      if (caller?.module !== undefined) return caller;
      throw new ProblemError('invalid-token', 'This address is for function modules, and their tokens, alone.');
    },
  };
}
