// Protocol stacks: how they are found, and the host that runs their connectors and providers.

export type { ConnectionStatus, Counters, Role, RoundTrip, ToldDetail } from '@telltale/stack-kit/host';
export * from './discover.ts';
export type { InstanceCounters, InstanceStatus, StateListener } from './instance-status.ts';
export type { Instance, PointIds } from './protocol.ts';
export { type HostEvents, type InstanceName, StackHost, type StackHostOptions } from './stack-host.ts';
