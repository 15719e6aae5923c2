// The stored renderings: each an immutable, complete snapshot with its time, author and changes.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { type Change, type Family, ProblemError, parseJson, type RevisionSummary, toTimestamp } from '@telltale/schema';
import { isDamage, type RowChecksums } from '../sqlite/index.ts';
import { secretFamilies } from './configured-secrets.ts';
import { type Content, countObjects, pack, packContent, readContent, unpack } from './content.ts';

export const maxRevisions = 50;

export interface Edit {
  readonly timeUs: number;
  readonly author: string;
  /** Of a rendering: why. */
  readonly comment?: string | undefined;
}

interface Row {
  id: number;
  time: number;
  author: string;
  objects: string;
  added: number;
  changed: number;
  removed: number;
  /** Of changes and content; null in a row of before there were any. */
  checksum: number | null;
  comment: string | null;
}

/** What is known of one, beside what it has: the same at all nodes. */
export type RevisionHead = Omit<Row, 'checksum'>;

export interface WholeRevision {
  readonly head: RevisionHead;
  /** JSON. */
  readonly changes: Buffer;
  readonly content: Buffer;
}

/** As `pack` packs them. */
export type PackedRevision = Readonly<Bodies>;

interface Bodies {
  changes: Uint8Array;
  content: Uint8Array;
}

/** In the checksums of the database. */
export const revisionsPart = 'revisions';

const summaryColumns = 'id, time, author, objects, added, changed, removed, checksum, comment';

export class Revisions {
  readonly #sqlite: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #remove: StatementSync;
  readonly #checksums: () => RowChecksums;

  static createTable(sqlite: DatabaseSync): void {
    sqlite.exec(`CREATE TABLE renderings (
      id INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      author TEXT NOT NULL,
      objects TEXT NOT NULL,
      added INTEGER NOT NULL,
      changed INTEGER NOT NULL,
      removed INTEGER NOT NULL,
      checksum INTEGER,
      changes BLOB NOT NULL,
      content BLOB NOT NULL,
      comment TEXT
    ) STRICT`);
  }

  /** To a file of before there were any. */
  static addChecksums(sqlite: DatabaseSync): void {
    const columns = sqlite.prepare("SELECT name FROM pragma_table_info('renderings')").all();
    if (columns.length > 0 && !columns.some(({ name }) => name === 'checksum')) {
      sqlite.exec('ALTER TABLE renderings ADD COLUMN checksum INTEGER');
    }
  }

