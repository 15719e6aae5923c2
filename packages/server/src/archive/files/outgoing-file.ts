// How far the archive was sent to the store, as far as is known here. Small, and replaced as a whole.
import type { Discarded } from '../outgoing/outgoing-piece.ts';
import { type Disk, systemDisk } from './disk.ts';
import { outgoingName } from './file-names.ts';
import { readSmallFile, type SmallFile, writeSmallFile } from './small-file.ts';

export interface OutgoingEntry {
  /** By chance, another one each time that the archive is opened. */
  readonly opened: number;
  /** The times before. */
  readonly openings: readonly Opening[];
  /** In which it is sent; undefined: in none yet. */
  readonly epoch: number | undefined;
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

function readEntry(payload: Buffer): OutgoingEntry | undefined {
  try {
    return JSON.parse(payload.toString()) as OutgoingEntry;
  } catch {
    return undefined;
  }
}
