// One open configuration database: the file, what it holds as content in memory, and the newest rendering beside it.
// Changes go to disk and memory together or not at all. Requests and answers are in `configuration.ts`.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Change, type Family, type FamilyObject, familyNames, parseJson, toTimestamp } from '@telltale/schema';
import { type DurableDatabase, RowChecksums } from '../sqlite/index.ts';
import type { ConfiguredSecrets } from './configured-secrets.ts';
import { type Content, compareObject, copyOf, Differences, emptyContent } from './content.ts';
import { copyTable } from './copy-table.ts';
import { type EditRow, noEdits, rowTexts, toEdit } from './edit-rows.ts';
import { MadeObjects, madePart } from './made-objects.ts';
import type { ObjectChange } from './needed-permissions.ts';
import { type FamilyStatements, openFile, prepareFamily } from './open-file.ts';
import type { StoredObject } from './read-objects.ts';
import type { Rename } from './renamed-references.ts';
import { formerNames, keyOf, Renames } from './renames.ts';
import { packRendering, type RenderingBytes, wholeRendering } from './rendering.ts';
import { type Edit, Revisions, revisionsPart } from './revisions.ts';
import { type Done, digestOf, type EditedObject } from './shared/site-change.ts';
import { applicationId, type ColumnValue, columnNames, schemaVersion, tables, toColumns, toText } from './tables.ts';

export class Database {
  readonly #durable: DurableDatabase;
  readonly #sqlite: DatabaseSync;
  readonly #statements: { readonly [F in Family]: FamilyStatements };
  readonly #insertDeletion: StatementSync;
  readonly #forgetDeletion: StatementSync;
  readonly #deletionOf: StatementSync;
  readonly revisions: Revisions;
  readonly renames: Renames;
  readonly made: MadeObjects;
  readonly content: Content = emptyContent();
  #rendered: Content = emptyContent();
  #renderedId: number;
  #differences = new Differences();
  #hasDeletions = false;
  #secrets: Pick<ConfiguredSecrets, 'sealed'> | undefined;
  /** Those since the newest rendering that this process made itself; every edit is on disk. */
  #recentEdits = noEdits();
  /** What the objects that the running change has touched were before it, in order. */
  #undo: { readonly family: Family; readonly name: string; readonly before: string | undefined }[] = [];
  #afterCommit: (() => void)[] = [];
  #share: ((done: Done) => void) | undefined;
  /** Of the running change, and the renames that waited for it. */
  #rendering: Done['rendering'];

