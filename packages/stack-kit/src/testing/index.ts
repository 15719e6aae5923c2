// For the tests of stacks.
export * from './conformance.ts';
export type * from './conformance-world.ts';
export * from './free-port.ts';
export * from './instance-options.ts';
export * from './peer-process.ts';
export * from './until.ts';
