// Reads of the configuration, as whoever asks sees it: what is not seen is as if it were not there. Everything here is
// synchronous, or in steps, and runs in the configuration's own thread.
import {
  type Blame,
  type Change,
  type Family,
  type Permission,
  ProblemError,
  parseJson,
  type RevisionSummary,
  toTimestamp,
} from '@telltale/schema';
import type { AuthorsRights } from './authors-rights.ts';
import { blame } from './blame.ts';
import type { ChangedObjects } from './changed-objects.ts';
import { type ConfiguredSecrets, maskedObject } from './configured-secrets.ts';
import {
  type Content,
  collectionTexts,
  configurationTexts,
  copyOf,
  countObjects,
  emptyContent,
  type Figures,
  sortedNames,
} from './content.ts';
import type { Database } from './database.ts';
import { comparison, edited, renamesBetween } from './go-back.ts';
import { type ListedMade, seenMade, withName } from './made-objects.ts';
import { type FoundItem, type OfferedItem, offerObjects } from './offer-objects.ts';
import { type StoredObject, unknownObject } from './read-objects.ts';
import { afterRenames, takenFault } from './rename-object.ts';
import type { Rename } from './renamed-references.ts';
import { packRendering, type RenderingBytes } from './rendering.ts';
import { seenRevisionChanges } from './seen-revision.ts';
import type { SiteRevision } from './shared/site-revision.ts';
import type { SiteSharing } from './shared/site-sharing.ts';
import { type SharedBytes, sharedBytes, shownBytes } from './shared-bytes.ts';
import type { StackRules } from './stack-rules.ts';

/** A JSON body, ready for the wire. */
export type Json = SharedBytes;

/** What everybody's view of the configuration shares. */
export interface Shared {
  /** Of the file of the database. */
  readonly path: string;
  /** As `ConfigurationOptions` has it. */
  readonly propose: (rendering: RenderingBytes, renames: readonly Rename[]) => string | undefined;
  readonly stacks: ReadonlyMap<string, StackRules>;
  readonly secrets: ConfiguredSecrets;
  database: Database;
  /** What runs, and its revision; the first one is handed on by the database. */
  running: { readonly id: number; readonly content: Content };
  /** The running change has proposed what is rendered, and it can take effect. */
  isProposed: boolean;
  /** With the other nodes of the site; undefined: there are none. */
  readonly sharing: SiteSharing | undefined;
  /** Of another node, for what is to be adopted. */
  readonly revisionsTaken: SiteRevision[];
  /** And the differences: all who see everything share one until something changes. */
  readonly collections: Map<Family | 'differences', Json>;
  /** Of this start. */
  readonly id: string;
  /** One more with each change. */
  version: number;
  /** What the running change has changed. */
  changed: ChangedObjects | undefined;
}

export class SeenConfiguration {
  protected readonly shared: Shared;
  protected readonly rights: AuthorsRights;
  /** Where not everything is seen: what is. */
  #seen: { readonly version: number; readonly content: Content } | undefined;

  constructor(shared: Shared, rights: AuthorsRights) {
    this.shared = shared;
    this.rights = rights;
  }

  names(family: Family): Json {
    return sharedBytes([JSON.stringify(sortedNames(this.objects(family)))]);
  }

