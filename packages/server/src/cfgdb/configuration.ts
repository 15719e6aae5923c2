// The operations on the configuration: reads bodies, checks them, changes the database, renders, and says in problems
// what went wrong. Everything here is synchronous and runs in the configuration's own thread.
import { type Family, type Fault, ProblemError, type RevisionSummary, readJson } from '@telltale/schema';
import { checkConfiguration, type ParsedObjects, type StackRules } from './check.ts';
import {
  type Content,
  collectionTexts,
  configurationTexts,
  countObjects,
  Differences,
  emptyContent,
  sortedNames,
} from './content.ts';
import { Database } from './database.ts';
import { type FoundItem, type OfferedItem, offerPoints } from './offer-points.ts';
import { invalidBody, readObject, type Step, type StoredObject, unknownObject } from './read-objects.ts';
import { renameObject } from './rename-object.ts';
import type { Rename } from './renamed-references.ts';
import { packRendering, type RenderingBytes } from './rendering.ts';
import { incomingPath, ReplacedUnsynced, removeDatabase, replaceDatabase } from './replace-database.ts';
import type { Edit } from './revisions.ts';
import { type SharedBytes, sharedBytes } from './shared-bytes.ts';

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
  readonly #collections = new Map<Family, Json>();

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

  /** Takes the steps out of their list. With `commit` false everything is done, and undone: it would have worked. */
  transaction(steps: Step[], { commit, render }: { commit: boolean; render: boolean }, author: string): void {
    this.#change(() => {
      const edit = this.#edit(author);
      let parsed: { [F in Family]?: Map<string, object> } = {};
      for (const [index, step] of taken(steps)) {
        if (step.operation === 'put') {
          this.#database.put(step.object, edit);
          if (render) noteParsed(parsed, step);
        } else if (step.operation === 'rename') {
          renameObject(this.#database, step.rename, edit);
          parsed = {}; // what refers to it is another text now
        } else if (!this.#database.delete(step.family, step.name, edit)) {
          const detail = `${step.family} has no ${step.name} to delete, so nothing was changed.`;
          throw new ProblemError('operation-failed', detail, [
            { path: `/operations/${index}`, message: 'deletes what does not exist' },
          ]);
        }
      }
      if (render) this.#storeRendering(this.#database, edit, parsed);
      if (!commit) throw new RolledBack();
    });
  }

  /**
   * Gives an object another name; its history follows when that is rendered. What refers to it refers to the new name, and is
   * answered with. With `commit` false everything is done, and undone.
   */
  rename(rename: Rename, { commit, render }: { commit: boolean; render: boolean }, author: string): Renamed {
    let referrers: Renamed['referrers'] = [];
    this.#change(() => {
      const edit = this.#edit(author);
      referrers = renameObject(this.#database, rename, edit);
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

  render({ force }: { force: boolean }, author: string): void {
    if (this.upToDate() && !force) return;
    this.#change(() => this.#storeRendering(this.#database, this.#edit(author)));
  }

  diff(): Json {
    const texts = Array.from(
      this.#database.changes(),
      (change, index) => `${index === 0 ? '' : ','}${JSON.stringify(change)}`,
    );
    return sharedBytes(['{"changes":[', ...texts, ']}']);
  }

  revisions(): RevisionSummary[] {
    return this.#database.revisions.list();
  }

  revision(id: number, { configuration }: { configuration: boolean }): Json {
    const { summary, changesText, content } = this.#findRevision(id);
    const whole = configuration ? [',"configuration":', ...configurationTexts(content())] : [];
    return sharedBytes([JSON.stringify(summary).slice(0, -1), ',"changes":', changesText, ...whole, '}']);
  }

  /** Makes the database what the revision was; what runs stays until it is rendered. */
  restore(id: number, { render }: { render: boolean }, author: string): void {
    const wanted = this.#findRevision(id).content();
    this.#change(() => {
      const edit = this.#edit(author);
      for (const { family, name } of Differences.between(this.#database.content, wanted)) {
        const text = wanted[family].get(name);
        if (text === undefined) this.#database.delete(family, name, edit);
        else this.#database.put({ family, name, text }, edit);
      }
      if (render) this.#storeRendering(this.#database, edit);
    });
  }

  /**
   * Puts a database of its own making, with these objects and the revisions so far, in the place of the present one.
   * Objects that stay as they are keep who changed them and when.
   */
  replace(objects: readonly StoredObject[], { render }: { render: boolean }, author: string): void {
    const incoming = incomingPath(this.#path);
    onDisk(() => {
      removeDatabase(incoming);
      try {
        this.#writeFresh(incoming, objects, render, this.#edit(author));
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

  /** Objects for points that the device of a connector, which runs this stack, was found to have. */
  offer(connectorName: string, stackName: string, items: readonly FoundItem[]): OfferedItem[] {
    const rules = this.#stacks.get(stackName)?.connector;
    if (rules === undefined) throw new ProblemError('not-supported', `There is no connector stack ${stackName}.`);
    return offerPoints(this.#database.content, rules, connectorName, items);
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

  #writeFresh(path: string, objects: readonly StoredObject[], render: boolean, edit: Edit): void {
    const fresh = new Database(path);
    try {
      fresh.change(() => {
        fresh.adoptRevisions(this.#database);
        for (const object of objects) fresh.put(object, this.#unchangedEdit(object) ?? edit);
        for (const { family, name } of fresh.differences) {
          if (fresh.content[family].has(name)) continue;
          fresh.noteDeletion(family, name, this.has(family, name) ? edit : this.#database.editOf(family, name));
        }
        if (render) this.#storeRendering(fresh, edit);
      });
    } finally {
      fresh.close();
    }
  }

  #unchangedEdit({ family, name, text }: StoredObject): Edit | undefined {
    return this.#database.content[family].get(name) === text ? this.#database.editOf(family, name) : undefined;
  }

  #edit(author: string): Edit {
    return { timeUs: this.#now(), author };
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

/** Each with its index, and taken out of the list: what it has is not needed any more when it is done. */
function* taken(steps: Step[]): Generator<[index: number, step: Step]> {
  const { length } = steps;
  steps.reverse();
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) yield [length - 1 - steps.length, step];
}

/** An object that a transaction has put, as it was sent; one that is put again is another one, whether it is parsed or not. */
function noteParsed(
  parsed: { [F in Family]?: Map<string, object> },
  { object: { family, name }, parsed: object }: Extract<Step, { operation: 'put' }>,
): void {
  parsed[family] ??= new Map();
  if (object === undefined) parsed[family].delete(name);
  else parsed[family].set(name, object);
}

/** Thrown to end a transaction that should leave nothing behind. */
class RolledBack extends Error {}

export class DiskRefused extends ProblemError {
  readonly reason: string;

  constructor(reason: string, outcome = 'nothing was changed') {
    super('storage-failed', `${reason}; ${outcome}.`);
    this.reason = reason;
  }
}

/** Runs a change and says what a failing disk means for the client; problems of the client's own pass through. */
function onDisk(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof RolledBack) return;
    if (error instanceof ProblemError) throw error;
    if (error instanceof ReplacedUnsynced) {
      throw new DiskRefused(error.message, 'the database was replaced, and may be the one before after a power cut');
    }
    throw new DiskRefused((error as Error).message);
  }
}
