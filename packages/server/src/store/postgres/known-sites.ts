// Which sites have something in the store.
import type { Clock } from '@telltale/schema';
import { readAddress } from './address.ts';
import { Connections } from './connections.ts';
import { checkInstalled } from './install.ts';

export interface KnownSite {
  readonly id: string;
  readonly name: string;
  /** That it has archived, as it said last. */
  readonly records: number;
}

/** By name. Rejects with a `StoreError`. */
export async function knownSites(address: string, clock: Clock): Promise<readonly KnownSite[]> {
  const connections = new Connections({
    address: readAddress(address),
    clock,
    session: 'any',
    most: 1,
    prepare: checkInstalled,
  });
  try {
    const { rows } = await connections.use((connection) =>
      connection.query<KnownSite>(
        `select id, name, coalesce((select stored from telltale.stream where site = id order by epoch desc limit 1), 0) as records
          from telltale.site order by name, id`,
      ),
    );
    return rows;
  } finally {
    connections.close();
  }
}
