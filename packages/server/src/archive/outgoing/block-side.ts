// What the store has of a block, by how far the archive was sent.
import { generationOf } from '../parcel/parcel.ts';
import type { Block } from '../store/block-list.ts';
import { allOfBlock, type Position } from './position.ts';

/** What the store has of a block, as a position says it; more than these: which range it is in. */
export const side = { sent: 0, notYet: 1, underWay: 2, ranges: 3 } as const;

/** The place is the first one of a generation. */
export function isBefore({ header }: Block, place: number): boolean {
  return header.genTo < generationOf(place);
}

export function sideOf({ header: { partition, genFrom, genTo } }: Block, { live, ranges, block }: Position): number {
  if (genFrom >= generationOf(live)) return side.notYet;
  const at = ranges.findIndex(({ from, to }) => genFrom < to && genTo >= from);
  if (at < 0) return side.sent;
  if (at > 0 || block === undefined) return side.ranges + at;
  const isSame = partition === block.partition && genFrom === block.genFrom;
  if (isSame && block.series !== allOfBlock) return side.underWay;
  const isBehind = partition > block.partition || (partition === block.partition && genFrom > block.genTo);
  return isBehind ? side.ranges : side.sent;
}
