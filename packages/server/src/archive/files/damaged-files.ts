// What is done with files that are missing or damaged: nothing that is damaged is ever deleted.
import { copyFileSync, renameSync } from 'node:fs';

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** A copy for whoever wants to look at it, since the file itself is about to be replaced. */
export function keepDamaged(path: string): void {
  try {
    copyFileSync(path, damagedPath(path));
  } catch {
    // A full disk must not keep the archive from opening. The damage is reported all the same.
  }
}

/** Out of the way, under a name that is never opened. Answers the new path. */
export function setAside(path: string): string {
  renameSync(path, damagedPath(path));
  return damagedPath(path);
}

function damagedPath(path: string): string {
  return `${path}.damaged`;
}