  /**
   * Opens the file, made where there is none, and reads it. `onRendering` gets the newest rendering first, and the renames that
   * its history may not have followed.
   */
  constructor(
    path: string,
    onRendering: (rendering: RenderingBytes, renames: readonly Rename[]) => void = () => undefined,
  ) {
    const durable = openFile(path);
    const { sqlite } = durable;
    try {
      this.#durable = durable;
      this.#sqlite = sqlite;
      this.#statements = Object.fromEntries(
        familyNames.map((family) => [family, prepareFamily(sqlite, tables[family])]),
      ) as { [F in Family]: FamilyStatements };
      this.#insertDeletion = sqlite.prepare('REPLACE INTO deletions VALUES (?, ?, ?, ?)');
      this.#forgetDeletion = sqlite.prepare('DELETE FROM deletions WHERE family = ? AND name = ?');
      this.#deletionOf = sqlite.prepare('SELECT changedAt, changedBy FROM deletions WHERE family = ? AND name = ?');
      this.revisions = new Revisions(sqlite, () => durable.checksums);
      this.renames = new Renames(sqlite, () => durable.checksums);
      this.made = new MadeObjects(sqlite, () => durable.checksums);
      const renames = this.renames.unconfirmed();
      const checksums = new RowChecksums();
      const { content, damaged } = this.revisions.load(checksums, (text) => onRendering(wholeRendering(text), renames));
      if (content === undefined && (damaged.length > 0 || durable.hasLost(revisionsPart))) throw new Error(nothingRuns);
      if (content === undefined) onRendering(packRendering(emptyContent(), emptyContent()), renames);
      this.#rendered = content ?? emptyContent();
      this.#renderedId = this.revisions.newestId() ?? 0;
      this.#load(checksums);
      durable.verify(
        checksums,
        damaged.map((id) => `revision ${id} is damaged, and the one before it runs`),
        () => this.revisions.remove(damaged),
      );
    } catch (error) {
      throw durable.refuse(error);
    }
  }

  /** What was acknowledged and was not found when the file was opened, a sentence each. */
  get missing(): readonly string[] {
    return this.#durable.missing;
  }

  acknowledgeMissing(): void {
    this.#durable.acknowledge();
  }

  get differences(): Differences {
    return this.#differences;
  }

  get rendered(): Content {
    return this.#rendered;
  }

  /** Its revision; 0: there is none. */
  get renderedId(): number {
    return this.#renderedId;
  }

  /** The other nodes of a site get what each change has done, before it is committed: where that throws, nothing is changed. */
  shareWith(share: (done: Done) => void): void {
    this.#share = share;
  }

  /** The same at two nodes that have the same: objects, what waits to be rendered, and the newest rendering. */
  get digest(): string {
    const { sums } = this.#durable.checksums;
    // Not of what is empty: of two versions, one may have families that the other does not know.
    const parts = [...familyNames, deletionsPart, madePart].flatMap((part) => {
      const [rows, sum] = sums[part] ?? [0, 0];
      return rows === 0 ? [] : [[part, rows, sum]];
    });
    return digestOf([parts, this.renames.waiting(), this.revisions.newest() ?? null]);
  }

  /** Runs `work` as one transaction. When it throws, file and memory are as before, and the error goes on. */
  change<Result>(work: () => Result): Result {
    this.#undo = [];
    this.#afterCommit = [];
    this.#rendering = undefined;
    this.made.steps = this.#share && [];
    const waiting = this.#share && this.renames.waiting();
    let result: Result;
    try {
      result = this.#durable.transaction(() => {
        const answer = work();
        if (waiting !== undefined) this.#share?.(this.#done(waiting));
        return answer;
      });
    } catch (error) {
      for (const { family, name, before } of this.#undo.reverse()) this.#assign(family, name, before);
      this.#recentEdits = noEdits();
      throw error;
    }
    for (const step of this.#afterCommit.splice(0)) step();
    this.#undo = []; // no longer needed
    return result;
  }

  /** Inside `change`: what was put or deleted so far, each object once, one that is as before as well. */
  *touched(): Generator<ObjectChange> {
    const seen = new Set<string>();
    for (const { family, name, before } of this.#undo) {
      const key = keyOf(family, name);
      const after = this.content[family].get(name);
      if (!seen.has(key) && (before ?? after) !== undefined) yield { family, name, before, after };
      seen.add(key);
    }
  }

  /** Inside `change`: when it is on disk. */
  afterCommit(step: () => void): void {
    this.#afterCommit.push(step);
  }

  /** How secrets are sealed, from now on. */
  sealWith(secrets: Pick<ConfiguredSecrets, 'sealed'>): void {
    this.#secrets = secrets;
  }

  /** Inside `change`: stores an object, new or in place of the one with its name. */
  put(object: StoredObject, edit: Edit): void {
    const { family, name, text: given } = object;
    const text = this.#secrets?.sealed(family, given, this.content[family].get(name)) ?? given;
    this.putSealed(text === given ? object : { family, name, text }, edit);
  }

  /** Inside `change`: as it stands there. */
  putSealed({ family, name, text, values }: StoredObject, edit: Edit): void {
    this.#dropChecksum(family, name);
    const columns = values ?? toColumns(family, parseJson(text) as FamilyObject[Family]);
    this.#statements[family].put.run(...columns, edit.timeUs, edit.author);
    this.#durable.checksums.add(family, ...rowTexts(text, edit));
    this.#forget(family, name);
    this.#recentEdits[family].set(name, edit);
    this.#set(family, name, text);
  }

  /** Inside `change`: false where there is no such object. */
  delete(family: Family, name: string, edit: Edit): boolean {
    if (!this.content[family].has(name)) return false;
    this.#dropChecksum(family, name);
    this.#statements[family].delete.run(name);
    this.noteDeletion(family, name, edit);
    this.#set(family, name, undefined);
    return true;
  }

  /** Inside `change`: remembers who deleted an object until the deletion is rendered. */
  noteDeletion(family: Family, name: string, edit: Edit): void {
    this.#forget(family, name);
    this.#insertDeletion.run(family, name, edit.timeUs, edit.author);
    this.#durable.checksums.add(deletionsPart, ...rowTexts(`${family} ${name}`, edit));
    this.#recentEdits[family].set(name, edit);
    this.#hasDeletions = true;
  }

  /** Inside the first `change` of an empty database: takes over what another one has rendered, all or those. */
  adoptRevisions(other: Database, isWanted?: (id: number) => boolean): void {
    this.#durable.sequence = other.#durable.sequence;
    this.revisions.copyFrom(other.revisions, isWanted);
    this.renames.copyFrom(other.renames);
    this.made.copyRevisions(other.made, isWanted);
    this.#rendered = other.#rendered;
    this.#differences = Differences.between(this.#rendered, this.content);
  }

  /** Inside `change`: stores the content as the newest rendering. The caller has checked it. */
  storeRendering(edit: Edit): void {
    if (this.#share !== undefined) this.#rendering = { edit, waiting: this.renames.waiting() };
    const id = this.revisions.add(this.content, this.changes(), edit);
    this.renames.render(id, this.#rendered, this.content);
    this.made.render(id, this.content, this.revisions.ids());
    this.#sqlite.exec('DELETE FROM deletions');
    this.#durable.checksums.clear(deletionsPart);
    const rendered = copyOf(this.content);
    this.#afterCommit.push(() => {
      this.#rendered = rendered;
      this.#renderedId = id;
      this.#differences = new Differences();
      this.#recentEdits = noEdits();
      this.#hasDeletions = false;
    });
  }

  /** The database against its newest rendering, each change with when and by whom it was last edited. */
  *changes(): Generator<Change> {
    const renamed = formerNames(this.renames.pending(this.#rendered, this.content));
    for (const each of this.#differences) {
      const { family, name } = each;
      const formerName = renamed.get(keyOf(family, name));
      const { fields, ...what } = compareObject(this.#rendered, this.content, each, formerName);
      const { timeUs, author } = this.editOf(family, name);
      yield { ...what, time: toTimestamp(timeUs), author, ...(fields && { fields }) };
    }
  }

  /** When and by whom an object was last put or deleted. */
  editOf(family: Family, name: string): Edit {
    const recent = this.#recentEdits[family].get(name);
    if (recent !== undefined) return recent;
    const row = this.content[family].has(name)
      ? this.#statements[family].editOf.get(name)
      : this.#deletionOf.get(family, name);
    return toEdit(row as unknown as EditRow);
  }

  /** Writes the objects, without revisions, into a new file, in steps; nothing may change before the last one. */
  *writeObjectsTo(path: string): Generator<void> {
    this.#sqlite.prepare('ATTACH ? AS copy').run(path);
    try {
      // Nobody needs a copy that is not whole.
      this.#sqlite.exec('PRAGMA copy.journal_mode = OFF; PRAGMA copy.synchronous = OFF');
      for (const family of familyNames) yield* copyTable(this.#sqlite, tables[family]);
      yield* this.made.copyTo();
      this.#sqlite.exec(`PRAGMA copy.application_id = ${applicationId}`);
      this.#sqlite.exec(`PRAGMA copy.user_version = ${schemaVersion}`);
    } finally {
      this.#sqlite.exec('DETACH copy');
    }
  }

  /** Of which key and which stacks its secrets are sealed. */
  get sealedAs(): string | undefined {
    return this.#sqlite.prepare('SELECT mark FROM sealing').get()?.mark as string | undefined;
  }

  /** Inside `change`. */
  noteSealed(mark: string): void {
    this.#sqlite.exec('DELETE FROM sealing');
    this.#sqlite.prepare('INSERT INTO sealing VALUES (?)').run(mark);
  }

  /** Nothing is left in the file, or in its log, of what was replaced. */
  vacuum(): void {
    this.#sqlite.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Moves the write-ahead log into the file and closes it, so that the file alone is the database. */
  close(): void {
    this.#durable.close();
  }

  /** All objects, and all deletions that are not rendered. */
  *edited(): Generator<EditedObject> {
    for (const family of familyNames) {
      const edits = this.#sqlite.prepare(`SELECT name, changedAt, changedBy FROM ${tables[family].name}`);
      for (const row of edits.iterate()) {
        const name = row.name as string;
        yield { family, name, text: this.content[family].get(name), edit: toEdit(row as unknown as EditRow) };
      }
    }
    for (const row of this.#sqlite.prepare('SELECT * FROM deletions').iterate()) {
      const [family, name] = [row.family as Family, row.name as string];
      yield { family, name, text: undefined, edit: toEdit(row as unknown as EditRow) };
    }
  }

  #done(waitedBefore: Done['waiting']): Done {
    const [rendering, made] = [this.#rendering, this.made.steps ?? []];
    const waiting = rendering?.waiting ?? this.renames.waiting();
    const isEmpty =
      this.#undo.length === 0 &&
      made.length === 0 &&
      rendering === undefined &&
      JSON.stringify(waiting) === JSON.stringify(waitedBefore);
    return { isEmpty, objects: this.#touchedNow(), made, waiting, rendering };
  }

  /** Each object that the running change has touched, as it is now. */
  *#touchedNow(): Generator<EditedObject> {
    const seen = new Set<string>();
    for (const { family, name } of this.#undo) {
      const key = keyOf(family, name);
      if (seen.has(key)) continue;
      seen.add(key);
      yield { family, name, text: this.content[family].get(name), edit: this.editOf(family, name) };
    }
  }

  /** Before an object is put or deleted: what it was does not count any more. */
  #dropChecksum(family: Family, name: string): void {
    const before = this.content[family].get(name);
    if (before !== undefined) this.#durable.checksums.remove(family, ...rowTexts(before, this.editOf(family, name)));
  }

  #forget(family: Family, name: string): void {
    const deletion = this.#hasDeletions ? this.#deletionOf.get(family, name) : undefined;
    if (deletion === undefined) return;
    this.#forgetDeletion.run(family, name);
    this.#durable.checksums.remove(
      deletionsPart,
      ...rowTexts(`${family} ${name}`, toEdit(deletion as unknown as EditRow)),
    );
  }

  #set(family: Family, name: string, text: string | undefined): void {
    const before = this.content[family].get(name);
    this.#undo.push({ family, name, before });
    this.#assign(family, name, text);
  }

  #assign(family: Family, name: string, text: string | undefined): void {
    const rendered = this.#rendered[family].get(name);
    const differs = rendered !== text;
    if (text === undefined) this.content[family].delete(name);
    else this.content[family].set(name, differs ? text : (rendered as string));
    this.#differences.note(family, name, differs);
  }

  #load(checksums: RowChecksums): void {
    for (const family of familyNames) {
      const table = tables[family];
      const select = this.#sqlite.prepare(`SELECT ${columnNames(table)} FROM ${table.name}`);
      select.setReturnArrays(true);
      for (const row of select.iterate() as Iterable<unknown> as Iterable<ColumnValue[]>) {
        const text = toText(table, row);
        this.#assign(family, row[0] as string, text);
        checksums.add(family, ...rowTexts(text, { timeUs: row.at(-2) as number, author: row.at(-1) as string }));
      }
      for (const name of this.#rendered[family].keys()) {
        if (!this.content[family].has(name)) this.#differences.note(family, name, true);
      }
    }
    this.renames.load(checksums);
    this.made.load(checksums);
    for (const row of this.#sqlite.prepare('SELECT * FROM deletions').iterate()) {
      this.#hasDeletions = true;
      checksums.add(deletionsPart, ...rowTexts(`${row.family} ${row.name}`, toEdit(row as unknown as EditRow)));
    }
  }
}

/** Parts of the checksums, beside the families. */
const deletionsPart = 'deletions';

const nothingRuns = 'what was rendered is damaged';
