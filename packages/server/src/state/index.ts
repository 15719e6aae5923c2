// What is live and must survive a restart.
export { LiveState, type StoredState, sharedFamilies, stateForm, storedAs } from './live-state.ts';
