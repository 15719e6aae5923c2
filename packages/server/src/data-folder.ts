// The data folder: made where it does not exist, and held against a second server for as long as the process lives.
import { access, constants, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Why the folder cannot be used; the message is for the person who starts the server. */
export class UnusableFolder extends Error {
  override readonly name = 'UnusableFolder';
}

export interface DataFolder {
  readonly path: string;
  /** Whether nothing was in it before. */
  readonly isNew: boolean;
  /** Lets another server have it. */
  release(): void;
}

const lockName = 'telltale.lock';

export async function takeDataFolder(path: string): Promise<DataFolder> {
  const isNew = await isEmpty(path);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusableFolder(path, error);
  }
  const lock = takeLock(path);
  return { path, isNew, release: () => lock.close() };
}

async function isEmpty(path: string): Promise<boolean> {
  try {
    if (!(await stat(path)).isDirectory()) throw new Error('it is not a folder');
    return (await readdir(path)).every((name) => name === lockName);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw unusableFolder(path, error);
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
    if ((error as { errcode?: number }).errcode !== 5) throw unusableFolder(path, error);
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