  /** `checksums` is that of the running transaction. */
  constructor(sqlite: DatabaseSync, checksums: () => RowChecksums) {
    this.#sqlite = sqlite;
    this.#checksums = checksums;
    this.#insert = sqlite.prepare(
      `INSERT INTO renderings (${summaryColumns}, changes, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#remove = sqlite.prepare('DELETE FROM renderings WHERE id = ?');
  }

  /** Inside a transaction of the database. Answers with its id. */
  add(content: Content, changes: Iterable<Change>, { timeUs, author, comment }: Edit): number {
    const id = (this.newestId() ?? 0) + 1;
    const counts = { added: 0, changed: 0, removed: 0 };
    const bodies = { changes: pack(changesTexts(changes, counts)), content: packContent(content) };
    this.#put(
      {
        id,
        time: timeUs,
        author,
        objects: JSON.stringify(countObjects(content)),
        ...counts,
        checksum: checksumOf(bodies),
        comment: comment ?? null,
      },
      bodies,
    );
    for (const row of this.#rows().slice(maxRevisions)) this.#drop(row);
    return id;
  }

  /** Inside a transaction of the database: takes over the revisions of another one, all or those, as they are. */
  copyFrom(other: Revisions, isWanted: (id: number) => boolean = () => true): void {
    for (const row of other.#rows()) {
      if (!isWanted(row.id)) continue;
      const bodies = other.#bodies(row);
      if (bodies !== undefined) this.#put(row, bodies); // a damaged one would be listed as if it were whole
    }
  }

  /** Inside a transaction of the database: where objects have another text, so have the changes. */
  rewrite(
    textOf: (family: Family, text: string) => string,
    changesOf: (changes: Change[], content: Content) => Change[],
  ): void {
    for (const row of this.#rows()) {
      const bodies = this.#bodies(row);
      if (bodies === undefined) continue;
      const content = readContent(unpack(bodies.content).toString());
      let isChanged = false;
      for (const family of secretFamilies) {
        for (const [name, text] of content[family]) {
          const next = textOf(family, text);
          isChanged ||= next !== text;
          content[family].set(name, next);
        }
      }
      const before = unpack(bodies.changes).toString();
      const hasVariables = before.includes('"field":"vars"');
      const changes = hasVariables ? JSON.stringify(changesOf(parseJson(before) as Change[], content)) : before;
      if (!isChanged && changes === before) continue;
      const next = { changes: pack([changes]), content: packContent(content) };
      this.#drop(row);
      this.#put({ ...row, checksum: checksumOf(next) }, next);
    }
  }

  /** Inside a transaction of the database: of those that the file has lost. */
  remove(ids: readonly number[]): void {
    for (const id of ids) this.#remove.run(id);
  }

  /** Undefined where it is damaged, or not stored. */
  whole(id: number): WholeRevision | undefined {
    const row = this.#rows().find((each) => each.id === id);
    const bodies = row && this.#bodies(row);
    if (bodies === undefined) return undefined;
    return { head: headOf(row as Row), changes: unpack(bodies.changes), content: unpack(bodies.content) };
  }

  /** Inside a transaction of the database: one of another node. */
  take(head: RevisionHead, packed: PackedRevision): void {
    this.#put({ ...head, checksum: checksumOf(packed) }, packed);
  }

  /** In the order in which they were made. */
  heads(): RevisionHead[] {
    return this.#rows().reverse().map(headOf);
  }

  newest(): RevisionHead | undefined {
    const row = this.#sqlite.prepare(`SELECT ${summaryColumns} FROM renderings ORDER BY id DESC LIMIT 1`).get();
    return row === undefined ? undefined : headOf(row as unknown as Row);
  }

  ids(): ReadonlySet<number> {
    return new Set(this.#rows().map(({ id }) => id));
  }

  newestId(): number | undefined {
    return (this.#sqlite.prepare('SELECT max(id) AS id FROM renderings').get()?.id ?? undefined) as number | undefined;
  }

  /** The newest intact revision, and the damaged newer ones. `onText` gets its text, before it is read. */
  load(checksums: RowChecksums, onText: (text: Buffer) => void): { content: Content | undefined; damaged: number[] } {
    const damaged: number[] = [];
    let content: Content | undefined;
    for (const row of this.#rows()) {
      const bodies = content === undefined ? this.#bodies(row) : undefined;
      if (bodies !== undefined) {
        const text = unpack(bodies.content);
        onText(text);
        content = readContent(text.toString());
      }
      if (content === undefined) damaged.push(row.id);
      else checksums.add(revisionsPart, summaryText(row));
    }
    return { content, damaged };
  }

  list(): RevisionSummary[] {
    return this.#rows().map((row, index) => toSummary(row, index === 0));
  }

  /** What each revision after the first has changed, up to the second one, in order, as it is stored. */
  *changesBetween(first: number, last: number): Generator<Buffer> {
    for (const row of this.#rows().reverse()) {
      if (row.id > first && row.id <= last) yield unpack(this.#whole(row).changes);
    }
  }

  /** Of one revision; undefined where it is damaged, or not stored. */
  changesOf(id: number): Buffer | undefined {
    const row = this.#rows().find((each) => each.id === id);
    const bodies = row && this.#bodies(row);
    return bodies && unpack(bodies.changes);
  }

  find(id: number): { summary: RevisionSummary; changesText: string; content: () => Content } | undefined {
    const row = this.#rows().find((each) => each.id === id);
    if (row === undefined) return undefined;
    const bodies = this.#whole(row);
    return {
      summary: toSummary(row, id === this.newestId()),
      changesText: unpack(bodies.changes).toString(),
      content: () => readContent(unpack(bodies.content).toString()),
    };
  }

  /** The newest first. */
  #rows(): Row[] {
    const rows = this.#sqlite.prepare(`SELECT ${summaryColumns} FROM renderings ORDER BY id DESC`).all();
    return rows as unknown as Row[];
  }

  #whole(row: Row): Bodies {
    const bodies = this.#bodies(row);
    if (bodies !== undefined) return bodies;
    throw new ProblemError('storage-failed', `Revision ${row.id} is damaged: the disk does not have what was written.`);
  }

  /** Undefined where the file does not have what was written. */
  #bodies({ id, checksum }: Row): Bodies | undefined {
    let bodies: Bodies;
    try {
      const row = this.#sqlite.prepare('SELECT changes, content FROM renderings WHERE id = ?').get(id);
      bodies = row as unknown as Bodies;
    } catch (error) {
      if (!isDamage(error)) throw error;
      return undefined;
    }
    return checksum === null || checksum === checksumOf(bodies) ? bodies : undefined;
  }

  #put(row: Row, { changes, content }: Bodies): void {
    const { id, time, author, objects, added, changed, removed, checksum, comment } = row;
    this.#insert.run(id, time, author, objects, added, changed, removed, checksum, comment, changes, content);
    this.#checksums().add(revisionsPart, summaryText(row));
  }

  #drop(row: Row): void {
    this.#remove.run(row.id);
    this.#checksums().remove(revisionsPart, summaryText(row));
  }
}

/** A JSON list of them, each made when it is wanted: one has up to 2 MiB. Counts them. */
function* changesTexts(changes: Iterable<Change>, counts: Record<Change['change'], number>): Generator<string> {
  let opening = '[';
  for (const change of changes) {
    counts[change.change]++;
    yield opening + JSON.stringify(change);
    opening = ',';
  }
  yield opening === '[' ? '[]' : ']';
}

function headOf({ id, time, author, objects, added, changed, removed, comment }: Row): RevisionHead {
  return { id, time, author, objects, added, changed, removed, comment };
}

function checksumOf({ changes, content }: Bodies): number {
  return crc32(content, crc32(changes));
}

/** Without a comment it is as it was before there were any. */
function summaryText({ id, time, author, objects, added, changed, removed, checksum, comment }: Row): string {
  const fields = [id, time, author, objects, added, changed, removed, checksum];
  return [...fields, ...(comment === null ? [] : [comment])].join(' ');
}

function toSummary(row: Row, running: boolean): RevisionSummary {
  const { id, time, author, comment, objects, added, changed, removed } = row;
  const [counts, why] = [JSON.parse(objects), comment === null ? {} : { comment }];
  return { id, time: toTimestamp(time), author, ...why, running, objects: counts, added, changed, removed };
}
