// The file of how long the records of each object are kept, where the object says so: so that those of an object that is
// no longer configured still end with its retention. Small, and replaced as a whole at each change.
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import type { Damage } from './damage.ts';
import { type Disk, systemDisk } from './disk.ts';
import { retentionsName } from './file-names.ts';
import type { FileFormat } from './frames.ts';
import { readSmallFile, writeSmallFile } from './small-file.ts';

export interface RetentionsRead {
  /** Microseconds by `kind/name`. */
  readonly ofSeries: ReadonlyMap<string, number>;
  readonly damages: readonly Damage[];
}

const format: FileFormat = { magic: 0x52_54_54_54, version: 1 }; // 'TTTR'

/** What is damaged is left out: its records are kept as long as others. */
export function readRetentions(folder: string): RetentionsRead {
  const ofSeries = new Map<string, number>();
  const damages = readSmallFile(folder, retentionsName, format, (payload) => {
    if (payload.length < 9) return 'no retention';
    const us = new ByteReader(payload).f64();
    if (!(us > 0 && us <= Number.MAX_SAFE_INTEGER)) return 'no retention';
    ofSeries.set(payload.toString('utf8', 8), us);
    return undefined;
  });
  return { ofSeries, damages };
}

/** On disk when it returns; after an error the old ones are. */
export function writeRetentions(folder: string, ofSeries: ReadonlyMap<string, number>, disk: Disk = systemDisk): void {
  const payloads = Array.from(ofSeries, ([key, us]) => {
    const out = new ByteWriter(8 + key.length);
    out.f64(us);
    out.raw(Buffer.from(key));
    return out.written();
  });
  writeSmallFile(disk, folder, retentionsName, format, payloads);
}
