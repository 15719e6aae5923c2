// The databases of a data folder, by which they are recognized and opened; and the version that a file says it has.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

export interface DatabaseFile {
  readonly name: string;
  /** Marks a file as ours. Its version is the format of the folder that it belongs to. */
  readonly applicationId: number;
}

/** "TLTC" */
export const configurationFile: DatabaseFile = { name: 'cfgdb.sqlite', applicationId: 0x544c5443 };
/** "TtSt" */
export const stateFile: DatabaseFile = { name: 'state.sqlite', applicationId: 0x54745374 };
/** "TtAc" */
export const accessFile: DatabaseFile = { name: 'access.sqlite', applicationId: 0x54744163 };

/** Of SQLite's header: where user_version and application_id are. */
const headerBytes = 100;
const [versionAt, applicationIdAt] = [60, 68];

/**
 * Undefined where there is no such file, or none of ours. From its first page: a file that is opened for nothing else would
 * lose its write-ahead log, and with it the evidence of damage. So it may be older than the version that the log has.
 */
export function versionOf(path: string, { applicationId }: DatabaseFile): number | undefined {
  const header = Buffer.alloc(headerBytes);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, headerBytes, 0);
  } finally {
    closeSync(file);
  }
  if (header.readUInt32BE(applicationIdAt) === applicationId) return header.readUInt32BE(versionAt);
  const isInLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return header.readUInt32BE(applicationIdAt) === 0 && isInLog ? openedVersionOf(path, applicationId) : undefined;
}

/** Of a file that was made just before its server was killed: all that it has is in the log. */
function openedVersionOf(path: string, applicationId: number): number | undefined {
  try {
    using sqlite = new DatabaseSync(path);
    return pragma(sqlite, 'application_id') === applicationId ? pragma(sqlite, 'user_version') : undefined;
  } catch {
    return undefined; // whoever opens it next says why
  }
}

export function pragma(sqlite: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(Object.values(sqlite.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}
