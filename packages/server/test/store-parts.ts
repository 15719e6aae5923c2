// A store on PostgreSQL from both sides, for tests: what sites send to, and what is read.
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { readAddress } from '../src/store/postgres/address.ts';
import { Connections } from '../src/store/postgres/connections.ts';
import { PostgresStore } from '../src/store/postgres/postgres-store.ts';
import { SealSession, sealSite } from '../src/store/postgres/seal/seal-site.ts';
import { Sealer } from '../src/store/postgres/seal/sealer.ts';
import type { OnDamaged } from '../src/store/read/decoded-parcels.ts';
import { type ReadLimits, usualLimits } from '../src/store/read/read-limits.ts';
import { StoreSource } from '../src/store/read/store-source.ts';

export interface StoreParts {
  readonly store: PostgresStore;
  readonly source: StoreSource;
  /** The same, with as little at once as can be. */
  readonly slow: StoreSource;
  /** With little room for what is not sealed. */
  readonly small: StoreSource;
  /** Parcels that were left out, as `site epoch-seq: reason`. */
  readonly damaged: readonly string[];
  /** All that was sent. */
  sealAll(): Promise<void>;
  /** The oldest so many parcels of a site. */
  seal(site: string, parcels: number): Promise<void>;
}

/** They end with the scope. */
export function storeParts(scope: Scope, address: string): StoreParts {
  const store = new PostgresStore({ address, clock: systemClock });
  const connections = new Connections({ address: readAddress(address), clock: systemClock, session: 'any', most: 4 });
  cleanupOf(scope).defer(() => {
    store.close();
    connections.close();
  });
  const sealAll = () => new Sealer({ connections, clock: systemClock, everyMs: 0, onState() {} }).sealAll();
  const seal = (site: string, parcels: number) =>
    connections.use(async (connection) => {
      const begin =
        'insert into telltale.sealed select id, 0, 0, 0, 0 from telltale.site where id = $1 on conflict do nothing';
      await connection.query(begin, [site]);
      const session = new SealSession(connection);
      for (let left = parcels; left > 0; left--)
        await sealSite(session, site, { bytes: 1, unpackedBytes: 2 ** 27, records: 1 });
    });
  const damaged: string[] = [];
  const onDamaged: OnDamaged = ({ site, epoch, seq }, reason) =>
    void damaged.push(`${site} ${epoch}-${seq}: ${reason}`);
  const source = (limits?: Partial<ReadLimits>) =>
    new StoreSource(connections, onDamaged, limits && { ...usualLimits, ...limits });
  const [slow, small] = [source({ rows: 1, arrays: 1 }), source({ unsealedBytes: 1500 })];
  return { store, source: source(), slow, small, damaged, sealAll, seal };
}
