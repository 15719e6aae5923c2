// What is live and must survive a restart.
export { LiveState, type StoredState } from './live-state.ts';
