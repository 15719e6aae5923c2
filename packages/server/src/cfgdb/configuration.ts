// The operations that change the configuration: reads bodies, checks them, changes the database, renders, and says in problems
// what went wrong. Everything here is synchronous and runs in the configuration's own thread. Reads: `seen-configuration.ts`.
import { randomUUID } from 'node:crypto';
import { type Change, type Family, type Fault, isPattern, ProblemError, readJson } from '@telltale/schema';
import { type Author, AuthorsRights, everyRight } from './authors-rights.ts';
import { carryOutSteps } from './carry-out-steps.ts';
import { ChangePermission, objectChanges, permitReplacement } from './change-permission.ts';
import { type ChangedObjects, changedObjects } from './changed-objects.ts';
import { checkConfiguration, type ParsedObjects } from './check.ts';
import { ConfiguredSecrets } from './configured-secrets.ts';
import type { Content } from './content.ts';
import { Database } from './database.ts';
import { edited, goBack, renamesBetween, type Selection, selector } from './go-back.ts';
import type { ObjectChange } from './needed-permissions.ts';
import { DiskRefused, onDisk, RolledBack } from './on-disk.ts';
import { invalidBody, readObject, type Step, unknownObject } from './read-objects.ts';
import { renameObjects } from './rename-object.ts';
import type { Rename } from './renamed-references.ts';
import type { RenderingBytes } from './rendering.ts';
import { incomingPath, removeDatabase } from './replace-database.ts';
import type { Edit } from './revisions.ts';
import { changesJson, type Json, type Shared } from './seen-configuration.ts';
import { proposed } from './shared/site-adoption.ts';
import { SiteConfiguration } from './shared/site-configuration.ts';
import type { SiteSharing } from './shared/site-sharing.ts';
import type { StackRules } from './stack-rules.ts';
import { equipped, takePlace } from './take-place.ts';
import { type Uploaded, writeFresh } from './write-fresh.ts';

export interface ConfigurationOptions {
  readonly path: string;
  readonly stacks: readonly StackRules[];
  /** Microseconds since the epoch. */
  readonly now: () => number;
  /** The one at `path`, where it is open already. */
  readonly database?: Database;
  /** Without them, secrets are not encrypted. */
  readonly secrets?: ConfiguredSecrets;
  /** With the other nodes of the site; without, there are none. */
  readonly sharing?: SiteSharing | undefined;
  /** Whether what is about to be rendered can take effect: answers why it cannot. */
  readonly propose?: (rendering: RenderingBytes, renames: readonly Rename[]) => string | undefined;
}

/** Whether a change is rendered at once, and why. */
export interface Rendering {
  readonly render: boolean;
  readonly comment?: string | undefined;
}

interface RenderOptions {
  readonly force: boolean;
  readonly comment?: string | undefined;
  readonly version?: string | undefined;
}

/** With `commit` false everything is done, and undone: it would have worked. */
export type Committing = Rendering & { readonly commit: boolean };

interface Changing extends Partial<Committing> {
  readonly parsed?: () => ParsedObjects | undefined;
  /** For the audit trail: what it has changed, where that is not what it has touched. */
  readonly changes?: () => Iterable<ObjectChange>;
}

/** What became of a rename. */
export interface Renamed {
  /** What refers to the object, and now does so by its new name. */
  readonly referrers: readonly { readonly family: Family; readonly name: string }[];
}

export class Configuration extends SiteConfiguration {
  readonly #options: ConfigurationOptions;

  /** `shared` and `rights` are those of one that is open already, for somebody who does not see or may not change all of it. */
  constructor(options: ConfigurationOptions, shared = sharedOf(options), rights = everyRight) {
    super(shared, rights);
    this.#options = options;
  }

  /** The same configuration, for this author. */
  for(author: Author): Configuration {
    return new Configuration(this.#options, this.shared, new AuthorsRights(author));
  }

  get #database(): Database {
    return this.shared.database;
  }

  put(family: Family, name: string, body: Uint8Array, author: string): void {
    const faults: Fault[] = [];
    const object = readObject(family, name, readJson(body), '', faults);
    if (object === undefined) throw invalidBody(faults);
    const edit = this.#edit(author);
    this.#change(edit, () => this.#database.put(object, edit));
  }

