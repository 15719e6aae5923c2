// How far the parcels of another node have come into a store of this one, and which series their numbers mean. Small, and replaced as
// a whole.
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { type Disk, systemDisk } from '../files/disk.ts';
import { readSmallFile, type SmallFile, writeSmallFile } from '../files/small-file.ts';
import type { ParcelCounters } from '../parcel/parcel.ts';

export interface ReceivedEntry {
  readonly epoch: number;
  /** The newest parcel that is there, and its position; 0 and empty: there is none of this epoch. */
  readonly seq: number;
  readonly position: string;
  /** The one that comes next is on its way to the disk; undefined: none is. */
  readonly arriving: Arriving | undefined;
  /** Of this generation the records behind so many are of a parcel of which only a part came to the disk: they do not count. */
  readonly cut: { readonly generation: number; readonly records: number } | undefined;
  /** Any parcel has ever come. */
  readonly isKnown: boolean;
  /** As the newest parcel has them. */
  readonly counters: ParcelCounters | undefined;
  /** By the clock of who sent it. */
  readonly madeUs: number;
}

export interface Arriving {
  readonly position: string;
  /** It begins behind so many records of this generation, and has so many. */
  readonly generation: number;
  readonly records: number;
  readonly count: number;
  /** It erases something: that all of its records are there does not say that all of it is. */
  readonly erases: boolean;
}

/** By number of the sender, those of this store. */
export type SeriesNumbers = Map<number, number>;

const cursorFile: SmallFile<ReceivedEntry> = {
  name: 'received.ttx',
  format: { magic: 0x58_54_54_54, version: 1 }, // 'TTTX'
  what: 'position',
  read: readEntry,
};
const numbersFile: SmallFile<NumbersEntry> = {
  name: 'numbers.ttm',
  format: { magic: 0x4d_54_54_54, version: 1 }, // 'TTTM'
  what: 'numbers of series',
  read: readNumbers,
};
const numbersOfFrame = 2 ** 20;

interface NumbersEntry {
  readonly epoch: number;
  readonly pairs: readonly (readonly [number, number])[];
}

/** Undefined where there is none, or none that can be read: then everything comes again. */
export function readReceived(folder: string): ReceivedEntry | undefined {
  return readSmallFile(folder, cursorFile).entries[0];
}

/** On disk when it returns; after an error the old one is. */
export function writeReceived(folder: string, entry: ReceivedEntry, disk: Disk = systemDisk): void {
  writeSmallFile(disk, folder, cursorFile, [Buffer.from(JSON.stringify(entry))]);
}

/** Undefined where they are not those of this epoch, or cannot be read. */
export function readSeriesNumbers(folder: string, epoch: number): SeriesNumbers | undefined {
  const { entries, damages } = readSmallFile(folder, numbersFile);
  if (damages.length > 0 || entries.length === 0 || entries.some((each) => each.epoch !== epoch)) return undefined;
  return new Map(entries.flatMap(({ pairs }) => pairs));
}

/** On disk when it returns; after an error the old ones are. */
export function writeSeriesNumbers(
  folder: string,
  epoch: number,
  numbers: SeriesNumbers,
  disk: Disk = systemDisk,
): void {
  const all = [...numbers];
  const payloads: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < all.length; at += numbersOfFrame) {
    const pairs = all.slice(at, at + numbersOfFrame);
    const out = new ByteWriter(8 + 8 * pairs.length);
    out.f64(epoch);
    for (const [number, own] of pairs) {
      out.u32(number);
      out.u32(own);
    }
    payloads.push(out.written());
  }
  writeSmallFile(disk, folder, numbersFile, payloads);
}

function readEntry(payload: Buffer): ReceivedEntry | undefined {
  try {
    const entry = JSON.parse(payload.toString()) as ReceivedEntry;
    return Number.isSafeInteger(entry.epoch) && Number.isSafeInteger(entry.seq) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function readNumbers(payload: Uint8Array): NumbersEntry | undefined {
  if (payload.length < 8 || payload.length % 8 !== 0) return undefined;
  const reader = new ByteReader(payload);
  const epoch = reader.f64();
  const pairs: [number, number][] = [];
  while (reader.left > 0) pairs.push([reader.u32(), reader.u32()]);
  return { epoch, pairs };
}
