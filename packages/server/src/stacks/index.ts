// Protocol stacks: how they are found, and the host that runs their connectors and providers.

export type { ConnectionStatus, Counters, Role, RoundTrip, StackDetail } from '@telltale/stack-kit/host';
export * from './discover.ts';
export { eventsTo, type HostEvents, type InstanceName } from './host-events.ts';
export type { InstanceCounters, InstanceStatus, StateListener } from './instance-status.ts';
export { type HistoryAsked, type Instance, type PackedPoints, type PointIds, packPoints } from './protocol.ts';
export type { ProviderSession } from './provider-users.ts';
export { catalogueOf, type StackCatalogue } from './stack-catalogue.ts';
export { StackHost, type StackHostOptions, type ThreadCounts } from './stack-host.ts';
