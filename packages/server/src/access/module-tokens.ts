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

export type RevocationListener = (caller: Caller) => void;

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
  readonly #listeners: RevocationListener[] = [];
  #isOpen = true;

  get size(): number {
    return this.#entries.size;
  }

  /** Whether there are no users: then modules read everything. */
  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen;
    for (const entry of this.#entries.values()) entry.rights = this.#rightsOf(entry.lists);
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
    known.rights = this.#rightsOf(known.lists);
  }

  revoke(token: string): void {
    const key = hashOf(token);
    const known = this.#entries.get(key);
    if (known === undefined) return;
    this.#entries.delete(key);
    for (const listener of this.#listeners) listener(known.caller);
  }

  /** Called with the very object that `find` gave. */
  onRevoked(listener: RevocationListener): void {
    this.#listeners.push(listener);
  }

  /** Always the same object for the same token. */
  find(hash: string): Caller | undefined {
    return this.#entries.get(hash)?.caller;
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
