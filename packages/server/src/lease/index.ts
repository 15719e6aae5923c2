// Who acts for a site, by a lease on etcd.
export { EtcdClient, type EtcdClientOptions, type MemberStatus } from './etcd/etcd-client.ts';
export { examineLease, type LeaseFinding } from './examine.ts';
export { type HandOver, Lease, type LeaseOptions } from './lease.ts';
export { type LeaseSetting, readLeaseSetting, siteBase } from './lease-setting.ts';
export type { KnownNode, LeaseRole, LeaseStatus, NodeDescription, NodeReport } from './lease-status.ts';
export { type LeaseTimes, leaseTimes } from './lease-times.ts';
export { LeaseLost, NotShared } from './shared/shared-errors.ts';
export { type FollowedEntry, SharedFollower, type SharedFollowerOptions } from './shared/shared-follower.ts';
export type { LargeValue, SharedEntry, SharedKey } from './shared/shared-keys.ts';
export { type SharedChange, SharedState, type SharedStateOptions } from './shared/shared-state.ts';
