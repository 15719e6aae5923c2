// Access control.
export {
  Access,
  type AccessOptions,
  type Credentials,
  cookieName,
  cookieOf,
  type Identities,
  marksName,
  type PasswordHashing,
} from './access.ts';
export { AccessDatabase, type AccessStore, accessForm, type ChangedEntry, type StoredEntry } from './access-store.ts';
export type { Action, KnownApproval } from './approvals.ts';
export {
  type Caller,
  callerAt,
  checkEverywhere,
  checkPermission,
  type IdentityKind,
  isPermission,
  localCaller,
  nobody,
  notAllowed,
  ownerCaller,
  userOf,
} from './caller.ts';
export { CentreCallers } from './centre-callers.ts';
export { UnusableDirectories } from './directories/directory.ts';
export { attemptSeconds, ownPathForm } from './directories/sealed-attempts.ts';
export { FirstAdministrator } from './first-administrator.ts';
export { ModuleTokens } from './module-tokens.ts';
export { modulesAlone } from './modules-alone.ts';
export { guardedRequest, isLoopback, OriginGuard } from './origin-guard.ts';
export { markedForS } from './passwords/known-devices.ts';
export { siteAt } from './passwords/passkeys.ts';
export { Passwords } from './passwords/passwords.ts';
export { admitClient, type ProviderAsked, type ProviderClient } from './provider-clients.ts';
export { type BegunSession, type ProviderCredentials, ProviderSessions } from './provider-sessions.ts';
export {
  allRights,
  covers,
  type Granted,
  GrantedRights,
  ListedRights,
  noRights,
  permissionsOf,
  type Rights,
  within,
} from './rights.ts';
export { TrustedProxies } from './trusted-proxies.ts';
