// The figures of an archive.
import type { ArchiveStats } from '../archive-access.ts';
import { astray } from '../files/file-names.ts';
import type { Block } from './block-list.ts';
import type { StoreParts } from './store-parts.ts';

const dayUs = 86_400_000_000;

export function statsOf(
  { clock, catalogue, generations, blocks }: StoreParts,
  known: Pick<ArchiveStats, 'damages' | 'unmerged'>,
): ArchiveStats {
  const { journalBytes, tables } = generations;
  let [records, bytes, astrayRecords] = [0, journalBytes, 0];
  const dayAgoUs = clock.now() - dayUs;
  let [recent, journalRecords] = [0, 0];
  let [firstUs, lastUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const block of blocks.all) {
    records += block.records;
    bytes += block.bytes;
    if (block.header.partition === astray) astrayRecords += block.records;
    else {
      [firstUs, lastUs] = [Math.min(firstUs, block.firstUs), Math.max(lastUs, block.lastUs)];
      recent += block.records * shareSince(block, dayAgoUs);
    }
  }
  for (const table of tables) {
    records += table.count;
    journalRecords += table.count;
    recent += table.countSince(dayAgoUs);
    astrayRecords += table.astray;
    [firstUs, lastUs] = [Math.min(firstUs, table.minUs), Math.max(lastUs, table.maxUs)];
  }
  return {
    series: catalogue.size,
    records,
    bytes,
    journalBytes,
    blocks: blocks.all.length,
    firstUs: firstUs === Number.POSITIVE_INFINITY ? undefined : firstUs,
    lastUs: lastUs === Number.NEGATIVE_INFINITY ? undefined : lastUs,
    astray: astrayRecords,
    ...known,
    recent: { records: Math.round(recent), journalRecords },
  };
}

/** Of the time from the first to the last record of a block, how much is from this time on. */
function shareSince({ firstUs, lastUs }: Block, sinceUs: number): number {
  return Math.max(0, lastUs + 1 - Math.max(firstUs, sinceUs)) / (lastUs + 1 - firstUs);
}
