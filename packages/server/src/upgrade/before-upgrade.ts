// The copies of the small files of a data folder that an upgrade makes before its first step.
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { formatName, syncFolder, writeFormat } from './format-file.ts';

/** Of the data folder. */
export const copiesFolder = 'before-upgrade';

/** Where the copies of a folder of this format are, from the data folder. */
export function copiesOf(format: number): string {
  return join(copiesFolder, `format-${format}`);
}

/**
 * Copies the files that stand in the folder itself: databases with their logs, and control files. Whole or not there: a copy
 * that was cut off is made again. Folders in it, the archive among them, are not copied.
 */
export function copyBefore(folder: string, format: number): void {
  const copies = join(folder, copiesOf(format));
  const unfinished = `${copies}.tmp`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile() || isPassing(entry.name)) continue;
    const to = join(unfinished, entry.name);
    copyFileSync(join(folder, entry.name), to, constants.COPYFILE_FICLONE);
    sync(to);
  }
  writeFormat(unfinished, { format }); // so that going back brings this, too
  rmSync(copies, { recursive: true, force: true });
  renameSync(unfinished, copies);
  syncFolder(join(folder, copiesFolder));
  syncFolder(folder);
}

/** A line for the shell that brings the copies back. The logs of the newer databases must not be replayed into them. */
export function goingBack(folder: string, format: number): string {
  const quoted = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`;
  return `rm -f ${quoted(folder)}/*.sqlite-wal; cp ${quoted(join(folder, copiesOf(format)))}/* ${quoted(folder)}`;
}

/** The lock, SQLite's index of a log, and what is written again. */
function isPassing(name: string): boolean {
  return name === 'telltale.lock' || name.startsWith(formatName) || name.endsWith('-shm');
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
