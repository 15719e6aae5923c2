// The store: the shared archive to which a server sends what it has archived. What speaks to it is loaded where there is one.
import type { Clock } from '@telltale/schema';
import type { StoreFinding } from './postgres/examine.ts';
import type { KnownSite } from './postgres/known-sites.ts';
import type { PostgresStore, PostgresStoreOptions } from './postgres/postgres-store.ts';

export { addressFault } from './address-fault.ts';
export type { Claimed, ParcelStore, Received } from './parcel-store.ts';
export type { KnownSite } from './postgres/known-sites.ts';
export type { PostgresStore } from './postgres/postgres-store.ts';
export { StoreArchive } from './read/store-archive.ts';
export type { SenderState } from './sender.ts';
export { SharedStore } from './shared-store.ts';
export { becomeSite, siteIdIn, siteIdOf, UnusableSite } from './site-identity.ts';
export { StoreError, type StoreTrouble, storeTroubles } from './store-error.ts';

/** What the doctor finds. */
export async function examineStore(address: string, clock: Clock): Promise<readonly StoreFinding[]> {
  const { examine } = await import('./postgres/examine.ts');
  return examine(address, clock);
}

/** By name. Rejects with a `StoreError`. */
export async function sitesOfStore(address: string, clock: Clock): Promise<readonly KnownSite[]> {
  const { knownSites } = await import('./postgres/known-sites.ts');
  return knownSites(address, clock);
}

/** Nothing is connected before it is needed. Rejects with `BadAddress`. */
export async function postgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { PostgresStore } = await import('./postgres/postgres-store.ts');
  return new PostgresStore(options);
}
