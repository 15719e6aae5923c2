// Access with users, in memory: for tests of what decides by them. Passwords are stored as they are.
import { type Clock, systemClock } from '@telltale/schema';
import {
  Access,
  type AccessOptions,
  type ChangedEntry,
  ModuleTokens,
  ownerCaller,
  siteAt,
} from '../src/access/index.ts';

export const administrator = { name: 'root', password: 'the administrator' };

const plainPasswords = {
  hash: (password: string) => Promise.resolve(password),
  verify: (password: string, hash: string | undefined) => Promise.resolve(password === hash),
  needsRehash: () => false,
  faultOf: () => undefined,
};

function memoryStore() {
  const entries = new Map<string, ChangedEntry>();
  return {
    missing: [],
    open: () => Promise.resolve([...entries.values()]),
    change: async (changed: readonly ChangedEntry[]) => {
      for (const entry of changed) entries.set(`${entry.kind} ${entry.key}`, entry);
    },
  };
}

/** With one administrator. */
export async function closedAccess(options: Partial<AccessOptions> & { readonly clock?: Clock } = {}): Promise<Access> {
  const access = new Access({
    store: memoryStore(),
    tokens: new ModuleTokens(),
    passwords: plainPasswords,
    site: () => siteAt('https://plant.example'),
    clock: systemClock,
    ...options,
  });
  await access.open();
  const { name, password } = administrator;
  await access.accounts.putUser(name, { grants: [{ role: 'administrator' }] }, ownerCaller.rights, { password });
  return access;
}
