// The file of the tombstones that compaction has not applied everywhere yet. Small, and replaced as a whole at each change.
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import type { Damage } from './damage.ts';
import { type Disk, systemDisk } from './disk.ts';
import { tombstonesName } from './file-names.ts';
import { readSmallFile, type SmallFile, writeSmallFile } from './small-file.ts';

/** Instead of a series number: the tombstone applies to every series. */
export const everySeries = 2 ** 32 - 1;

/** Instead of an offset: it applies to all of its generation. Those of another node of the site do, and no others. */
export const wholeGeneration = 2 ** 53;

export interface Tombstone {
  /** In the order in which they were asked for, from 1. */
  readonly seq: number;
  /** The number of the series, or `everySeries`. */
  readonly series: number;
  /** Half-open. */
  readonly sinceUs: number;
  readonly untilUs: number;
  /** It applies to the records of older generations, and to those of this one before this offset of its journal. */
  readonly generation: number;
  readonly offset: number;
}

export interface TombstonesRead {
  readonly tombstones: readonly Tombstone[];
  readonly damages: readonly Damage[];
}

const file: SmallFile<Tombstone> = {
  name: tombstonesName,
  format: { magic: 0x45_54_54_54, version: 1 }, // 'TTTE'
  what: 'tombstone',
  read: readTombstone,
};
const entryBytes = 40;

/** In order of `seq`. What is damaged is left out; the file is stored beside the next one under another name. */
export function readTombstones(folder: string): TombstonesRead {
  const { entries, damages } = readSmallFile(folder, file);
  const bySeq = new Map(entries.map((tombstone) => [tombstone.seq, tombstone]));
  return { tombstones: [...bySeq.values()].sort((a, b) => a.seq - b.seq), damages };
}

/** On disk when it returns; after an error the old ones are. */
export function writeTombstones(folder: string, tombstones: readonly Tombstone[], disk: Disk = systemDisk): void {
  writeSmallFile(disk, folder, file, tombstones.map(entryOf));
}

function entryOf({ seq, series, sinceUs, untilUs, generation, offset }: Tombstone): Uint8Array {
  const out = new ByteWriter(entryBytes);
  out.f64(seq);
  out.u32(series);
  out.u32(generation);
  out.f64(sinceUs);
  out.f64(untilUs);
  out.f64(offset);
  return out.written();
}

function readTombstone(payload: Uint8Array): Tombstone | undefined {
  if (payload.length !== entryBytes) return undefined;
  const reader = new ByteReader(payload);
  const seq = reader.f64();
  const series = reader.u32();
  const generation = reader.u32();
  const sinceUs = reader.f64();
  const untilUs = reader.f64();
  const offset = reader.f64();
  for (const number of [seq, sinceUs, untilUs, offset]) if (!(number >= 0 && number <= 2 ** 53)) return undefined;
  return { seq, series, sinceUs, untilUs, generation, offset };
}
