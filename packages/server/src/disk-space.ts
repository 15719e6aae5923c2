// How much room the file system of a folder has.
import { statfs } from 'node:fs/promises';
import type { Clock } from '@telltale/schema';

export interface DiskSpace {
  readonly sizeBytes: number;
  /** That the user of the server may still write. */
  readonly freeBytes: number;
}

/** A network file system may not answer for ever. */
const limitMs = 1000;

/** Undefined where the system does not say, or not in time. */
export function diskSpace(folder: string, clock: Clock): Promise<DiskSpace | undefined> {
  return new Promise((resolve) => {
    const cancel = clock.after(limitMs, () => resolve(undefined));
    statfs(folder)
      .then(
        ({ bsize, blocks, bavail }) => resolve({ sizeBytes: blocks * bsize, freeBytes: bavail * bsize }),
        () => resolve(undefined),
      )
      .finally(cancel);
  });
}
