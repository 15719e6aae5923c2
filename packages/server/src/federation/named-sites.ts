// What each site is called at this centre. A site says its name itself, so it may say that of another one: a name has one site, whoever
// says it first but for whom it was given, and whoever says that of another is called by its id.
import type { SiteState } from '../bus/index.ts';

export interface NamedSitesOptions {
  /** Of those that this centre lets in. The title of each is for it alone. */
  readonly members: () => readonly { readonly role: string; readonly name: string; readonly title: string }[];
  /** Undefined: there is no store, which knows names of before. */
  readonly store: string | undefined;
}

/** A site as the store has it. */
export interface StoredSite {
  readonly id: string;
  readonly name: string;
}

const mostWarnings = 10;

type Heard = Pick<SiteState, 'id' | 'beat'>;

export class NamedSites {
  readonly #members: NamedSitesOptions['members'];
  /** Of members that were looked at last: id by title. */
  #titles: ReadonlyMap<string, string> = new Map();
  #titled: ReturnType<NamedSitesOptions['members']> = [];
  /** Both ways: each id has one name, and each name one id. */
  readonly #names = new Map<string, string>();
  readonly #holders = new Map<string, string>();
  /** What sites say, and the ids of those that the store knows. */
  readonly #said = new Map<string, string>();
  readonly #stored = new Set<string>();
  #isStoreRead: boolean;

  constructor({ members, store }: NamedSitesOptions) {
    this.#members = members;
    this.#isStoreRead = store === undefined;
  }

  /** Whether the store has said which names are taken: before that, a name that is nobody's title is nobody's. */
  get isStoreRead(): boolean {
    return this.#isStoreRead;
  }

  /** The store has these, the oldest first: so a name of several is that of the oldest. What a site says itself is newer. */
  stored(sites: readonly StoredSite[]): void {
    for (const { id, name } of sites) {
      this.#stored.add(id);
      if ((this.#said.get(id) ?? name) === name && name !== id && this.#holderOf(name) === undefined)
        this.#give(id, name);
    }
    this.#isStoreRead = true;
  }

  /** Where it is free, it has what it says from now on. */
  nameOf({ id, beat }: Heard): string {
    const said = beat?.name ?? this.#names.get(id) ?? this.#members().find(({ name }) => name === id)?.title;
    if (beat !== undefined) this.#said.set(id, beat.name);
    if (said === undefined || said === '') return id;
    const holder = this.#holderOf(said);
    if (holder === undefined ? !this.#isStoreRead : holder !== id) return id;
    this.#give(id, said);
    return said;
  }

  /** Undefined: there is none of this id or name. */
  find(wanted: string, all: readonly Heard[]): string | undefined {
    return (all.find(({ id }) => id === wanted) ?? all.find((site) => this.nameOf(site) === wanted))?.id;
  }

  /** Sites that say a name of another one. */
  get warnings(): string[] {
    const wrong = Array.from(this.#said).flatMap(([id, name]) => {
      const holder = this.#holderOf(name);
      if (holder === undefined || holder === id) return [];
      const shown = JSON.stringify(name.slice(0, 80));
      return [`The site ${id} says that it is called ${shown}, which is the site ${holder}: here it is called ${id}.`];
    });
    return wrong.slice(0, mostWarnings);
  }

  #holderOf(name: string): string | undefined {
    const members = this.#members();
    if (members !== this.#titled) {
      this.#titles = new Map(members.map(({ name: id, title }) => [title, id]));
      this.#titled = members;
    }
    const isId = this.#said.has(name) || this.#stored.has(name);
    return this.#titles.get(name) ?? (isId ? name : this.#holders.get(name));
  }

  #give(id: string, name: string): void {
    const [before, other] = [this.#names.get(id), this.#holders.get(name)];
    if (before === name) return;
    if (before !== undefined) this.#holders.delete(before);
    // It was the name of another one before it was given to a member.
    if (other !== undefined) this.#names.delete(other);
    this.#names.set(id, name);
    this.#holders.set(name, id);
  }
}
