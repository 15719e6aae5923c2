// Files that are small, and replaced as a whole at each change: erasures, retentions and the inventory.
import { join } from 'node:path';
import type { Damage } from './damage.ts';
import { isMissing, keepDamaged } from './damaged-files.ts';
import { type Disk, replaceFile } from './disk.ts';
import { drawSalt, type FileFormat, framedFile, readFrames } from './frames.ts';

/**
 * Calls `onEntry` with each payload, which answers with what is wrong with it. What is damaged is left out and told; the
 * file is kept beside the next one under another name then. One that is not there has nothing.
 */
export function readSmallFile(
  folder: string,
  name: string,
  format: FileFormat,
  onEntry: (payload: Buffer) => string | undefined,
): readonly Damage[] {
  const path = join(folder, name);
  try {
    const { damages, tornBytes, salt } = readFrames(path, format, onEntry);
    // It is replaced as a whole: whatever became of the last write, it has a beginning and an end.
    const isWhole = tornBytes === 0 && (salt !== undefined || damages.length > 0);
    const all = isWhole ? damages : [...damages, { file: name, reason: 'the end is damaged' }];
    if (all.length > 0) keepDamaged(path);
    return all;
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** On disk when it returns; after an error the old one is. */
export function writeSmallFile(
  disk: Disk,
  folder: string,
  name: string,
  format: FileFormat,
  payloads: Iterable<Uint8Array>,
): void {
  replaceFile(disk, folder, name, framedFile(format, drawSalt(), payloads));
}
