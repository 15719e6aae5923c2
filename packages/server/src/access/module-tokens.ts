// The tokens of function modules: each belongs to one run of a module, and only its hash is stored.
import { type Permission, readWriteList, type WriteList } from '@telltale/schema';
import type { Caller } from './caller.ts';
import { ListedRights, noRights, type Rights } from './rights.ts';
import { hashOf, newToken } from './token-text.ts';

/** The properties of a module that say what its token may do, as they were configured. */
interface ModuleLists {
  readonly writes: string;
  readonly reads: string;
}

/** `isGone`: it was revoked; else it may do something else from now on. */
export type TokenListener = (caller: Caller, isGone: boolean) => void;

interface Entry {
  readonly caller: Caller;
  lists: ModuleLists;
  rights: Rights;
}

/** To names on its list. */
const writing: readonly Permission[] = ['write', 'simulate', 'operate-alarm', 'acknowledge'];
/** Of everything, while there are no users: who sends no token may that as well. */
const reading: readonly Permission[] = ['view', 'diagnose', 'read-config', 'read-metrics'];

export class ModuleTokens {
  readonly #entries = new Map<string, Entry>();
  readonly #listeners: TokenListener[] = [];
  #isOpen = true;

  get size(): number {
    return this.#entries.size;
  }

  /** Whether there are no users: then modules read everything. */
  set isOpen(isOpen: boolean) {
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    for (const entry of this.#entries.values()) this.#renew(entry);
  }

  /** A new token for a run of the module; `writes` and `reads` are the properties as they were configured. */
  issue(module: string, writes: string, reads = ''): string {
    const lists = { writes, reads };
    const token = newToken();
    const key = hashOf(token);
    const author = `module/${module}`;
    const rightsNow = () => this.#entries.get(key)?.rights ?? noRights;
    const caller: Caller = {
      author,
      kind: 'module',
      module,
      session: undefined,
      get rights() {
        return rightsNow();
      },
      authorityOr: () => author,
    };
    this.#entries.set(key, { caller, lists, rights: this.#rightsOf(lists) });
    return token;
  }

  /** What it may do from now on. */
  change(token: string, writes: string, reads = ''): void {
    const known = this.#entries.get(hashOf(token));
    if (known === undefined) return;
    known.lists = { writes, reads };
    this.#renew(known);
  }

  revoke(token: string): void {
    const key = hashOf(token);
    const known = this.#entries.get(key);
    if (known === undefined) return;
    this.#entries.delete(key);
    for (const listener of this.#listeners) listener(known.caller, true);
  }

  /** Called with the very object that `find` gave. */
  onChanged(listener: TokenListener): void {
    this.#listeners.push(listener);
  }

  /** Always the same object for the same token. */
  find(hash: string): Caller | undefined {
    return this.#entries.get(hash)?.caller;
  }

  #renew(entry: Entry): void {
    entry.rights = this.#rightsOf(entry.lists);
    for (const listener of this.#listeners) listener(entry.caller, false);
  }

  #rightsOf({ reads, writes }: ModuleLists): Rights {
    const written = readWriteList(writes);
    const lists = new Map<Permission, WriteList>(writing.map((permission) => [permission, written]));
    if (!this.#isOpen) return new ListedRights(lists.set('view', both(readWriteList(reads), written)));
    const everything = readWriteList('*');
    for (const permission of reading) lists.set(permission, everything);
    return new ListedRights(lists);
  }
}

/** What it may write, it may read. */
function both(one: WriteList, other: WriteList): WriteList {
  return {
    names: new Set([...one.names, ...other.names]),
    prefixes: [...one.prefixes, ...other.prefixes],
  };
}
