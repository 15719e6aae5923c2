// The operations on the configuration: reads bodies, checks them, changes the database, renders, and says in problems
// what went wrong. Everything here is synchronous and runs in the configuration's own thread.
import {
  type Blame,
  type Change,
  type Family,
  type Fault,
  isPattern,
  ProblemError,
  type RevisionSummary,
  readJson,
} from '@telltale/schema';
import { blame } from './blame.ts';
import { carryOutSteps } from './carry-out-steps.ts';
import { checkConfiguration, type ParsedObjects, type StackRules } from './check.ts';
import {
  type Content,
  collectionTexts,
  configurationTexts,
  copyOf,
  countObjects,
  emptyContent,
  sortedNames,
} from './content.ts';
import { Database } from './database.ts';
import { comparison, edited, goBack, renamesBetween, type Selection, selector } from './go-back.ts';
import type { MadeObjects } from './made-objects.ts';
import { type FoundItem, type OfferedItem, offerObjects } from './offer-objects.ts';
import { onDisk, RolledBack } from './on-disk.ts';
import { invalidBody, readObject, type Step, unknownObject } from './read-objects.ts';
import { afterRenames, renameObjects, takenFault } from './rename-object.ts';
import type { Rename } from './renamed-references.ts';
import { packRendering, type RenderingBytes } from './rendering.ts';
import { incomingPath, removeDatabase, replaceDatabase } from './replace-database.ts';
import type { Edit } from './revisions.ts';
import { type SharedBytes, sharedBytes } from './shared-bytes.ts';
import { type Uploaded, writeFresh } from './write-fresh.ts';

/** A JSON body, ready for the wire. */
export type Json = SharedBytes;

export interface ConfigurationOptions {
  readonly path: string;
  readonly stacks: readonly StackRules[];
  /** Microseconds since the epoch. */
  readonly now: () => number;
  /** The one at `path`, where it is open already. */
  readonly database?: Database;
  /** Whether what is about to be rendered can take effect: answers why it cannot. */
  readonly propose?: (rendering: RenderingBytes, renames: readonly Rename[]) => string | undefined;
}

/** Whether a change is rendered at once, and why. */
export interface Rendering {
  readonly render: boolean;
  readonly comment?: string | undefined;
}

/** With `commit` false everything is done, and undone: it would have worked. */
export type Committing = Rendering & { readonly commit: boolean };

/** What became of a rename. */
export interface Renamed {
  /** What refers to the object, and now does so by its new name. */
  readonly referrers: readonly { readonly family: Family; readonly name: string }[];
}

export class Configuration {
  readonly #path: string;
  readonly #stacks: ReadonlyMap<string, StackRules>;
  readonly #now: () => number;
  readonly #propose: (rendering: RenderingBytes, renames: readonly Rename[]) => string | undefined;
  #database: Database;
  /** What runs, and its revision; the first one is handed on by the database. */
  #running: { readonly id: number; readonly content: Content };
  /** And the differences: many may ask for them, and share one until something changes. */
  readonly #collections = new Map<Family | 'differences', Json>();

  constructor({ path, stacks, now, database = new Database(path), propose = () => undefined }: ConfigurationOptions) {
    this.#path = path;
    this.#stacks = new Map(stacks.map((stack) => [stack.name, stack]));
    this.#now = now;
    this.#propose = propose;
    this.#database = database;
    this.#running = { id: database.renderedId, content: database.rendered };
  }

