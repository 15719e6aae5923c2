// The clients between which the archive is fair: by identity, else by address; and within that by connection.
import type { Caller, Credentials } from '../../access/index.ts';
import type { Visitor } from '../../archive/index.ts';

/** Of HTTP or of the channel. */
export interface Asking {
  readonly caller: Caller;
  readonly credentials?: Pick<Credentials, 'source'>;
  readonly connection: { readonly remoteAddress?: string | undefined };
}

/** A module has the same name on all of its connections, which is never an address. */
export function visitorOf({ caller, credentials, connection }: Asking): Visitor {
  return { client: caller.module ?? credentials?.source ?? connection.remoteAddress, connection };
}
