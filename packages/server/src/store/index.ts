// The store: the shared archive to which a server sends what it has archived.
export { addressFault } from './address-fault.ts';
export { SharedStore } from './shared-store.ts';
export { UnusableSite } from './site-identity.ts';
