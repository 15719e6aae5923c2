// A chunk of the store, as far as it is known without its arrays.
import { formatTimestamp, ProblemError } from '@telltale/schema/values';
import { ByteReader, type ChunkSpan, readSummary, type Summary } from '../../archive/query/index.ts';
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
export function rowColumns(hasSummary: boolean): string {
  return `first_us, last_us, epoch, place, part, n, xmin, flags${hasSummary ? ', summary' : ''}`;
}

const simulatedFlag = 1024;

/** Of the series with this name. Throws `ProblemError`. */
export function readStoredRow(rows: CopyReader, hasSummary: boolean, name: string): StoredRow {
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
    summary: field && summaryOf(field, { firstUs, lastUs, count }, name),
  };
}

/** What tells it apart from others of its series, and from what it was before. */
export function keyOf({ firstUs, epoch, place, part, version }: StoredRow): string {
  return `${firstUs} ${epoch} ${place} ${part} ${version}`;
}

/** What is read of it does not belong together. */
export function damagedRow(name: string, { firstUs, lastUs }: Pick<StoredRow, 'firstUs' | 'lastUs'>, reason: unknown) {
  const times = `from ${formatTimestamp(firstUs)} to ${formatTimestamp(lastUs)}`;
  const { message } = reason as Error;
  return new ProblemError('storage-failed', `Records of ${name} ${times} are damaged in the store: ${message}.`);
}

function summaryOf({ buffer, byteOffset, byteLength }: DataView, span: ChunkSpan, name: string): Summary | undefined {
  try {
    return readSummary(new ByteReader(new Uint8Array(buffer, byteOffset, byteLength)), span);
  } catch (error) {
    throw damagedRow(name, span, error);
  }
}

/** The order in which their records count where their times are equal. */
export function compareRanks(a: StoredRow, b: StoredRow): number {
  return comparePlaces(a, b) || a.part - b.part || a.firstUs - b.firstUs;
}
