// Users from elsewhere: LDAP and OpenID Connect.
export { comparableDn } from './comparable-dn.ts';
export { type DirectoryKind, DirectoryRefusal, DirectoryUnavailable, type DirectoryUser } from './directory.ts';
export { LdapDirectory } from './ldap-directory.ts';
export { OidcDirectory } from './oidc-directory.ts';
export { readDirectories, UnusableDirectories } from './read-directories.ts';
export { attemptSeconds } from './sealed-attempts.ts';
