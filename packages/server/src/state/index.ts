// What is live and must survive a restart.
export { LiveState, type StoredState, stateForm } from './live-state.ts';
