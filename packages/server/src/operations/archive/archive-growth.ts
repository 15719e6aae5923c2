// How fast the archive grows, and how long the disk lasts with that: from what came in the last day, or in what there is of it.
import type { ArchiveStats as Wire } from '@telltale/schema';
import type { ArchiveStats } from '../../archive/index.ts';

const dayS = 86_400;
/** From less nothing is concluded. */
const leastS = 600;
/** Ages of their own that are told. */
const mostAges = 100;

/** Where it is, and how much of it may be used. */
export interface ArchiveStorage {
  readonly maxBytes: number | undefined;
  /** Of objects without an age of their own; undefined: without limit. */
  readonly retentionUs: number | undefined;
  /** Undefined where the system does not say it. */
  readonly disk: { readonly sizeBytes: number; readonly freeBytes: number } | undefined;
}

export function growthOf(
  { records, bytes, journalBytes, firstUs, recent }: ArchiveStats,
  nowUs: number,
): Wire['growth'] {
  const seconds = firstUs === undefined ? 0 : Math.min(dayS, Math.floor((nowUs - firstUs) / 1e6));
  if (seconds < leastS) return null;
  // What is in the journal gets its final, smaller size with the blocks.
  const inBlocks = records - recent.journalRecords;
  const bytesEach = inBlocks > recent.journalRecords ? (bytes - journalBytes) / inBlocks : bytes / Math.max(1, records);
  const perDay = (recent.records * dayS) / seconds;
  return { 'bytes-per-day': Math.round(perDay * bytesEach), 'records-per-day': Math.round(perDay), seconds };
}

/** Null where that is not known, or where ages or the limit of size take effect before. */
export function diskLastsS(
  { bytes }: ArchiveStats,
  { disk, maxBytes = Number.POSITIVE_INFINITY }: ArchiveStorage,
  growth: Wire['growth'],
  { seconds, own }: Wire['retention'],
): number | null {
  const perDay = growth?.['bytes-per-day'] ?? 0;
  if (disk === undefined || perDay === 0) return null;
  const oldestS = seconds === null ? Number.POSITIVE_INFINITY : Math.max(seconds, ...own.map((each) => each.seconds));
  const mostBytes = Math.min(maxBytes, (perDay * oldestS) / dayS);
  return mostBytes - bytes <= disk.freeBytes ? null : Math.floor((disk.freeBytes / perDay) * dayS);
}

/** How long records are stored; the longest ages first. */
export function retentionOnWire(
  defaultUs: number | undefined,
  ofSeries: ReadonlyMap<string, number>,
): Wire['retention'] {
  const objects = new Map<number, number>();
  for (const us of ofSeries.values()) objects.set(us, (objects.get(us) ?? 0) + 1);
  const ages = [...objects].sort(([a], [b]) => b - a).slice(0, mostAges);
  return {
    seconds: defaultUs === undefined ? null : defaultUs / 1e6,
    own: ages.map(([us, count]) => ({ seconds: us / 1e6, objects: count })),
  };
}
