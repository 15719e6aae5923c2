// As whom messages are sent and taken: a community of version 1 or 2c, or a user of version 3.
import { Fatal, readEntries, type Static } from '@telltale/stack-kit';
import type { CommunityVersion } from './message.ts';
import { type UserOptions, UsmUser } from './usm.ts';
import type { accountVariables } from './variables.ts';

export interface CommunityAccount {
  readonly name: string;
  readonly version: CommunityVersion;
  readonly community: Buffer;
  readonly mayWrite: boolean;
}

export interface UserAccount {
  readonly name: string;
  readonly version: '3';
  readonly user: UsmUser;
  readonly context: string;
  readonly mayWrite: boolean;
}

export type Account = CommunityAccount | UserAccount;

export function communityAccount(
  name: string,
  version: CommunityVersion,
  community: string,
  mayWrite: boolean,
): CommunityAccount {
  return { name, version, community: Buffer.from(community, 'utf8'), mayWrite };
}

export function userAccount(options: UserOptions & { readonly context?: string }, mayWrite: boolean): UserAccount {
  const { user, context = '' } = options;
  return { name: `the user ${user}`, version: '3', user: new UsmUser(options), context, mayWrite };
}

/** Those of the variable `accounts`, by name. Throws `Fatal`: what is in files was not checked before. */
export function accountsOf(schema: typeof accountVariables, text: string): ReadonlyMap<string, Account> {
  const entries = readEntries(schema, text);
  return new Map(entries.map(({ name, values }) => [name, accountOf(name, values)]));
}

function accountOf(name: string, values: Static<typeof accountVariables>): Account {
  if (values.user !== '') return { ...userAccount(values, values.mayWrite), name: `the account ${name}` };
  if (values.community === '') throw new Fatal(`the account ${name} has neither a community nor a user`);
  return communityAccount(`the account ${name}`, values.version, values.community, values.mayWrite);
}

export function isUser(account: Account): account is UserAccount {
  return account.version === '3';
}

export function isCommunity(account: Account): account is CommunityAccount {
  return account.version !== '3';
}
