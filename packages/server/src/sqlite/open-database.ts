// Opens the SQLite files of the server: ours and no other's, in a form that we know, and so that a commit is on disk.
import { chmodSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { evidenceOf } from './evidence.ts';

/** The file cannot be used; the message is for the person who starts the server. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

export interface DatabaseForm {
  readonly applicationId: number;
  /** Grows with every change of the form. */
  readonly version: number;
  /** Makes the tables, inside a transaction. */
  readonly create: (sqlite: DatabaseSync) => void;
}

/** SQLite's for a file that is malformed, and for one that is no database. */
const damageCodes: ReadonlySet<number> = new Set([11, 26]);

/** Whether SQLite says that the file is not what it should be. */
export function isDamage(error: unknown): boolean {
  return damageCodes.has(((error as { errcode?: number }).errcode ?? 0) & 0xff);
}

export function hasContent(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Creates the file where it is missing. Nothing else may open it while it is in use. */
export function openDatabase(path: string, form: DatabaseForm): DatabaseSync {
  let sqlite: DatabaseSync | undefined;
  try {
    sqlite = new DatabaseSync(path, { defensive: true, enableDoubleQuotedStringLiterals: false });
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF');
    const isNew = sqlite.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
    if (isNew)
      chmodSync(path, 0o600); // before there is a log, which gets the same
    else refuseForeign(sqlite, path, form); // before the first pragma that writes
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (isNew) createForm(sqlite, form);
    return sqlite;
  } catch (error) {
    if (isDamage(error) && hasContent(`${path}-wal`)) evidenceOf(path); // closing moves the log
    sqlite?.close();
    throw error instanceof UnusableDatabase ? error : cannotOpen(path, error);
  }
}

function createForm(sqlite: DatabaseSync, { applicationId, version, create }: DatabaseForm): void {
  sqlite.exec('BEGIN IMMEDIATE');
  create(sqlite);
  sqlite.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
  sqlite.exec('COMMIT');
}

function refuseForeign(sqlite: DatabaseSync, path: string, { applicationId, version }: DatabaseForm): void {
  const pragma = (name: string) => Number(Object.values(sqlite.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  if (pragma('application_id') !== applicationId) {
    throw new UnusableDatabase(
      `${path} belongs to another application: move it away, or name another folder with --data.`,
    );
  }
  const found = pragma('user_version');
  if (found > version) throw writtenByNewer(path, found, version);
}

export function writtenByNewer(path: string, found: number, known: number): UnusableDatabase {
  return new UnusableDatabase(
    `${path} was written by a newer version of the server (form ${found}, this one knows ${known}): ` +
      'start that version, or name another folder with --data.',
  );
}

export function cannotOpen(path: string, error: unknown): UnusableDatabase {
  const { message, errcode = 0 } = error as { message: string; errcode?: number };
  const remedy = statSync(path, { throwIfNoEntry: false })?.isDirectory()
    ? 'there is a folder in the place of a file; move it away'
    : (remedies[errcode & 0xff] ?? 'move it away, with its -wal, and put a backup in its place');
  const reason = message.replaceAll(/\s+/g, ' '); // SQLite quotes what it finds
  return new UnusableDatabase(`${path} cannot be opened (${reason}): ${remedy}, or name another folder with --data.`);
}

/** By SQLite's code. */
const remedies: Readonly<Record<number, string>> = {
  5: 'another program has it open; end that one',
  8: 'give the user of the server the right to write it',
  10: 'look at the disk and its log',
  13: 'make room on the disk',
  14: 'give the user of the server the right to read and write it and its folder',
};
