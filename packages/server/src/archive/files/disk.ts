// How the archive's files reach the disk: whole writes, syncs, files that are replaced as a whole.
import { closeSync, fdatasyncSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The calls that can fail on a full or dying disk: a test hands in others. */
export interface Disk {
  /** May write less than it was given, as the system does. */
  write(file: number, bytes: Uint8Array, from: number, length: number, at: number): number;
  /** The data and the length of the file. */
  syncData(file: number): void;
  sync(file: number): void;
  cut(file: number, length: number): void;
}

export const systemDisk: Disk = {
  write: (file, bytes, from, length, at) => writeSync(file, bytes, from, length, at),
  syncData: (file) => fdatasyncSync(file),
  sync: (file) => fsyncSync(file),
  cut: (file, length) => ftruncateSync(file, length),
};

/** Throws the system's error; how much is in the file then is not known. */
export function writeAll(disk: Disk, file: number, bytes: Uint8Array, length: number, at: number): void {
  for (let written = 0; written < length; ) {
    written += disk.write(file, bytes, written, length - written, at + written);
  }
}

/** Makes names in the folder durable: what was made, renamed or removed. */
export function syncFolder(folder: string, disk = systemDisk): void {
  // A folder cannot be opened there; the file system's own journal orders changes of names.
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    disk.sync(file);
  } finally {
    closeSync(file);
  }
}

/** Afterwards the file is wholly the new one, on disk; after an error or a crash wholly the old or the new one. */
export function replaceFile(disk: Disk, folder: string, name: string, bytes: Uint8Array): void {
  const path = join(folder, name);
  const temporary = `${path}.tmp`;
  try {
    const file = openSync(temporary, 'w');
    try {
      writeAll(disk, file, bytes, bytes.length, 0);
      disk.sync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(folder);
}