  names(family: Family): Json {
    return sharedBytes([JSON.stringify(sortedNames(this.#database.content[family]))]);
  }

  /** The whole collection, or of the names listed those that exist. */
  list(family: Family, names?: readonly string[]): Json {
    const objects = this.#database.content[family];
    if (names !== undefined) return sharedBytes(collectionTexts(objects, [...new Set(names)].sort()));
    const cached = this.#collections.get(family);
    if (cached !== undefined) return cached;
    const made = sharedBytes(collectionTexts(objects, sortedNames(objects)));
    this.#collections.set(family, made);
    return made;
  }

  get(family: Family, name: string): Json {
    const text = this.#database.content[family].get(name);
    if (text === undefined) throw unknownObject(family, name);
    return sharedBytes([text]);
  }

  /** The canonical text of each object, by name. */
  objects(family: Family): ReadonlyMap<string, string> {
    return this.#database.content[family];
  }

  /** As `objects`, where these were renamed. */
  objectsAfter(renames: readonly Rename[], family: Family): ReadonlyMap<string, string> {
    const { content } = this.#database;
    if (renames.length === 0) return content[family];
    const objects = new Map(content[family]);
    for (const rename of renames) if (rename.family === family) objects.delete(rename.from);
    const { renamed, referrers } = afterRenames(content, renames);
    for (const each of [...renamed, ...referrers]) if (each.family === family) objects.set(each.name, each.text);
    return objects;
  }

  /** Why an object cannot be renamed so. */
  takenFault(rename: Rename): string | undefined {
    return takenFault(this.#database, rename);
  }

  get content(): Content {
    return this.#database.content;
  }

  /** What typicals have made. */
  get made(): MadeObjects {
    return this.#database.made;
  }

  has(family: Family, name: string): boolean {
    return this.#database.content[family].has(name);
  }

  put(family: Family, name: string, body: Uint8Array, author: string): void {
    const faults: Fault[] = [];
    const object = readObject(family, name, readJson(body), '', faults);
    if (object === undefined) throw invalidBody(faults);
    this.#change(() => this.#database.put(object, this.#edit(author)));
  }

  delete(family: Family, name: string, author: string): void {
    this.#change(() => {
      if (!this.#database.delete(family, name, this.#edit(author))) throw unknownObject(family, name);
    });
  }

  /** Takes the steps out of their list. `also` is done in the same transaction. */
  transaction(
    steps: Step[],
    { commit, render, comment }: Committing,
    author: string,
    also: (database: Database) => void = () => undefined,
  ): void {
    this.#change(() => {
      const edit = this.#edit(author, comment);
      const parsed = carryOutSteps(this.#database, steps, edit, render);
      also(this.#database);
      if (render) this.#storeRendering(this.#database, edit, parsed);
      if (!commit) throw new RolledBack();
    });
  }

  /**
   * Gives an object another name; its history follows when that is rendered. What refers to it refers to the new name, and is
   * answered with.
   */
  rename(rename: Rename, { commit, render, comment }: Committing, author: string): Renamed {
    let referrers: Renamed['referrers'] = [];
    this.#change(() => {
      const edit = this.#edit(author, comment);
      referrers = renameObjects(this.#database, [rename], edit);
      if (render) this.#storeRendering(this.#database, edit);
      if (!commit) throw new RolledBack();
    });
    return { referrers };
  }

  /** The history has followed, on disk. */
  confirmRenames(renames: readonly Rename[]): void {
    this.#change(() => this.#database.renames.confirm(renames));
  }

  upToDate(): boolean {
    return this.#database.differences.size === 0;
  }

  render({ force, comment }: { force: boolean; comment?: string | undefined }, author: string): void {
    if (this.upToDate() && !force) return;
    this.#change(() => this.#storeRendering(this.#database, this.#edit(author, comment)));
  }

  diff(): Json {
    const made = this.#collections.get('differences') ?? changesJson(this.#database.changes());
    this.#collections.set('differences', made);
    return made;
  }

  /** Two of them, as they are now, in steps: a revision by its number, `rendered` or `edited`. */
  *comparing(from: string, to: string): Generator<undefined, Json> {
    const [before, after] = [this.#named(from), this.#named(to)];
    const renames = renamesBetween(this.#database, before.revision, after.revision);
    const changes: object[] = [];
    for (const change of comparison(before.content, after.content, renames)) {
      changes.push(change);
      yield;
    }
    return changesJson(changes);
  }

  /** In steps. */
  blaming(family: Family, name: string): Generator<undefined, Blame> {
    return blame(this.#database, family, name, (id) => this.#database.revisions.changesOf(id));
  }

  /** Makes what is selected what runs; answers with the edits that are discarded. With `commit` false, they would be. */
  discard(selection: Selection, { commit }: { commit: boolean }, author: string): Json {
    const { family, name } = selection;
    const database = this.#database;
    if (family !== undefined && name !== undefined && !isPattern(name)) {
      if (!database.content[family].has(name) && !database.rendered[family].has(name))
        throw unknownObject(family, name);
    }
    const edits = [...database.changes()];
    let discarded: Change[] = [];
    this.#change(() => {
      const renames = database.renames.pending(database.rendered, database.content);
      goBack(database, database.rendered, renames, selection, this.#edit(author));
      database.made.restore(database.renderedId, database.rendered, selector(selection));
      if (family === undefined && name === undefined) database.renames.discard();
      discarded = edits.filter((edit) => !database.differences.has(edit.family, edit.name));
      if (!commit) throw new RolledBack();
    });
    return changesJson(discarded);
  }

  revisions(): RevisionSummary[] {
    return this.#database.revisions.list();
  }

  revision(id: number, { configuration }: { configuration: boolean }): Json {
    const { summary, changesText, content } = this.#findRevision(id);
    const whole = configuration ? [',"configuration":', ...configurationTexts(content())] : [];
    return sharedBytes([JSON.stringify(summary).slice(0, -1), ',"changes":', changesText, ...whole, '}']);
  }

  /** Makes the database, or what is selected of it, what the revision was; what runs stays until it is rendered. */
  restore(id: number, { render, comment, ...selection }: Rendering & Selection, author: string): void {
    const wanted = this.#findRevision(id).content();
    const { family, name } = selection;
    if (family !== undefined && name !== undefined && !wanted[family].has(name)) {
      throw new ProblemError('unknown-object', `${family} has no ${name} in revision ${id}.`);
    }
    this.#change(() => {
      const edit = this.#edit(author, comment);
      goBack(this.#database, wanted, renamesBetween(this.#database, id, edited), selection, edit);
      this.#database.made.restore(id, wanted, selector(selection));
      if (render) this.#storeRendering(this.#database, edit);
    });
  }

  /**
   * Puts a database of its own making, with these objects and the revisions so far, in the place of the present one.
   * Objects that stay as they are keep who changed them and when.
   */
  replace(uploaded: Uploaded, { render, comment }: Rendering, author: string): void {
    const incoming = incomingPath(this.#path);
    onDisk(() => {
      removeDatabase(incoming);
      try {
        const edit = this.#edit(author, comment);
        writeFresh(incoming, this.#database, uploaded, edit, (fresh) => {
          if (render) this.#storeRendering(fresh, edit);
        });
        this.#database.close();
        try {
          replaceDatabase(this.#path, incoming);
        } finally {
          this.#database = new Database(this.#path);
          this.#collections.clear();
        }
      } finally {
        removeDatabase(incoming);
      }
    });
  }

  /** After a change: whether the proposed rendering is stored, and runs from now on. */
  takeRendered(): boolean {
    const { renderedId: id, rendered: content } = this.#database;
    const isNew = id !== this.#running.id;
    this.#running = { id, content };
    return isNew;
  }

  /** The newest rendering whole, as if nothing had been before. */
  rendering(): RenderingBytes {
    return packRendering(emptyContent(), this.#database.rendered);
  }

  /** Objects for what the device of a connector, which runs this stack, was found to have. */
  offer(connectorName: string, stackName: string, items: readonly FoundItem[]): OfferedItem[] {
    const rules = this.#stacks.get(stackName)?.connector;
    if (rules === undefined) throw new ProblemError('not-supported', `There is no connector stack ${stackName}.`);
    return offerObjects(this.#database.content, rules, connectorName, items);
  }

  counts(): Record<Family, number> {
    return countObjects(this.#database.content);
  }

  /** Writes a copy of the objects into a new file at `path`, in steps. Nothing may change before the last one. */
  *copying(path: string): Generator<void> {
    const steps = this.#database.writeObjectsTo(path);
    try {
      for (let isOver = false; !isOver; yield) {
        onDisk(() => {
          isOver = steps.next().done === true;
        });
      }
    } finally {
      steps.return(undefined);
    }
  }

  /** What was acknowledged once and was not found when the file was opened, a sentence each. */
  missing(): readonly string[] {
    return this.#database.missing;
  }

  acknowledgeMissing(): void {
    onDisk(() => this.#database.acknowledgeMissing());
  }

  /** Writes, and changes nothing, to see whether the disk takes it. */
  tryDisk(): void {
    this.#change(() => undefined);
  }

  close(): void {
    this.#database.close();
  }

  #edit(author: string, comment?: string): Edit {
    return { timeUs: this.#now(), author, comment };
  }

  #named(word: string): { revision: number; content: Content } {
    const { content, rendered, renderedId } = this.#database;
    if (word === 'rendered') return { revision: renderedId, content: rendered };
    if (word === 'edited') return { revision: edited, content: copyOf(content) };
    return { revision: Number(word), content: this.#findRevision(Number(word)).content() };
  }

  #findRevision(id: number) {
    const found = this.#database.revisions.find(id);
    if (found === undefined) throw new ProblemError('unknown-revision', `There is no revision ${id}.`);
    return found;
  }

  #storeRendering(database: Database, edit: Edit, parsed?: ParsedObjects): void {
    const faults = checkConfiguration(database.content, this.#stacks, parsed);
    for (const { family, from: name, to } of database.renames.unconfirmed()) {
      if (!database.content[family].has(name)) continue;
      const message = `its records are still being moved to ${to}: render again in a moment`;
      faults.push({ path: `/${family}/${name}`, message, family, name });
    }
    if (faults.length > 0) {
      const what = faults.length === 1 ? '1 thing is wrong' : `${faults.length} things are wrong`;
      throw new ProblemError('render-refused', `${what}; nothing was changed.`, faults);
    }
    database.storeRendering(edit);
    const renames = database.renames.unconfirmed(database.revisions.newestId());
    const reason = this.#propose(packRendering(this.#running.content, database.content), renames);
    if (reason === undefined) return;
    const detail = `It cannot be made ready to run: ${reason}. Nothing was changed, and what ran before runs on.`;
    throw new ProblemError('render-refused', detail);
  }

  #change(work: () => void): void {
    onDisk(() => this.#database.change(work));
    this.#collections.clear();
  }
}

function changesJson(changes: Iterable<object>): Json {
  const texts = Array.from(changes, (change, index) => `${index === 0 ? '' : ','}${JSON.stringify(change)}`);
  return sharedBytes(['{"changes":[', ...texts, ']}']);
}
