// When a tombstone is of no use any more: no file has records of it, and whoever has to be told of it has been.
import type { StoreParts } from './store-parts.ts';
import { applyTombstones } from './tombstones.ts';

/** Discards the tombstones that are fully applied. True: there are blocks left to look at. */
export function pruneTombstones(parts: StoreParts): boolean {
  const { generations, blocks, tombstones, outgoing } = parts;
  // Blocks that are about to go as well: after a crash they may be there again.
  const all = [...blocks.all, ...blocks.leaving];
  const unseen = tombstones.size === 0 ? undefined : all.find((block) => block.tombstonesSeen < tombstones.lastSeq);
  if (unseen !== undefined) {
    applyTombstones(unseen, tombstones);
    return true;
  }
  const { tables } = generations;
  const sent = outgoing.erased;
  tombstones.keep(({ seq, series, sinceUs, untilUs, generation }) => {
    return (
      seq > sent ||
      tables.some((table) => table.generation <= generation && table.hasIn(series, sinceUs, untilUs)) ||
      all.some((block) => block.tombstones.has(seq))
    );
  });
  return false;
}
