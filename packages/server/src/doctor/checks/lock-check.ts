// The lock of the data folder: who has it, and whether it is one.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lockName } from '../../data-folder.ts';
import { type Check, ok, quoted, wrong } from '../finding.ts';

const check = 'lock';
/** How a file of SQLite begins; one that has only been locked is empty. */
const header = 'SQLite format 3\0';

export const checkLock: Check = ({ folder, serverPid }) => {
  const path = join(folder, lockName);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [ok(check, 'No server has used the data folder yet, or it has no lock.')];
  if (!stats.isFile() || (stats.size > 0 && beginningOf(path) !== header)) {
    return [wrong(check, `${path} is not a lock file of a server; it holds no data.`, `mv ${quoted(path)} /tmp/`)];
  }
  if (serverPid !== undefined) return [ok(check, `A server runs on the data folder (process ${serverPid}).`)];
  return [ok(check, 'No server runs on the data folder. The lock file stays, and is in nobody’s way.')];
};

function beginningOf(path: string): string {
  const bytes = Buffer.alloc(header.length);
  try {
    const file = openSync(path, 'r');
    readSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
  } catch {
    return header; // whether it may be read is another check's
  }
  return bytes.toString('latin1');
}
