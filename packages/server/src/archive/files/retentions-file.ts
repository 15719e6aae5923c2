// The file of the retention of each object that has its own: so that the records of an object that is no longer
// configured still expire by it. Small, and replaced as a whole at each change.
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import type { Damage } from './damage.ts';
import { type Disk, systemDisk } from './disk.ts';
import { retentionsName } from './file-names.ts';
import { readSmallFile, type SmallFile, writeSmallFile } from './small-file.ts';

export interface RetentionsRead {
  /** Microseconds by `kind/name`. */
  readonly ofSeries: ReadonlyMap<string, number>;
  readonly damages: readonly Damage[];
}

const file: SmallFile<readonly [key: string, us: number]> = {
  name: retentionsName,
  format: { magic: 0x52_54_54_54, version: 1 }, // 'TTTR'
  what: 'retention',
  read: (payload) => {
    if (payload.length < 9) return undefined;
    const us = new ByteReader(payload).f64();
    return us > 0 && us <= Number.MAX_SAFE_INTEGER ? [payload.toString('utf8', 8), us] : undefined;
  },
};

/** Damaged entries are left out: their records have the general retention. */
export function readRetentions(folder: string): RetentionsRead {
  const { entries, damages } = readSmallFile(folder, file);
  return { ofSeries: new Map(entries), damages };
}

/** On disk when it returns; after an error the old ones are. */
export function writeRetentions(folder: string, ofSeries: ReadonlyMap<string, number>, disk: Disk = systemDisk): void {
  const payloads = Array.from(ofSeries, ([key, us]) => {
    const out = new ByteWriter(8 + key.length);
    out.f64(us);
    out.raw(Buffer.from(key));
    return out.written();
  });
  writeSmallFile(disk, folder, file, payloads);
}
