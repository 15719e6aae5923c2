// Access control.
export { AccessDatabase, type AccessStore, accessForm, type ChangedEntry, type StoredEntry } from './access-store.ts';
export { type Access, accessOf, type Caller, checkAccess, checkNamedWrite, localCaller } from './caller.ts';
export { type GuardedRequest, guardedRequest, guardLoopback, isLoopback } from './loopback-guard.ts';
export { ModuleTokens } from './module-tokens.ts';
