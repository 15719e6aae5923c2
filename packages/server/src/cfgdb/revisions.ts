// The renderings that are kept: each an immutable, complete snapshot with its time, author and changes.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Change, type RevisionSummary, toTimestamp } from '@telltale/schema';
import { type Content, countObjects, pack, packContent, unpack, unpackContent } from './content.ts';
import type { Edit } from './database.ts';

export const keptRevisions = 50;

interface Row {
  id: number;
  time: number;
  author: string;
  objects: string;
  added: number;
  changed: number;
  removed: number;
}

const summaryColumns = 'id, time, author, objects, added, changed, removed';

export class Revisions {
  readonly #sqlite: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #prune: StatementSync;

  static createTable(sqlite: DatabaseSync): void {
    sqlite.exec(`CREATE TABLE renderings (
      id INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      author TEXT NOT NULL,
      objects TEXT NOT NULL,
      added INTEGER NOT NULL,
      changed INTEGER NOT NULL,
      removed INTEGER NOT NULL,
      changes BLOB NOT NULL,
      content BLOB NOT NULL
    ) STRICT`);
  }

  constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite;
    this.#insert = sqlite.prepare(
      `INSERT INTO renderings (${summaryColumns}, changes, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#prune = sqlite.prepare(
      `DELETE FROM renderings WHERE id NOT IN (SELECT id FROM renderings ORDER BY id DESC LIMIT ${keptRevisions})`,
    );
  }

  /** Inside a transaction of the database. */
  add(content: Content, changes: Change[], { timeUs, author }: Edit): void {
    const count = (kind: Change['change']) => changes.filter(({ change }) => change === kind).length;
    this.#insert.run(
      null,
      timeUs,
      author,
      JSON.stringify(countObjects(content)),
      count('added'),
      count('changed'),
      count('removed'),
      pack(JSON.stringify(changes)),
      packContent(content),
    );
    this.#prune.run();
  }

  /** Inside a transaction of the database: takes over the revisions of another one, as they are. */
  copyFrom(other: Revisions): void {
    const select = other.#sqlite.prepare(`SELECT ${summaryColumns}, changes, content FROM renderings ORDER BY id`);
    select.setReturnArrays(true);
    for (const row of select.iterate() as Iterable<unknown> as Iterable<(string | number | Uint8Array)[]>) {
      this.#insert.run(...row);
    }
  }

  newestId(): number | undefined {
    return this.#sqlite.prepare('SELECT max(id) AS id FROM renderings').get()?.id as number | undefined;
  }

  newestContent(): Content | undefined {
    const row = this.#sqlite.prepare('SELECT content FROM renderings ORDER BY id DESC LIMIT 1').get();
    return row === undefined ? undefined : unpackContent(row.content as Uint8Array);
  }

  list(): RevisionSummary[] {
    const rows = this.#sqlite.prepare(`SELECT ${summaryColumns} FROM renderings ORDER BY id DESC`).all();
    return (rows as unknown as Row[]).map((row, index) => toSummary(row, index === 0));
  }

  find(id: number): { summary: RevisionSummary; changesText: string; content: () => Content } | undefined {
    const row = this.#sqlite.prepare('SELECT * FROM renderings WHERE id = ?').get(id);
    if (row === undefined) return undefined;
    return {
      summary: toSummary(row as unknown as Row, id === this.newestId()),
      changesText: unpack(row.changes as Uint8Array),
      content: () => unpackContent(row.content as Uint8Array),
    };
  }
}

function toSummary({ id, time, author, objects, added, changed, removed }: Row, running: boolean): RevisionSummary {
  return { id, time: toTimestamp(time), author, running, objects: JSON.parse(objects), added, changed, removed };
}
