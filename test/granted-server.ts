// A server with users: the tokens of a test are stored in its data folder before it starts.
import { type Grant, permissionNames, systemClock } from '@telltale/schema';
import {
  Access,
  AccessDatabase,
  allRights,
  type Caller,
  ModuleTokens,
  ownerCaller,
  siteAt,
} from '../packages/server/src/access/index.ts';

const noPasswords = {
  hash: () => Promise.reject(new Error('nobody signs in here')),
  verify: () => Promise.resolve(false),
  faultOf: () => undefined,
  needsRehash: () => false,
};

/**
 * Makes the folder of a server that has ended that of one with users: the user `chief`, who may everything, and one of the
 * name of each token, with its grants. The role `all` has every permission. Resolves with the tokens.
 */
export async function makeTokens<Name extends string>(
  folder: string,
  grants: Readonly<Record<Name, readonly Grant[]>>,
): Promise<Record<Name | 'chief', string>> {
  const fail = (error: Error) => {
    throw error;
  };
  const store = new AccessDatabase({ folder, onFailure: fail });
  const access = new Access({
    store,
    tokens: new ModuleTokens(),
    passwords: noPasswords,
    site: () => siteAt('http://localhost'),
    clock: systemClock,
  });
  await access.open();
  const { accounts, tokens } = access;
  await accounts.putFirst('chief', 'none');
  await accounts.putRole('all', { permissions: [...permissionNames] }, ownerCaller);
  await accounts.putUser('chief', { grants: [{ role: 'all' }] }, ownerCaller);
  const made: [string, string][] = [];
  const expires = Math.floor(systemClock.now() / 1e6) + 3600;
  for (const [name, own] of Object.entries<readonly Grant[]>({ chief: [{ role: 'all' }], ...grants })) {
    if (name !== 'chief') await accounts.putUser(name, { grants: [...own] }, ownerCaller);
    const maker: Caller = { ...ownerCaller, author: name, rights: allRights };
    made.push([name, await tokens.make(`${name}_token`, { grants: [{ role: 'all' }], expires }, maker)]);
  }
  access.close();
  await store.close(2000);
  return Object.fromEntries(made) as Record<Name | 'chief', string>;
}
