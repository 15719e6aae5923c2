// What is live and must survive a restart.
export { type StoredState, LiveState } from './live-state.ts';
