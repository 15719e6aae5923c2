// How far the archive was sent to the store, as far as is known here. Small, and replaced as a whole.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Discarded } from '../outgoing/outgoing-piece.ts';
import { type Disk, systemDisk } from './disk.ts';
import { outgoingName } from './file-names.ts';
import { readSmallFile, type SmallFile, writeSmallFile } from './small-file.ts';

export interface OutgoingEntry {
  /** By chance, another one each time that the archive is opened. */
  readonly opened: number;
  /** The times before. */
  readonly openings: readonly Opening[];
  /** As which it was sent last; where it is missing, that is not known. */
  readonly site?: string | undefined;
  /** In which it is sent; undefined: in none yet. */
  readonly epoch: number | undefined;
  /** Those that come after it; none where it is missing. */
  readonly given?: readonly GivenEpoch[];
  /** The position that the epoch began with, as text. */
  readonly begun: string;
  /** As text. */
  readonly position: string;
  /** So many records were stored, up to this place. */
  readonly stored: number;
  readonly storedTo: number;
  /** Records that were discarded before they came to the archive. */
  readonly dropped: number;
  readonly discarded: Discarded;
}

/** An epoch that a lease has given: everything from a place on is of it, or of those that come after it. */
export interface GivenEpoch {
  readonly epoch: number;
  /** The first place of a generation. */
  readonly from: number;
  /** The last erasure that is of the epoch before. */
  readonly erased: number;
}

export interface Opening {
  readonly opened: number;
  /** Behind the last record that came then. */
  readonly end: number;
  /** So many series there were. */
  readonly series: number;
  /** The last erasure. */
  readonly erased: number;
}

const file: SmallFile<OutgoingEntry> = {
  name: outgoingName,
  format: { magic: 0x4f_54_54_54, version: 1 }, // 'TTTO'
  what: 'position',
  read: readEntry,
};

/** Undefined where there is none, or none that can be read: the store is asked then. */
export function readOutgoing(folder: string): OutgoingEntry | undefined {
  return readSmallFile(folder, file).entries[0];
}

/** On disk when it returns; after an error the old one is. */
export function writeOutgoing(folder: string, entry: OutgoingEntry, disk: Disk = systemDisk): void {
  writeSmallFile(disk, folder, file, [Buffer.from(JSON.stringify(entry))]);
}

/** Whether the archive in this folder was ever sent. */
export function isOutgoing(folder: string): boolean {
  return existsSync(join(folder, outgoingName));
}

function readEntry(payload: Buffer): OutgoingEntry | undefined {
  try {
    return JSON.parse(payload.toString()) as OutgoingEntry;
  } catch {
    return undefined;
  }
}
