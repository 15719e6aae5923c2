// What typicals have made: rows of the configuration database, each with the object as its type made it, so that what people
// changed since can be told from what the type changed. Each rendering keeps those of its time, for when it is restored.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { Family } from '@telltale/schema';
import type { RowChecksums } from '../sqlite/index.ts';
import { type Content, pack, unpack } from './content.ts';

export interface Made {
  readonly type: string;
  readonly family: Family;
  /** As the type calls it. */
  readonly madeName: string;
  /** As it is called: another one where people renamed it. */
  readonly name: string;
  readonly instance: string;
  /** The canonical text of the object as the type made it, by the name that the type gave it. */
  readonly made: string;
}

/** What is known of them, without what changes them. */
export type ListedMade = Pick<MadeObjects, 'all' | 'ofType' | 'ofName' | 'renamed'>;

/** Those of them that somebody sees. */
export function seenMade(made: ListedMade, isSeen: (made: Made) => boolean): ListedMade {
  return {
    *all() {
      for (const each of made.all()) if (isSeen(each)) yield each;
    },
    ofType: (type) => made.ofType(type).filter(isSeen),
    ofName(family, name) {
      const found = made.ofName(family, name);
      return found !== undefined && isSeen(found) ? found : undefined;
    },
    renamed: () => made.renamed().filter(isSeen),
  };
}

/** What was done to them: `made` undefined: that one is none any more. */
export type MadeStep = Omit<Made, 'made'> & { readonly made: string | undefined };

/** In the checksums of the database. */
const part = 'typicals';
export const madePart = part;
const revisionsPart = 'typical_revisions';

export const madeColumns = ['type', 'family', 'madeName', 'name', 'instance', 'made'] as const;
const columns = madeColumns.join(', ');
const rowsOfStep = 1024;

export class MadeObjects {
  readonly #sqlite: DatabaseSync;
  readonly #checksums: () => RowChecksums;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #ofName: StatementSync;
  readonly #ofMade: StatementSync;
  /** Of the running change, in order; undefined: nobody wants to know. */
  steps: MadeStep[] | undefined;

  static createTables(sqlite: DatabaseSync): void {
    sqlite.exec(tableOf('main'));
    sqlite.exec('CREATE TABLE typical_revisions (revision INTEGER PRIMARY KEY, made BLOB NOT NULL) STRICT');
  }

  /** `checksums` are those of the running transaction. */
  constructor(sqlite: DatabaseSync, checksums: () => RowChecksums) {
    this.#sqlite = sqlite;
    this.#checksums = checksums;
    this.#put = sqlite.prepare(`INSERT INTO typicals (${columns}) VALUES (?, ?, ?, ?, ?, ?)`);
    this.#remove = sqlite.prepare('DELETE FROM typicals WHERE type = ? AND family = ? AND madeName = ?');
    this.#ofMade = sqlite.prepare(`SELECT ${columns} FROM typicals WHERE type = ? AND family = ? AND madeName = ?`);
    this.#ofName = sqlite.prepare(`SELECT ${columns} FROM typicals WHERE family = ? AND name = ?`);
  }

