// Access without users, for tests of what stands behind it.
import { systemClock } from '@telltale/schema';
import { Access, ModuleTokens, siteAt } from '../src/access/index.ts';

const forgetful = { open: () => Promise.resolve([]), change: () => Promise.resolve(), missing: [] };
const noPasswords = {
  hash: () => Promise.reject(new Error('there are no passwords')),
  verify: () => Promise.resolve(false),
  needsRehash: () => false,
  faultOf: () => undefined,
};

export function openAccess(tokens = new ModuleTokens()): Access {
  return new Access({
    store: forgetful,
    tokens,
    passwords: noPasswords,
    site: () => siteAt('http://localhost'),
    clock: systemClock,
  });
}