  delete(family: Family, name: string, author: string): void {
    const edit = this.#edit(author);
    this.#change(edit, () => {
      if (!this.has(family, name) || !this.#database.delete(family, name, edit)) throw unknownObject(family, name);
    });
  }

  /** Takes the steps out of their list. `also` is done in the same transaction. */
  transaction(
    steps: Step[],
    { comment, ...options }: Committing,
    author: string,
    also: (database: Database) => void = () => undefined,
  ): void {
    const edit = this.#edit(author, comment);
    let parsed: ParsedObjects | undefined;
    const work = () => {
      parsed = carryOutSteps(this.#database, steps, edit, this.rights, options.render);
      also(this.#database);
    };
    this.#change(edit, work, { ...options, parsed: () => parsed });
  }

  /**
   * Gives an object another name; its history follows when that is rendered. What refers to it refers to the new name, and is
   * answered with.
   */
  rename(rename: Rename, { comment, ...options }: Committing, author: string): Renamed {
    const edit = this.#edit(author, comment);
    let referrers: Renamed['referrers'] = [];
    const work = () => {
      referrers = renameObjects(this.#database, [rename], edit, this.rights);
    };
    this.#change(edit, work, options);
    return { referrers };
  }

  /** The history has followed, on disk. */
  confirmRenames(renames: readonly Rename[]): void {
    this.#write(() => this.#database.renames.confirm(renames));
  }

  /** With a `version`, where the configuration is still that one. */
  render({ force, comment, version }: RenderOptions, author: string): void {
    if (version !== undefined && version !== this.figures().version) throw changedSince();
    if (this.upToDate() && !force) return;
    const { differences, rendered, content } = this.#database;
    const changes = () => objectChanges(differences, rendered, content);
    this.#change(this.#edit(author, comment), () => undefined, { render: true, changes });
  }

  /** Makes what is selected what runs; answers with the edits that are discarded. With `commit` false, they would be. */
  discard(selection: Selection, { commit }: { commit: boolean }, author: string): Json {
    const { family, name } = selection;
    const database = this.#database;
    const { rendered } = database;
    const isSelected = this.#selector(selection, rendered);
    if (family !== undefined && name !== undefined && !isPattern(name)) {
      const isKnown = this.has(family, name) || this.rights.sees(family, name, rendered[family].get(name));
      if (!isKnown) throw unknownObject(family, name);
    }
    const edits = [...this.edits()];
    const edit = this.#edit(author);
    let discarded: Change[] = [];
    const work = () => {
      const renames = database.renames.pending(rendered, database.content);
      goBack(database, rendered, renames, isSelected, edit, this.rights);
      database.made.restore(database.renderedId, rendered, isSelected);
      if (family === undefined && name === undefined && this.rights.seesAll) database.renames.discard();
      discarded = edits.filter((each) => !database.differences.has(each.family, each.name));
    };
    this.#change(edit, work, { commit });
    return changesJson(discarded);
  }

  /** Makes the database, or what is selected of it, what the revision was; what runs stays until it is rendered. */
  restore(id: number, { render, comment, ...selection }: Rendering & Selection, author: string): void {
    const wanted = this.findRevision(id).content();
    const { family, name } = selection;
    if (family !== undefined && name !== undefined && !this.rights.sees(family, name, wanted[family].get(name))) {
      throw new ProblemError('unknown-object', `${family} has no ${name} in revision ${id}.`);
    }
    const isSelected = this.#selector(selection, wanted);
    const edit = this.#edit(author, comment);
    const work = () => {
      goBack(this.#database, wanted, renamesBetween(this.#database, id, edited), isSelected, edit, this.rights);
      this.#database.made.restore(id, wanted, isSelected);
    };
    this.#change(edit, work, { render });
  }

  /**
   * Puts a database of its own making, with these objects and the revisions so far, in the place of the present one.
   * Objects that stay as they are keep who changed them and when.
   */
  replace(uploaded: Uploaded, { render, comment }: Rendering, author: string): void {
    const incoming = incomingPath(this.#options.path);
    this.#onDisk(() => {
      removeDatabase(incoming);
      try {
        const edit = this.#edit(author, comment);
        writeFresh(incoming, this.#database, uploaded, edit, this.shared.secrets, (fresh) => {
          const changes = permitReplacement(this.rights, this.#database, fresh);
          if (render) this.#storeRendering(fresh, edit);
          this.#note(changes(), render ? fresh.revisions.newestId() : undefined);
          this.shared.sharing?.shareWhole(fresh, render);
        });
        try {
          takePlace(this.shared);
        } finally {
          this.hasChanged();
        }
        this.shared.sharing?.committed();
      } finally {
        removeDatabase(incoming);
      }
    });
  }

  /** After a change: what it has changed; undefined where nothing could be. */
  takeChanged(): ChangedObjects | undefined {
    const { changed } = this.shared;
    this.shared.changed = undefined;
    return changed;
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

  acknowledgeMissing(): void {
    onDisk(() => this.#database.acknowledgeMissing());
  }

  /** Writes, and changes nothing, to see whether the disk takes it. */
  tryDisk(): void {
    onDisk(() => this.#database.change(() => undefined));
    this.#isSettled();
  }

  close(): void {
    this.#database.close();
  }

  #edit(author: string, comment?: string): Edit {
    return { timeUs: this.#options.now(), author, comment };
  }

  /** Of what is seen now, or in the other configuration. */
  #selector(selection: Selection, other: Content): (family: Family, name: string) => boolean {
    const [matches, { content }] = [selector(selection), this];
    if (this.rights.seesAll) return matches;
    const isSeen = (family: Family, name: string) =>
      content[family].has(name) || this.rights.sees(family, name, other[family].get(name));
    return (family, name) => matches(family, name) && isSeen(family, name);
  }

  #storeRendering(database: Database, edit: Edit, parsed?: ParsedObjects): void {
    this.rights.permitRendering(objectChanges(database.differences, database.rendered, database.content));
    const faults = checkConfiguration(database.content, this.shared.stacks, parsed, this.shared.secrets);
    for (const { family, from: name, to } of database.renames.moving(database.content)) {
      const message = `its records are still being moved to ${to}: render again in a moment`;
      faults.push({ path: `/${family}/${name}`, message, family, name });
    }
    if (faults.length > 0) throw this.rights.refusedRendering(faults, database.content);
    database.storeRendering(edit);
    const reason = proposed(this.shared, database, database.content);
    if (reason === undefined) return;
    const detail = `It cannot be made ready to run: ${reason}. Nothing was changed, and what ran before runs on.`;
    throw new ProblemError('render-refused', detail);
  }

  /** Every edit passes here: it is done, permitted by what it has changed, rendered where that is asked for. */
  #change(
    edit: Edit,
    work: () => void,
    { render = false, commit = true, parsed, changes = () => this.#database.touched() }: Changing = {},
  ): void {
    this.#write(() => {
      const permission = new ChangePermission(this.rights, this.#database);
      work();
      permission.check();
      if (render) this.#storeRendering(this.#database, edit, parsed?.());
      this.#note(changes(), render ? this.#database.revisions.newestId() : undefined, commit);
      if (!commit) throw new RolledBack();
    });
  }

  /** For the audit trail. */
  #note(changes: Iterable<ObjectChange>, rendered: number | undefined, isCommitted = true): void {
    const revision = rendered === undefined ? {} : { revision: { old: this.#database.renderedId, new: rendered } };
    this.shared.changed = { ...changedObjects(changes), ...(isCommitted ? revision : { isDryRun: true }) };
  }

  #write(work: () => void): void {
    this.#onDisk(() => this.#database.change(work));
    this.hasChanged();
  }

  /** What the disk refuses is taken back at the other nodes of the site, which may have it already. */
  #onDisk(work: () => void): void {
    try {
      onDisk(work);
    } catch (error) {
      if (!(error instanceof DiskRefused) || this.#isSettled()) throw error;
      throw new DiskRefused(error.reason, 'the other nodes of the site may have it all the same');
    }
  }

  /** Where it is not, whoever shares tries it again, as long as this node leads. */
  #isSettled(): boolean {
    try {
      this.settleSharing();
      return true;
    } catch {
      return false;
    }
  }
}

function changedSince(): ProblemError {
  return new ProblemError(
    'approval-ended',
    'The configuration has changed since it was requested: nothing was rendered.',
  );
}

function sharedOf({ path, stacks, database = new Database(path), sharing, ...options }: ConfigurationOptions): Shared {
  const { secrets = new ConfiguredSecrets([], stacks), propose = () => undefined } = options;
  return {
    path,
    propose,
    secrets,
    sharing,
    revisionsTaken: [],
    isProposed: false,
    stacks: new Map(stacks.map((stack) => [stack.name, stack])),
    database: equipped(database, { secrets, sharing }),
    running: { id: database.renderedId, content: database.rendered },
    collections: new Map(),
    id: randomUUID(),
    version: 0,
    changed: undefined,
  };
}
