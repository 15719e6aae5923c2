// The status of the archive, as it goes over the wire.
import type { ArchiveDamage, ArchiveProgress, ArchiveStats, Timestamp } from '@telltale/schema';
import { toTimestamp } from '@telltale/schema';
import type * as inside from '../../archive/index.ts';
import type { PagesReply } from '../replies.ts';
import { type ArchiveStorage, diskLastsS, growthOf, retentionOnWire } from './archive-growth.ts';

export function statsOnWire(
  stats: inside.ArchiveStats,
  { astrayNames, jumps, retentions }: inside.ArchivingStats,
  storage: ArchiveStorage,
  nowUs: number,
): ArchiveStats {
  const { maxBytes, disk } = storage;
  const retention = retentionOnWire(storage.retentionUs, retentions);
  const growth = growthOf(stats, nowUs);
  const { series, records, bytes, blocks, unmerged, astray } = stats;
  return {
    series,
    records,
    bytes,
    'journal-bytes': stats.journalBytes,
    'max-bytes': maxBytes ?? null,
    'disk-bytes': disk?.sizeBytes ?? null,
    'disk-free-bytes': disk?.freeBytes ?? null,
    'disk-lasts-seconds': diskLastsS(stats, storage, growth, retention),
    retention,
    growth,
    blocks,
    unmerged,
    first: timestampOf(stats.firstUs) ?? null,
    last: timestampOf(stats.lastUs) ?? null,
    astray,
    'astray-names': [...astrayNames],
    'clock-jumps': jumps.map(({ atUs, byUs }) => ({ at: timestampOf(atUs) ?? [0, 0], seconds: byUs / 1e6 })),
    damages: stats.damages.map(damageOnWire),
  };
}

/** A line a step; the last one is `done`. */
export function progressPages(steps: AsyncIterable<inside.ArchiveProgress>): PagesReply {
  const iterator = steps[Symbol.asyncIterator]();
  async function* pages() {
    for (;;) {
      const { value, done } = await iterator.next();
      if (done) return;
      yield Buffer.from(`${JSON.stringify(progressOnWire(value))}\n`);
    }
  }
  return { pages: pages(), cancel: () => void iterator.return?.().catch(() => undefined) };
}

function progressOnWire({ doneBytes, totalBytes, done, damages }: inside.ArchiveProgress): ArchiveProgress {
  return {
    'done-bytes': doneBytes,
    'total-bytes': totalBytes,
    ...(done && { done }),
    ...(damages && { damages: damages.map(damageOnWire) }),
  };
}

function damageOnWire({ file, name, firstUs, lastUs, reason }: inside.ArchiveDamage): ArchiveDamage {
  const [first, last] = [timestampOf(firstUs), timestampOf(lastUs)];
  return { file, ...(name !== undefined && { name }), ...(first && { first }), ...(last && { last }), reason };
}

/** The bytes in a damaged file may be no valid time. */
function timestampOf(us: number | undefined): Timestamp | undefined {
  return us !== undefined && Number.isSafeInteger(us) && us >= 0 ? toTimestamp(us) : undefined;
}