  load(checksums: RowChecksums): void {
    for (const row of this.all()) checksums.add(part, textOf(row));
    for (const { revision, made } of this.#revisions()) checksums.add(revisionsPart, revisionText(revision, made));
  }

  /** In the order of types and instances; nothing may change before the last. */
  all(): Iterable<Made> {
    const rows = this.#sqlite
      .prepare(`SELECT ${columns} FROM typicals ORDER BY type, instance, family, name`)
      .iterate();
    return rows as Iterable<unknown> as Iterable<Made>;
  }

  ofType(type: string): Made[] {
    const rows = this.#sqlite.prepare(`SELECT ${columns} FROM typicals WHERE type = ? ORDER BY family, name`).all(type);
    return rows as unknown as Made[];
  }

  /** Of an object that is called so. */
  ofName(family: Family, name: string): Made | undefined {
    return this.#ofName.get(family, name) as unknown as Made | undefined;
  }

  /** Of objects that people renamed. */
  renamed(): Made[] {
    const rows = this.#sqlite.prepare(`SELECT ${columns} FROM typicals WHERE name <> madeName`).all();
    return rows as unknown as Made[];
  }

  /** Inside a transaction: in the place of another one about the same object. */
  put(made: Made): void {
    const before = this.ofName(made.family, made.name);
    if (before !== undefined) this.remove(before);
    this.#put.run(...madeColumns.map((column) => made[column]));
    this.steps?.push(made);
    this.#checksums().add(part, textOf(made));
  }

  /** Inside a transaction. */
  remove(made: Made): void {
    this.#remove.run(made.type, made.family, made.madeName);
    this.steps?.push({ ...made, made: undefined });
    this.#checksums().remove(part, textOf(made));
  }

  /** Inside a transaction: as another node has done it. */
  take(step: MadeStep): void {
    const { type, family, madeName, made } = step;
    const known = this.#ofMade.get(type, family, madeName);
    if (made !== undefined) this.put({ ...step, made });
    else if (known !== undefined) this.remove(known as unknown as Made);
  }

  /** Inside a transaction: objects have other names, all at once. What was made of these names before is not there any more. */
  rename(renames: readonly { readonly family: Family; readonly from: string; readonly to: string }[]): void {
    const renamed = renames.flatMap(({ family, from, to }) => {
      const made = this.ofName(family, from);
      return made === undefined ? [] : [{ made, to }];
    });
    for (const { made } of renamed) this.remove(made);
    for (const { family, to } of renames) {
      const deleted = this.ofName(family, to);
      if (deleted !== undefined) this.remove(deleted);
    }
    for (const { made, to } of renamed) this.put({ ...made, name: to });
  }

  /** Inside the transaction of a rendering: remembers what is made, beside the content of that revision. */
  render(revision: number, content: Content, stored: ReadonlySet<number>): void {
    for (const row of this.#revisions()) if (!stored.has(row.revision)) this.#removeRevision(row);
    const lines = this.#lines(content);
    const { done, value } = lines.next();
    if (done !== true) this.#putRevision(revision, pack(prepended(value, lines)));
  }

  /** Inside a transaction: of what is selected, what was made is what it was at that revision, whose content this is. */
  restore(revision: number, content: Content, isSelected: (family: Family, name: string) => boolean): void {
    for (const made of [...this.all()]) if (isSelected(made.family, made.name)) this.remove(made);
    const stored = this.revisionText(revision);
    if (stored === '') return;
    for (const line of stored.split('\n')) {
      const [type, family, madeName, name, instance, text] = JSON.parse(line) as Line;
      if (!isSelected(family, name)) continue;
      const other = this.#ofMade.get(type, family, madeName);
      if (other !== undefined) this.remove(other as unknown as Made); // it was renamed since
      const made = text ?? withName(content[family].get(name) as string, madeName);
      this.put({ type, family, madeName, name, instance, made });
    }
  }

  /** Inside the first transaction of an empty database: what revisions had, all or those. */
  copyRevisions(other: MadeObjects, isWanted: (revision: number) => boolean = () => true): void {
    for (const { revision, made } of other.#revisions()) if (isWanted(revision)) this.#putRevision(revision, made);
  }

  /** What a revision had, as lines; empty where that is nothing. */
  revisionText(revision: number): string {
    const stored = this.#sqlite.prepare('SELECT made FROM typical_revisions WHERE revision = ?').get(revision);
    return stored === undefined ? '' : unpack(stored.made as Uint8Array).toString();
  }

  /** Inside a transaction: of such a text. */
  takeRevision(revision: number, text: string): void {
    if (text !== '') this.#putRevision(revision, pack([text]));
  }

  /** Inside a transaction: where objects have another text, in revisions as well. */
  rewrite(textOf: (family: Family, text: string) => string): void {
    for (const each of [...this.all()]) {
      const made = textOf(each.family, each.made);
      if (made !== each.made) this.put({ ...each, made });
    }
    for (const row of this.#revisions()) {
      const before = unpack(row.made).toString();
      const lines = before.split('\n').map((line) => {
        const [type, family, madeName, name, instance, text] = JSON.parse(line) as Line;
        return JSON.stringify([type, family, madeName, name, instance, text === null ? null : textOf(family, text)]);
      });
      const after = lines.join('\n');
      if (after === before) continue;
      this.#removeRevision(row);
      this.#putRevision(row.revision, pack([after]));
    }
  }

  /** Into another file that is attached as `copy`, in steps. */
  *copyTo(): Generator<void> {
    this.#sqlite.exec(tableOf('copy'));
    const key = '(type, family, madeName)';
    const insert = this.#sqlite.prepare(
      `INSERT INTO copy.typicals SELECT ${columns.replace(/made$/, 'masked(made)')} FROM main.typicals WHERE ${key} > (?, ?, ?) ORDER BY ${key.slice(1, -1)} LIMIT ${rowsOfStep}`,
    );
    const last = this.#sqlite.prepare(
      'SELECT type, family, madeName FROM copy.typicals ORDER BY type DESC, family DESC, madeName DESC LIMIT 1',
    );
    for (let from: readonly [string, string, string] = ['', '', '']; ; ) {
      if (Number(insert.run(...from).changes) < rowsOfStep) return;
      const { type, family, madeName } = last.get() as unknown as Made;
      from = [type, family, madeName];
      yield;
    }
  }

  /** An object that is as it was made is not stored twice. */
  *#lines(content: Content): Generator<string> {
    for (const { type, family, madeName, name, instance, made } of this.all()) {
      const isAsMade = content[family].get(name) === withName(made, name);
      yield JSON.stringify([type, family, madeName, name, instance, isAsMade ? null : made]);
    }
  }

