// Under which epochs the records of an archive were recorded: a lease gives one each time that a node begins to lead. Small, and
// replaced as a whole at each change.
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { type Disk, systemDisk } from './disk.ts';
import { epochsName } from './file-names.ts';
import { readSmallFile, type SmallFile, type SmallFileRead, writeSmallFile } from './small-file.ts';

export interface EpochBegin {
  readonly epoch: number;
  /** The first one of it. */
  readonly generation: number;
  /** The last erasure before it. */
  readonly erased: number;
}

const file: SmallFile<EpochBegin> = {
  name: epochsName,
  format: { magic: 0x4e_54_54_54, version: 1 }, // 'TTTN'
  what: 'epoch',
  read: readEntry,
};
const entryBytes = 20;

/** In the order of the file. */
export function readEpochs(folder: string): SmallFileRead<EpochBegin> {
  return readSmallFile(folder, file);
}

/** On disk when it returns; after an error the old ones are. */
export function writeEpochs(folder: string, epochs: readonly EpochBegin[], disk: Disk = systemDisk): void {
  writeSmallFile(disk, folder, file, epochs.map(entryOf));
}

function entryOf({ epoch, generation, erased }: EpochBegin): Uint8Array {
  const out = new ByteWriter(entryBytes);
  out.f64(epoch);
  out.u32(generation);
  out.f64(erased);
  return out.written();
}

function readEntry(payload: Uint8Array): EpochBegin | undefined {
  if (payload.length !== entryBytes) return undefined;
  const reader = new ByteReader(payload);
  const [epoch, generation, erased] = [reader.f64(), reader.u32(), reader.f64()];
  return [epoch, erased].every((each) => Number.isSafeInteger(each) && each >= 0)
    ? { epoch, generation, erased }
    : undefined;
}
