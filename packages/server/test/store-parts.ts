// A store on PostgreSQL from both sides, for tests: what sites send to, and what is read.
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { readAddress } from '../src/store/postgres/address.ts';
import { Connections } from '../src/store/postgres/connections.ts';
import { PostgresStore } from '../src/store/postgres/postgres-store.ts';
import { StoreSource } from '../src/store/read/store-source.ts';

export interface StoreParts {
  readonly store: PostgresStore;
  readonly source: StoreSource;
}

/** They end with the scope. */
export function storeParts(scope: Scope, address: string): StoreParts {
  const store = new PostgresStore({ address, clock: systemClock });
  const connections = new Connections({ address: readAddress(address), clock: systemClock, session: 'any', most: 4 });
  cleanupOf(scope).defer(() => {
    store.close();
    connections.close();
  });
  return { store, source: new StoreSource(connections) };
}
