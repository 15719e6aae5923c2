// A site of a fresh store whose records are sealed, for tests of what SQL sees of them.
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import type { Postgres } from '../../../test/engines/postgres.ts';
import type { Connection } from '../src/store/postgres/connection.ts';
import { PostgresStore } from '../src/store/postgres/postgres-store.ts';
import type { Sealer, SealerState } from '../src/store/postgres/seal/sealer.ts';
import { Sealing, type SealingOptions } from '../src/store/postgres/seal/sealing.ts';
import { type SentParcel, type SentRecord, SentSite } from './sent-site.ts';
import { connectTo, freshDatabase } from './store-database.ts';

export interface SealedSite {
  readonly address: string;
  readonly store: PostgresStore;
  readonly site: SentSite;
  readonly client: Connection;
  send(parcels: readonly SentParcel[]): Promise<void>;
  /** Sends and seals them. */
  seal(records: readonly SentRecord[]): Promise<void>;
}

/** The site `here`, in its first epoch. */
export async function sealedSite(scope: Scope, postgres: Postgres): Promise<SealedSite> {
  const address = await freshDatabase(postgres);
  const store = new PostgresStore({ address, clock: systemClock });
  cleanupOf(scope).defer(() => store.close());
  const site = new SentSite('here');
  site.begin((await store.claim('here')).epoch);
  const sealer = sealerAt(scope, address);
  const send = async (parcels: readonly SentParcel[]) => {
    for (const { epoch, seq, bytes } of parcels) await store.send(site.id, epoch, seq, bytes);
  };
  const seal = async (records: readonly SentRecord[]) => {
    await send(site.record(records, false));
    await sealer.sealAll();
  };
  return { address, store, site, client: await connectTo(scope, address), send, seal };
}

export function sealerAt(scope: Scope, address: string, onState: (state: SealerState) => void = () => {}): Sealer {
  return sealingAt(scope, address, { onState }).sealer;
}

export function sealingAt(scope: Scope, address: string, options: Partial<SealingOptions>): Sealing {
  const sealing = new Sealing({ address, clock: systemClock, everyMs: 1, onState() {}, ...options });
  cleanupOf(scope).defer(() => sealing.end());
  return sealing;
}
