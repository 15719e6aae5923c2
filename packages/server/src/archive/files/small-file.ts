// Files that are small, and replaced as a whole at each change: tombstones, retentions and the inventory.
import { join } from 'node:path';
import type { Damage } from './damage.ts';
import { isMissing, preserveDamaged } from './damaged-files.ts';
import { type Disk, replaceFile } from './disk.ts';
import { drawSalt, type FileFormat, framedFile, readFrames } from './frames.ts';

export interface SmallFile<Entry> {
  readonly name: string;
  readonly format: FileFormat;
  /** What a frame is, for people. */
  readonly what: string;
  /** Undefined where the payload of a frame is invalid. */
  readonly read: (payload: Buffer) => Entry | undefined;
}

export interface SmallFileRead<Entry> {
  readonly entries: readonly Entry[];
  readonly damages: readonly Damage[];
}

/** In the order of the file. Damaged entries are left out and reported; the file is preserved under another name. */
export function readSmallFile<Entry>(
  folder: string,
  { name, format, what, read }: SmallFile<Entry>,
): SmallFileRead<Entry> {
  const path = join(folder, name);
  const entries: Entry[] = [];
  try {
    const { damages, tornBytes, salt } = readFrames(path, format, (payload) => {
      const entry = read(payload);
      if (entry === undefined) return `no ${what}`;
      entries.push(entry);
      return undefined;
    });
    // It is replaced as a whole: whatever became of the last write, it has a beginning and an end.
    const isWhole = tornBytes === 0 && (salt !== undefined || damages.length > 0);
    const all = isWhole ? damages : [...damages, { file: name, reason: 'the end is damaged' }];
    if (all.length > 0) preserveDamaged(path);
    return { entries, damages: all };
  } catch (error) {
    if (isMissing(error)) return { entries, damages: [] };
    throw error;
  }
}

/** On disk when it returns; after an error the old one is. */
export function writeSmallFile(
  disk: Disk,
  folder: string,
  { name, format }: Pick<SmallFile<unknown>, 'name' | 'format'>,
  payloads: Iterable<Uint8Array>,
): void {
  replaceFile(disk, folder, name, framedFile(format, drawSalt(), payloads));
}
