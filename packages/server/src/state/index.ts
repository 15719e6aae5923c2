// What is live and must survive a restart.
export { LiveState, type StoredState, sharedFamilies, stateForm } from './live-state.ts';
