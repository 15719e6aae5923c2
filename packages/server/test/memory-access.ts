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

type Options = Partial<AccessOptions> & { readonly clock?: Clock };

export class MemoryAccess extends Access {
  readonly #options: Options;
  readonly stored: Map<string, ChangedEntry>;
  readonly modules: ModuleTokens;
  /** While a password is hashed. */
  onHash: () => Promise<void> = () => Promise.resolve();

  constructor(options: Options, stored = new Map<string, ChangedEntry>()) {
    const tokens = new ModuleTokens();
    super({
      store: {
        missing: [],
        open: () => Promise.resolve([...stored.values()].filter(({ value }) => value !== null)),
        change: async (changed: readonly ChangedEntry[]) => {
          for (const entry of changed) stored.set(`${entry.kind} ${entry.key}`, structuredClone(entry));
        },
      },
      tokens,
      passwords: {
        hash: (password) => this.onHash().then(() => password),
        verify: (password, hash) => Promise.resolve(password === hash),
        needsRehash: () => false,
        faultOf: () => undefined,
      },
      site: () => siteAt('https://plant.example'),
      clock: systemClock,
      ...options,
    });
    this.#options = options;
    this.stored = stored;
    this.modules = tokens;
  }

  /** As a start finds it. */
  async again(): Promise<MemoryAccess> {
    const access = new MemoryAccess(this.#options, this.stored);
    await access.open();
    return access;
  }
}

/** With one administrator. */
export async function closedAccess(options: Options = {}): Promise<MemoryAccess> {
  const access = new MemoryAccess(options);
  await access.open();
  const { name, password } = administrator;
  await access.accounts.putUser(name, { grants: [{ role: 'administrator' }] }, ownerCaller, { password });
  return access;
}
