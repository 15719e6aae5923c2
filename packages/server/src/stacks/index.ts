// Protocol stacks: how they are found, and the host that runs their connectors and providers.

export type { ConnectionStatus, Counters, InstanceStatus, Role } from '@telltale/stack-kit/host';
export * from './discover.ts';
export type { Instance, PointIds } from './protocol.ts';
export { type HostEvents, StackHost, type StackHostOptions } from './stack-host.ts';
