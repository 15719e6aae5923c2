// The list of the archive's files, so that a missing one is noticed. Small, and replaced as a whole at each change.
// Files that are not listed count too: a file is created before it is listed, and removed after it is unlisted.
import { closeSync, fstatSync, openSync } from 'node:fs';
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { isMissing } from './damaged-files.ts';
import { type Disk, systemDisk } from './disk.ts';
import { inventoryName } from './file-names.ts';
import { FileWindow } from './file-window.ts';
import { fileHeaderBytes, saltIn } from './frames.ts';
import { readSmallFile, type SmallFile, type SmallFileRead, writeSmallFile } from './small-file.ts';

export interface ListedFile {
  readonly name: string;
  /** It has at least so many. */
  readonly bytes: number;
  /** Of a file of frames: another file of the same name has another one. 0: it has none, or it is unknown. */
  readonly salt: number;
  /** At least; of files without records 0. */
  readonly records: number;
  /** Of the records: from the first to the last time, both included. */
  readonly firstUs: number;
  readonly lastUs: number;
  /** No series of a higher number has records in it. */
  readonly highestSeries: number;
  /** It was missed once, and has not come back. */
  readonly isLost: boolean;
}

const inventory: SmallFile<ListedFile> = {
  name: inventoryName,
  format: { magic: 0x49_54_54_54, version: 1 }, // 'TTTI'
  what: 'file',
  read: readEntry,
};
const fixedBytes = 41;

/** Damaged entries are left out: the absence of those files is not noticed. */
export function readInventory(folder: string): SmallFileRead<ListedFile> {
  return readSmallFile(folder, inventory);
}

/** On disk when it returns; after an error the old one is. */
export function writeInventory(folder: string, files: readonly ListedFile[], disk: Disk = systemDisk): void {
  writeSmallFile(disk, folder, inventory, files.map(entryOf));
}

/** Length and salt of a file of frames, as it is; undefined: it is not there. */
export function lookAt(path: string): { readonly bytes: number; readonly salt: number } | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const { size: bytes } = fstatSync(file);
      const header = new FileWindow(file, bytes, 0).part(0, fileHeaderBytes);
      return { bytes, salt: (header && saltIn(header)) ?? 0 };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function entryOf({ name, bytes, salt, records, firstUs, lastUs, highestSeries, isLost }: ListedFile): Uint8Array {
  const out = new ByteWriter(fixedBytes + name.length);
  out.f64(bytes);
  out.f64(records);
  out.f64(firstUs);
  out.f64(lastUs);
  out.u32(salt);
  out.u32(highestSeries);
  out.u8(isLost ? 1 : 0);
  out.raw(Buffer.from(name));
  return out.written();
}

function readEntry(payload: Buffer): ListedFile | undefined {
  if (payload.length <= fixedBytes) return undefined;
  const reader = new ByteReader(payload);
  const [bytes, records, firstUs, lastUs] = [reader.f64(), reader.f64(), reader.f64(), reader.f64()];
  const [salt, highestSeries] = [reader.u32(), reader.u32()];
  const isLost = reader.u8() === 1;
  for (const number of [bytes, records, firstUs, lastUs]) if (!(number >= 0 && number <= 2 ** 53)) return undefined;
  return { name: payload.toString('utf8', fixedBytes), bytes, records, firstUs, lastUs, salt, highestSeries, isLost };
}
