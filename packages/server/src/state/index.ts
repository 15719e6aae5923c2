// What is live and must survive a restart.
export { type KeptState, LiveState } from './live-state.ts';
