// Users from elsewhere: LDAP and OpenID Connect. Loaded where there are any: their libraries take a while.
export { LdapDirectory } from './ldap-directory.ts';
export { OidcDirectory } from './oidc-directory.ts';
export { readDirectories } from './read-directories.ts';
