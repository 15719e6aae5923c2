// Copies a database that is not as it was written to a folder of its own, before anything overwrites it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '@telltale/schema/values';
import { controlPath } from './control-file.ts';

/** Beside the database. Nothing in it is ever removed by the server. */
const folderName = 'damaged';

/** A server that is started again and again does not fill the disk. */
const mostCopies = 20;

/** In another process: closing a file releases all locks that its process has on it, SQLite's among them. */
function copyAll(pairs: readonly (readonly [from: string, to: string])[]): void {
  const code = `const fs = require('node:fs');
    for (const [from, to] of ${JSON.stringify(pairs)}) fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);`;
  execFileSync(process.execPath, ['-e', code], { stdio: 'ignore' });
}

/** Says where the copies are, relative to the folder of the database, or why there are no copies. */
export function evidenceOf(path: string): string {
  const files = [path, `${path}-wal`, controlPath(path)].filter((file) => existsSync(file));
  const time = new Date(systemClock.now() / 1000).toISOString().replaceAll(':', '');
  const place = join(folderName, `${basename(path, '.sqlite')}-${time}`);
  const folder = join(dirname(path), place);
  try {
    if (countIn(dirname(folder)) >= mostCopies) return `${folderName} has ${mostCopies} copies, and no more are made`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    copyAll(files.map((file) => [file, join(folder, basename(file))]));
    return `the files as they were found: ${place}`;
  } catch {
    return `the files as they were found could not be copied to ${place}`;
  }
}

function countIn(folder: string): number {
  return existsSync(folder) ? readdirSync(folder).length : 0;
}
