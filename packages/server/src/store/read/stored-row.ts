// A chunk of the store, as far as it is known without its arrays.
import { ByteReader, readSummary, type Summary } from '../../archive/query/index.ts';
import type { CopyReader } from './copy-reader.ts';
import { comparePlaces, type Place } from './place.ts';

export interface StoredRow extends Place {
  readonly firstUs: number;
  readonly lastUs: number;
  /** Behind others of the same rank and time. */
  readonly part: number;
  readonly count: number;
  /** Another one: the row was changed. */
  readonly version: number;
  readonly hasSimulated: boolean;
  readonly summary: Summary | undefined;
}

/** What `readStoredRow` reads, in its order. */
export const rowColumns = 'first_us, last_us, epoch, place, part, n, xmin, flags';

const simulatedFlag = 1024;

/** `hasSummary`: the column `summary` is behind the others. */
export function readStoredRow(rows: CopyReader, hasSummary: boolean): StoredRow {
  const [firstUs, lastUs, epoch, place] = [rows.int8(), rows.int8(), rows.int8(), rows.int8()];
  const [part, count, version, flags] = [rows.int4(), rows.int4(), rows.int4(), rows.int2()];
  const field = hasSummary ? rows.field() : undefined;
  return {
    firstUs,
    lastUs,
    epoch,
    place,
    part,
    count,
    version,
    hasSimulated: (flags & simulatedFlag) !== 0,
    summary: field && readSummary(readerOf(field), { firstUs, lastUs, count }),
  };
}

function readerOf({ buffer, byteOffset, byteLength }: DataView): ByteReader {
  return new ByteReader(new Uint8Array(buffer, byteOffset, byteLength));
}

/** The order in which their records count where their times are equal. */
export function compareRanks(a: StoredRow, b: StoredRow): number {
  return comparePlaces(a, b) || a.part - b.part || a.firstUs - b.firstUs;
}
