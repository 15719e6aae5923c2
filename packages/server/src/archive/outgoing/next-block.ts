// Which block is to be sent next: of the first range the blocks by partition, then by generation.
import type { Block } from '../store/block-list.ts';
import { appliesTo } from '../store/tombstones.ts';
import type { OutgoingParts } from './outgoing-parts.ts';
import type { NextBlock } from './outgoing-piece.ts';
import { allOfBlock, type BlockPosition, type Position } from './position.ts';

/** Undefined: nothing can be sent from blocks now. */
export function nextBlock(
  { blocks, tombstones }: OutgoingParts,
  firstInMemory: number,
  { ranges: [range], block: at }: Position,
): NextBlock | undefined {
  // Before all of it is in blocks, one may come that lies before the others.
  if (range === undefined || range.to > firstInMemory) return undefined;
  const [block] = blocks.all
    .filter(({ header }) => header.genFrom < range.to && header.genTo >= range.from && isLeft(header, at))
    .sort((a, b) => a.header.partition - b.header.partition || a.header.genFrom - b.header.genFrom);
  if (block === undefined) return { path: undefined };
  const { partition, genFrom, genTo, tombstonesApplied } = block.header;
  const isUnderWay = at?.partition === partition && at.genFrom === genFrom && at.genTo === genTo;
  const isUntouched = at === undefined || partition > at.partition || genFrom > at.genTo;
  return {
    path: block.path,
    partition,
    genFrom,
    genTo,
    isRepeated: range.isRepeated || genFrom < range.from || genTo >= range.to || !(isUntouched || isUnderWay),
    after: isUnderWay ? { series: at.series, timeUs: at.timeUs } : undefined,
    erased: tombstones
      .after(tombstonesApplied)
      .filter((each) => appliesTo(each, block))
      .map(({ seq, series, sinceUs, untilUs }) => {
        return { seq, series, sinceUs, untilUs };
      }),
  };
}

/** Whether something of the block comes behind what was sent. */
function isLeft({ partition, genTo }: Block['header'], at: BlockPosition | undefined): boolean {
  if (at === undefined || partition > at.partition) return true;
  return partition === at.partition && (genTo > at.genTo || (genTo === at.genTo && at.series !== allOfBlock));
}
