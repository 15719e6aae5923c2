// Puts one database file in the place of another, so that a power cut or kill at any point leaves the old one whole or
// the new one whole. Both must be closed: a closed database is one file, its write-ahead log moved into it and gone.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { controlPath } from '../sqlite/index.ts';

const companions = ['', '-wal', '-shm', '-journal'];

/** Where the fresh database is made, in the same folder, so that a rename moves it. */
export function incomingPath(path: string): string {
  return path.replace(/(\.sqlite)?$/, '-incoming$1');
}

export function removeDatabase(path: string): void {
  for (const companion of companions) rmSync(path + companion, { force: true });
  rmSync(controlPath(path), { force: true });
}

/** The new file is in place, but the disk did not confirm it: after a power cut it may be the old one. */
export class ReplacedUnsynced extends Error {}

/** Throws `ReplacedUnsynced` where the new file is in place all the same; with any other error, the old one is. */
export function replaceDatabase(path: string, incoming: string, sync: (folder: number) => void = fsyncSync): void {
  for (const file of [path, incoming]) {
    // A log that stayed behind would be replayed into the file that has its name by then.
    if (existsSync(`${file}-wal`)) throw new Error(`${file}-wal is still in use by another program`);
  }
  const folder = openSync(dirname(path), 'r');
  try {
    sync(folder); // the old log is gone for good before the new file takes the name
    renameSync(incoming, path);
    try {
      sync(folder);
    } catch (error) {
      throw new ReplacedUnsynced((error as Error).message, { cause: error });
    }
  } finally {
    closeSync(folder);
  }
}
