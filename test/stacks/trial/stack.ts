// The stack that does what its addresses say, good or bad, for tests that run the whole server.
export { default } from '../../../packages/server/test/stacks/trial.ts';
