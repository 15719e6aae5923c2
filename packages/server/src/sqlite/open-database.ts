// Opens the SQLite files of the server: ours and no other's, in a form that we know, and so that a commit is on disk.
import { DatabaseSync } from 'node:sqlite';

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

/** Makes the file where there is none. Nobody else may open it while it is in use. */
export function openDatabase(path: string, form: DatabaseForm): DatabaseSync {
  let sqlite: DatabaseSync | undefined;
  try {
    sqlite = new DatabaseSync(path, { defensive: true, enableDoubleQuotedStringLiterals: false });
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF');
    const isNew = sqlite.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
    if (!isNew) refuseForeign(sqlite, path, form); // before the first pragma that writes
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (isNew) createForm(sqlite, form);
    return sqlite;
  } catch (error) {
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
  if (found > version) {
    throw new UnusableDatabase(
      `${path} was written by a newer version of the server (form ${found}, this one knows ${version}): ` +
        'start that version, or name another folder with --data.',
    );
  }
}

export function cannotOpen(path: string, error: unknown): UnusableDatabase {
  return new UnusableDatabase(
    `${path} cannot be opened (${(error as Error).message}): put a copy in its place, or name another folder with --data.`,
  );
}
