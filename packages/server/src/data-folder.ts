// The data folder: created where it does not exist, and locked against a second server while the process lives.
import { statSync } from 'node:fs';
import { access, chmod, constants, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { controlPath } from './sqlite/index.ts';

/** Why the folder cannot be used; the message is for the person who starts the server. */
export class UnusableFolder extends Error {
  override readonly name = 'UnusableFolder';
}

export interface DataFolder {
  readonly path: string;
  /** Whether it was empty before, or had only the empty files of a first start that failed. */
  readonly isNew: boolean;
  /** Why others than the user of the server may look into it; undefined where they may not. */
  readonly openTo: string | undefined;
  /** Lets another server have it. */
  release(): void;
  /** Removes the files of a first start that failed, so that the next one is a first one; before `release`. */
  discard(): Promise<void>;
}

/** SQLite's codes. */
const busy = 5;
const notDatabase = 26;
export const lockName = 'telltale.lock';
/** A folder with this file is a data folder. */
const knownName = 'cfgdb.sqlite';

export async function takeDataFolder(path: string): Promise<DataFolder> {
  const names = await namesIn(path);
  try {
    await makeFolder(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusableFolder(path, error);
  }
  const lock = takeLock(path);
  const openTo = await closeToOthers(path, names);
  const isNew = await hasNothing(path, names);
  return {
    path,
    isNew,
    openTo,
    release: () => lock.close(),
    discard: () => (isNew ? discard(path) : Promise.resolve()),
  };
}

/** With its parents. Not by `recursive`, which loops for ever in folders such as those of /proc. */
async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => error);
  if (made === undefined || made.code === 'EEXIST') return;
  const parent = dirname(path);
  if (made.code !== 'ENOENT' || (await isThere(parent))) throw made;
  await makeFolder(parent);
  await mkdir(path, { mode: 0o700 });
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** All but the lock, which a failed start leaves behind. */
async function namesIn(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) {
      throw new UnusableFolder(`${path} is not a folder: name another one with --data.`);
    }
    return (await readdir(path)).filter((name) => name !== lockName);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error instanceof UnusableFolder ? error : unusableFolder(path, error);
  }
}

/** A full disk accepts new names, but no data. */
async function hasNothing(path: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    const kind = await lstat(join(path, name));
    const isEmpty = kind.isDirectory()
      ? (await readdir(join(path, name))).length === 0
      : kind.isFile() && kind.size === 0;
    if (!isEmpty) return false;
  }
  return true;
}

async function discard(path: string): Promise<void> {
  for (const name of await namesIn(path)) {
    if (made.has(name)) await rm(join(path, name), { recursive: true, force: true });
  }
}

/** By a start, before anything can have been acknowledged. */
const made: ReadonlySet<string> = new Set([
  ...[knownName, 'state.sqlite', 'access.sqlite'].flatMap((name) => [
    name,
    `${name}-wal`,
    `${name}-shm`,
    controlPath(name),
  ]),
  ...[
    'archive',
    'archive-received',
    'archive.control',
    'audit',
    'audit.key',
    'executables',
    'modules',
    'temporary',
    'tls',
    'format.json',
    'format.json.tmp',
  ],
]);

/** Only a folder that a server has used before, or is the first to use: one that others share is left as it is. */
async function closeToOthers(path: string, names: readonly string[]): Promise<string | undefined> {
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  if (names.length > 0 && !names.includes(knownName))
    return `mode ${mode.toString(8)}; it has files of another program`;
  try {
    await chmod(path, 0o700);
    return undefined;
  } catch (error) {
    return `mode ${mode.toString(8)}; ${(error as Error).message}`;
  }
}

/** A transaction that stays open: the system ends it with the process, however that ends. */
function takeLock(path: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(path, lockName));
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if (statSync(join(path, lockName), { throwIfNoEntry: false })?.isDirectory()) {
      throw new UnusableFolder(`${join(path, lockName)} is a folder in the place of a file; move it away.`);
    }
    const { errcode } = error as { errcode?: number };
    if (errcode === notDatabase) {
      throw new UnusableFolder(
        `${join(path, lockName)} is not a lock file of a server; move it away: it holds no data.`,
      );
    }
    if (errcode !== busy) throw unusableFolder(path, error);
    throw new UnusableFolder(
      `${path} is in use by another running server: stop that one, or name another folder with --data.`,
    );
  }
}

export function unusableFolder(path: string, error: unknown): UnusableFolder {
  const reason = (error as Error).message;
  return new UnusableFolder(
    `${path} cannot be used (${reason}): make it writable, or name another folder with --data.`,
  );
}
