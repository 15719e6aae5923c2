// The store: the shared archive to which a server sends what it has archived.
export { addressFault } from './address-fault.ts';
export type { Claimed, ParcelStore, Received } from './parcel-store.ts';
export { examineStore } from './postgres/examine.ts';
export { SharedStore } from './shared-store.ts';
export { UnusableSite } from './site-identity.ts';
export { StoreError, type StoreTrouble, storeTroubles } from './store-error.ts';
