// Handles missing and damaged files: nothing that is damaged is ever deleted.
import { copyFileSync, existsSync, renameSync } from 'node:fs';

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** A copy for diagnosis, since the file itself is about to be replaced. */
export function preserveDamaged(path: string): void {
  try {
    copyFileSync(path, damagedPath(path));
  } catch {
    // A full disk must not prevent the archive from opening. The damage is reported all the same.
  }
}

/** Out of the way, under a name that is never opened, and that no other file has. Answers the new path. */
export function setAside(path: string): string {
  let aside = damagedPath(path);
  for (let other = 2; existsSync(aside); other++) aside = damagedPath(`${path}-${other}`);
  renameSync(path, aside);
  return aside;
}

function damagedPath(path: string): string {
  return `${path}.damaged`;
}