  #revisions(): { revision: number; made: Uint8Array }[] {
    const rows = this.#sqlite.prepare('SELECT revision, made FROM typical_revisions').all();
    return rows as unknown as { revision: number; made: Uint8Array }[];
  }

  #putRevision(revision: number, made: Uint8Array): void {
    this.#sqlite.prepare('REPLACE INTO typical_revisions VALUES (?, ?)').run(revision, made);
    this.#checksums().add(revisionsPart, revisionText(revision, made));
  }

  #removeRevision({ revision, made }: { revision: number; made: Uint8Array }): void {
    this.#sqlite.prepare('DELETE FROM typical_revisions WHERE revision = ?').run(revision);
    this.#checksums().remove(revisionsPart, revisionText(revision, made));
  }
}

type Line = [type: string, family: Family, madeName: string, name: string, instance: string, made: string | null];

/** The text of an object under another name: every canonical text opens with the name. */
export function withName(text: string, name: string): string {
  const opening = '{"name":"';
  return opening + name + text.slice(text.indexOf('"', opening.length));
}

function tableOf(schema: string): string {
  return `CREATE TABLE ${schema}.typicals (
    type TEXT NOT NULL,
    family TEXT NOT NULL,
    madeName TEXT NOT NULL,
    name TEXT NOT NULL,
    instance TEXT NOT NULL,
    made TEXT NOT NULL,
    PRIMARY KEY (type, family, madeName),
    UNIQUE (family, name)
  ) STRICT, WITHOUT ROWID`;
}

function* prepended(first: string, lines: Iterable<string>): Generator<string> {
  yield first;
  for (const line of lines) yield `\n${line}`;
}

function textOf(made: Made): string {
  return JSON.stringify(madeColumns.map((column) => made[column]));
}

function revisionText(revision: number, made: Uint8Array): string {
  return `${revision} ${crc32(made)}`;
}
