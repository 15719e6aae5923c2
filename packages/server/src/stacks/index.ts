// Protocol stacks: how they are found.
export * from './discover.ts';
