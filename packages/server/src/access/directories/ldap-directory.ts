// Signs people in through an LDAP server: finds their entry and their groups, then binds as them with their password. Nothing
// is sent before TLS holds. One connection each time: there is no pool, and nothing to be stale.
import type { Clock } from '@telltale/schema';
import { AndFilter, EqualityFilter, type Filter, FilterParser, OrFilter, ResultCodeError } from 'ldapts';
import { comparableDn } from './comparable-dn.ts';
import {
  DirectoryRefusal,
  DirectoryTurns,
  DirectoryUnavailable,
  type DirectoryUser,
  maxGroups,
  maxTextLength,
} from './directory.ts';
import { LdapConnection } from './ldap-connection.ts';

export interface LdapOptions {
  /** `ldaps://HOST[:PORT]`, or `ldap://HOST[:PORT]`: then StartTLS comes first. */
  readonly url: string;
  /** PEM; undefined: the authorities that Node knows. */
  readonly ca: string | undefined;
  /** The account that looks for people; undefined: nobody in particular, where the server permits that. */
  readonly bindDn: string | undefined;
  readonly bindPassword: string | undefined;
  /** Below it are people. */
  readonly base: string;
  /** Of a person: the name by which they sign in, such as `uid` or `sAMAccountName`. */
  readonly nameAttribute: string;
  /** What else holds for people. */
  readonly userFilter: string | undefined;
  /** Below it are groups; undefined: a person's `memberOf` has them. */
  readonly groupBase: string | undefined;
  readonly timeoutMs: number;
}

const subjectAttributes = ['entryUUID', 'objectGUID'];
const memberAttributes = ['member', 'uniqueMember'];
const sizeLimitExceeded = 4;
/**
 * The server does not let the person in: constraintViolation and unwillingToPerform of an account that is locked,
 * noSuchObject, inappropriateAuthentication of one without a password, invalidCredentials, insufficientAccessRights.
 */
const refusals: ReadonlySet<number> = new Set([19, 32, 48, 49, 50, 53]);

interface Entry {
  readonly dn: string;
  values(attribute: string): readonly string[];
}

export class LdapDirectory {
  readonly #options: LdapOptions;
  readonly #clock: Clock;
  readonly #turns = new DirectoryTurns();

  constructor(options: LdapOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  get url(): string {
    return this.#options.url;
  }

  /**
   * Whom name and password belong to; undefined where they belong to nobody. Throws `DirectoryUnavailable`,
   * `DirectoryRefusal`, or a problem where too many ask.
   */
  async signIn(name: string, password: string): Promise<DirectoryUser | undefined> {
    // To an LDAP server a bind without a password is one of nobody in particular, which succeeds (RFC 4513, 5.1.2).
    if (name === '' || password === '' || name.length > maxTextLength || password.length > maxTextLength)
      return undefined;
    return this.#ask(async (connection) => {
      const entry = await this.#find(connection, name);
      if (entry === undefined) return undefined;
      const user = await this.#userOf(connection, entry);
      try {
        await connection.bind(entry.dn, password);
      } catch (error) {
        if (error instanceof ResultCodeError && refusals.has(error.code)) return undefined;
        throw error;
      }
      return user;
    });
  }

  /** Whether they are still there, and in which groups; undefined where they are gone. Throws as `signIn` does. */
  async lookUp(name: string): Promise<DirectoryUser | undefined> {
    return this.#ask(async (connection) => {
      const entry = await this.#find(connection, name);
      return entry === undefined ? undefined : this.#userOf(connection, entry);
    });
  }

  #ask<Result>(carryOut: (connection: LdapConnection) => Promise<Result>): Promise<Result> {
    return this.#turns.take(async () => {
      const { url, ca, timeoutMs, bindDn, bindPassword = '' } = this.#options;
      const connection = new LdapConnection({ url, ca, timeoutMs, clock: this.#clock });
      try {
        await connection.open();
        if (bindDn !== undefined) await connection.bind(bindDn, bindPassword);
        return await carryOut(connection);
      } catch (error) {
        if (error instanceof DirectoryRefusal) throw error;
        throw new DirectoryUnavailable(`${url} cannot be asked: ${reasonOf(error)}`, { cause: error });
      } finally {
        await connection.close();
      }
    });
  }

  async #find(connection: LdapConnection, name: string): Promise<Entry | undefined> {
    const { base, nameAttribute, userFilter, groupBase } = this.#options;
    // Filters are built from parts, not from text: nothing in a name can become a part of the filter.
    const isNamed = new EqualityFilter({ attribute: nameAttribute, value: name });
    const attributes = [nameAttribute, ...subjectAttributes, ...(groupBase === undefined ? ['memberOf'] : [])];
    const filter = both(isNamed, userFilter);
    const several = () =>
      new DirectoryRefusal(`${base} has several entries whose ${nameAttribute} is ${inQuotes(name)}.`);
    const found = await connection.search(base, { filter, attributes, sizeLimit: 2 }).catch((error) => {
      throw error instanceof ResultCodeError && error.code === sizeLimitExceeded ? several() : error;
    });
    if (found.length > 1) throw several();
    return found.map(entryOf)[0];
  }

  async #userOf(connection: LdapConnection, entry: Entry): Promise<DirectoryUser> {
    const [name] = entry.values(this.#options.nameAttribute);
    if (name === undefined) throw new DirectoryRefusal(`${entry.dn} has no ${this.#options.nameAttribute}.`);
    const subject = subjectAttributes.flatMap((attribute) => entry.values(attribute))[0] ?? comparableDn(entry.dn);
    return { directory: 'ldap', name, subject, groups: await this.#groupsOf(connection, entry, name) };
  }

  async #groupsOf(connection: LdapConnection, entry: Entry, name: string): Promise<string[]> {
    const { groupBase } = this.#options;
    if (groupBase === undefined) return groupNames(entry.values('memberOf'));
    const filters: Filter[] = memberAttributes.map((attribute) => new EqualityFilter({ attribute, value: entry.dn }));
    filters.push(new EqualityFilter({ attribute: 'memberUid', value: name }));
    const found = await connection.search(groupBase, {
      filter: new OrFilter({ filters }),
      attributes: ['1.1'], // none
      sizeLimit: maxGroups,
    });
    return groupNames(found.map(({ dn }) => dn));
  }
}

function both(filter: Filter, text: string | undefined): Filter {
  return text === undefined ? filter : new AndFilter({ filters: [filter, FilterParser.parseString(text)] });
}

function groupNames(dns: readonly string[]): string[] {
  return dns.slice(0, maxGroups).flatMap((dn) => (dn.length > maxTextLength ? [] : [comparableDn(dn)]));
}

/** Servers spell attributes as they like. */
function entryOf(found: Readonly<Record<string, unknown>> & { readonly dn: string }): Entry {
  const byName = new Map(Object.entries(found).map(([attribute, value]) => [attribute.toLowerCase(), value]));
  return {
    dn: found.dn,
    values: (attribute) => [byName.get(attribute.toLowerCase()) ?? []].flat().map(textOf),
  };
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('hex') : String(value);
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').slice(0, maxTextLength);
}

function inQuotes(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
