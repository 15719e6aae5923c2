// For the tests of stacks.
export * from './instance-options.ts';
