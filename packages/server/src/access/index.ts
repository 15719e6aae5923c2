// Who may ask what.
export { type GuardedRequest, guardLoopback, isLoopback } from './loopback-guard.ts';
