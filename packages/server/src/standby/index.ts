// One of several nodes of a site. What keeps the lease is loaded where there is one.

export type { SharedKey } from '../lease/index.ts';
export type { Acting } from './acting.ts';
export type { IdentityOptions, SiteIdentity } from './agreed-identity.ts';
export { UnusableLease } from './open-lease.ts';
export { SiteNode, type SiteNodeOptions } from './site-node.ts';
export type { ConfigurationPart, LiveParts, MovedKey, SiteEntry, SiteValue } from './site-state.ts';
