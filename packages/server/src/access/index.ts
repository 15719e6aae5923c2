// Access control.
export { type Access, accessOf, type Caller, checkAccess, checkNamedWrite, localCaller } from './caller.ts';
export { type GuardedRequest, guardedRequest, guardLoopback, isLoopback } from './loopback-guard.ts';
export { ModuleTokens } from './module-tokens.ts';
