// How far the archive was sent to the store, or to another node of the site, as far as is known here. Small, and replaced as a whole.
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

/** In the place of the name of a node. */
export const theStore = '';
const ofNode = /^outgoing-(.+)\.tto$/;

function fileOf(destination: string): SmallFile<OutgoingEntry> {
  return {
    name: destination === theStore ? outgoingName : `outgoing-${encodeURIComponent(destination)}.tto`,
    format: { magic: 0x4f_54_54_54, version: 1 }, // 'TTTO'
    what: 'position',
    read: readEntry,
  };
}

/** Undefined where there is none, or none that can be read: whoever has it is asked then. */
export function readOutgoing(folder: string, destination: string): OutgoingEntry | undefined {
  return readSmallFile(folder, fileOf(destination)).entries[0];
}

/** On disk when it returns; after an error the old one is. */
export function writeOutgoing(
  folder: string,
  destination: string,
  entry: OutgoingEntry,
  disk: Disk = systemDisk,
): void {
  writeSmallFile(disk, folder, fileOf(destination), [Buffer.from(JSON.stringify(entry))]);
}

/** To which it was sent, by the name of a file; undefined: it is none of these. */
export function destinationOf(name: string): string | undefined {
  if (name === outgoingName) return theStore;
  const encoded = ofNode.exec(name)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function readEntry(payload: Buffer): OutgoingEntry | undefined {
  try {
    return JSON.parse(payload.toString()) as OutgoingEntry;
  } catch {
    return undefined;
  }
}