  /** The whole collection, or of the names listed those that exist. */
  list(family: Family, names?: readonly string[]): Json {
    if (names !== undefined) {
      const listed = new Map([...new Set(names)].sort().flatMap((name) => this.#entry(family, name)));
      return shownBytes(collectionTexts(listed, listed.keys()));
    }
    const objects = this.objects(family);
    return this.#shared(family, () => shownBytes(collectionTexts(objects, sortedNames(objects))));
  }

  get(family: Family, name: string): Json {
    const [entry] = this.#entry(family, name);
    if (entry === undefined) throw unknownObject(family, name);
    return shownBytes([entry[1]]);
  }

  /** The canonical text of each object, by name. */
  objects(family: Family): ReadonlyMap<string, string> {
    return this.content[family];
  }

  /** As `objects`, where these were renamed. */
  objectsAfter(renames: readonly Rename[], family: Family): ReadonlyMap<string, string> {
    const { content } = this;
    if (renames.length === 0) return content[family];
    const objects = new Map(content[family]);
    for (const rename of renames) if (rename.family === family) objects.delete(rename.from);
    const { renamed, referrers } = afterRenames(content, renames);
    for (const each of [...renamed, ...referrers]) if (each.family === family) objects.set(each.name, each.text);
    return objects;
  }

  /** Why an object cannot be renamed so. */
  takenFault(rename: Rename): string | undefined {
    return takenFault(this.shared.database, rename);
  }

  get content(): Content {
    const { version, database } = this.shared;
    if (this.rights.seesAll) return database.content;
    if (this.#seen?.version !== version) this.#seen = { version, content: this.rights.seenContent(database.content) };
    return this.#seen.content;
  }

  /** As it is stored: with its secrets sealed. */
  sealed(object: StoredObject): StoredObject {
    const { family, name } = object;
    const { secrets, database } = this.shared;
    const text = secrets.sealed(family, object.text, database.content[family].get(name));
    return text === object.text ? object : { family, name, text };
  }

  /** What typicals have made. */
  get made(): ListedMade {
    const { content, made } = this.shared.database;
    if (this.rights.seesAll) return made;
    return seenMade(made, ({ family, name, made: text }) =>
      this.rights.sees(family, name, content[family].get(name) ?? withName(text, name)),
    );
  }

  has(family: Family, name: string): boolean {
    return this.#entry(family, name).length > 0;
  }

  upToDate(): boolean {
    return this.#edited().next().done === true;
  }

  /** Objects that are edited and not rendered. */
  countEdits(): number {
    if (this.rights.seesAll) return this.shared.database.differences.size;
    return [...this.#edited()].length;
  }

  diff(): Json {
    return this.#shared('differences', () => changesJson(this.edits()));
  }

  /** Two of them, as they are now, in steps: a revision by its number, `rendered` or `edited`. */
  *comparing(from: string, to: string): Generator<undefined, Json> {
    const [before, after] = [this.#named(from), this.#named(to)];
    const renames = renamesBetween(this.shared.database, before.revision, after.revision);
    const changes: object[] = [];
    for (const change of comparison(before.content, after.content, renames)) {
      changes.push(change);
      yield;
    }
    return changesJson(changes);
  }

  /** In steps. */
  *blaming(family: Family, name: string): Generator<undefined, Blame> {
    if (!this.has(family, name)) throw unknownObject(family, name);
    const changesOf = (id: number) => this.shared.database.revisions.changesOf(id);
    return maskedObject(yield* blame(this.shared.database, family, name, changesOf));
  }

  /** Whoever does not see everything is not told how much there is. */
  revisions(): RevisionSummary[] {
    const summaries = this.shared.database.revisions.list();
    return this.rights.seesAll ? summaries : summaries.map(withoutCounts);
  }

  revision(id: number, { configuration }: { configuration: boolean }): Json {
    const { summary, changesText, content } = this.findRevision(id);
    const { rights } = this;
    const changes = rights.seesAll ? changesText : JSON.stringify(this.#changesOf(id, changesText, content()));
    const whole = configuration ? [',"configuration":', ...configurationTexts(rights.seenContent(content()))] : [];
    const shown = JSON.stringify(rights.seesAll ? summary : withoutCounts(summary));
    return shownBytes([shown.slice(0, -1), ',"changes":', changes, ...whole, '}']);
  }

  /** The newest rendering whole, as if nothing had been before. */
  rendering(): RenderingBytes {
    return packRendering(emptyContent(), this.shared.database.rendered);
  }

  /** Objects for what the device of a connector, which runs this stack, was found to have. */
  offer(connectorName: string, stackName: string, items: readonly FoundItem[]): OfferedItem[] {
    const rules = this.shared.stacks.get(stackName)?.connector;
    if (rules === undefined) throw new ProblemError('not-supported', `There is no connector stack ${stackName}.`);
    return offerObjects(this.content, rules, connectorName, items);
  }

  /**
   * The path of a function module's executable, for whoever has the permission to the module as it is configured, and as it
   * runs.
   */
  executableOf(name: string, permission: Permission): string | undefined {
    const { content, rendered } = this.shared.database;
    const family = 'function-modules';
    const text = content[family].get(name);
    if (text === undefined || !this.has(family, name)) throw unknownObject(family, name);
    this.rights.permitObject({ family, name, before: rendered[family].get(name), after: text }, permission);
    return (parseJson(text) as { executable?: string }).executable;
  }

  figures(): Figures {
    const { content, renderedId: running } = this.shared.database;
    const version = `${this.shared.id}.${this.shared.version}`;
    return { objects: countObjects(content), upToDate: this.upToDate(), running, version };
  }

  /** What was acknowledged once and was not found when the file was opened, a sentence each. */
  missing(): readonly string[] {
    return this.shared.database.missing;
  }

  /** The edits that are not rendered. */
  protected *edits(): Generator<Change> {
    const { database } = this.shared;
    if (this.rights.seesAll) return yield* database.changes();
    const before = this.rights.seenContent(database.rendered);
    for (const { fields, ...what } of comparison(
      before,
      this.content,
      database.renames.pending(database.rendered, database.content),
    )) {
      const { timeUs, author } = database.editOf(what.family, what.name);
      yield { ...what, time: toTimestamp(timeUs), author, ...(fields && { fields }) };
    }
  }

  protected findRevision(id: number) {
    const found = this.shared.database.revisions.find(id);
    if (found === undefined) throw new ProblemError('unknown-revision', `There is no revision ${id}.`);
    return found;
  }

  /** The objects with edits that are not rendered. */
  *#edited(): Generator<{ family: Family; name: string }> {
    const { differences, content, rendered } = this.shared.database;
    for (const each of differences) {
      const texts = [content[each.family].get(each.name), rendered[each.family].get(each.name)];
      if (texts.some((text) => this.rights.sees(each.family, each.name, text))) yield each;
    }
  }

  /** A list of one or none. */
  #entry(family: Family, name: string): [name: string, text: string][] {
    const text = this.shared.database.content[family].get(name);
    return text !== undefined && this.rights.sees(family, name, text) ? [[name, text]] : [];
  }

  #named(word: string): { revision: number; content: Content } {
    const { rights } = this;
    const { content, rendered, renderedId } = this.shared.database;
    if (word === 'rendered') return { revision: renderedId, content: rights.seenContent(rendered) };
    if (word === 'edited') return { revision: edited, content: rights.seesAll ? copyOf(content) : this.content };
    return { revision: Number(word), content: rights.seenContent(this.findRevision(Number(word)).content()) };
  }

  /** Of a revision, as they are seen. */
  #changesOf(id: number, changesText: string, content: Content): Change[] {
    const { revisions } = this.shared.database;
    const [previous] = revisions.list().filter((each) => each.id < id);
    const before = id === 1 ? emptyContent() : previous && revisions.find(previous.id)?.content();
    const [seenBefore, seenAfter] = [before && this.rights.seenContent(before), this.rights.seenContent(content)];
    return seenRevisionChanges(parseJson(changesText) as Change[], seenBefore, seenAfter);
  }

  /** Made once for all who see everything. */
  #shared(key: Family | 'differences', make: () => Json): Json {
    if (!this.rights.seesAll) return make();
    const made = this.shared.collections.get(key) ?? make();
    this.shared.collections.set(key, made);
    return made;
  }
}

export function changesJson(changes: Iterable<object>): Json {
  const texts = Array.from(changes, (change, index) => `${index === 0 ? '' : ','}${JSON.stringify(change)}`);
  return shownBytes(['{"changes":[', ...texts, ']}']);
}

function withoutCounts({ id, time, author, comment, running }: RevisionSummary): RevisionSummary {
  return { id, time, author, ...(comment !== undefined && { comment }), running };
}
