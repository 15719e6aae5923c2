// For the tests of stacks.
export * from './accepted.ts';
export * from './conformance.ts';
export type * from './conformance-world.ts';
export * from './declared-well.ts';
export type { Fault, Faults } from './fault.ts';
export * from './fault-proxy.ts';
export * from './fault-relay.ts';
export * from './find-slow-address.ts';
export * from './free-port.ts';
export * from './greed.ts';
export { HostedConnector } from './hosted-connector.ts';
export { HostedProvider } from './hosted-provider.ts';
export * from './instance-options.ts';
export { memoryInUse } from './leaks.ts';
export * from './peer-process.ts';
export * from './sample-certificates.ts';
export * from './until.ts';
