// Which blocks are merged: neighbours in the order of generations within one partition, when there are several of about
// the same size, so that a record is rewritten a few times in its life and files stay few.
import type { BlockHeader } from '../files/block-format.ts';
import type { BlockSpan } from '../files/file-names.ts';
import type { Series } from '../records.ts';
import type { Retention } from './retention.ts';

export interface BlockInfo {
  readonly path: string;
  readonly header: BlockHeader;
  readonly bytes: number;
  readonly records: number;
  readonly firstUs: number;
  readonly lastUs: number;
}

/** What one run of compaction needs, on whatever thread it runs. */
export interface CompactionPlan {
  readonly folder: string;
  /** Paths, oldest generation first. */
  readonly inputs: readonly string[];
  readonly header: BlockHeader;
  /** Those that may apply to one of the inputs. */
  readonly tombstones: readonly PlannedTombstone[];
  readonly retention: Retention;
  /** Those that the inputs may give another name, under which they were stored before. */
  readonly renamed: readonly Series[];
  readonly nowUs: number;
  /** Paths of other blocks: what may have replaced a record there does not expire before that is gone. */
  readonly older: readonly string[];
  readonly bytes: number;
}

export interface PlannedTombstone {
  readonly seq: number;
  readonly series: number;
  readonly sinceUs: number;
  readonly untilUs: number;
}

/** Fewer are not worth rewriting. */
const fewest = 4;
/** Files that a compaction has open at once. */
const most = 32;
export const maxMergedBytes = 256 * 2 ** 20;

/**
 * Of the blocks of one partition in order of generation, those that are best merged: the most of them, where no one is
 * larger than all the others together; of equally many the smallest.
 */
export function chooseBlocks(blocks: readonly BlockInfo[]): readonly BlockInfo[] | undefined {
  let best: readonly BlockInfo[] | undefined;
  let bestBytes = 0;
  for (let from = 0; from + fewest <= blocks.length; from++) {
    let [bytes, largest] = [0, 0];
    for (let to = from; to < Math.min(blocks.length, from + most); to++) {
      const { bytes: size } = blocks[to] as BlockInfo;
      bytes += size;
      largest = Math.max(largest, size);
      if (bytes > maxMergedBytes) break;
      const count = to + 1 - from;
      if (count < fewest || largest > bytes - largest) continue;
      if (best !== undefined && (count < best.length || (count === best.length && bytes >= bestBytes))) continue;
      best = blocks.slice(from, to + 1);
      bestBytes = bytes;
    }
  }
  return best;
}

/** As `chooseMerge`, where files are to become as few as they can: any two or more neighbours. */
export function chooseAll(blocks: readonly BlockInfo[]): readonly BlockInfo[] | undefined {
  for (let from = 0; from < blocks.length; from++) {
    let [to, bytes] = [from, 0];
    while (to < Math.min(blocks.length, from + most)) {
      bytes += (blocks[to] as BlockInfo).bytes;
      if (bytes > maxMergedBytes) break;
      to++;
    }
    if (to - from >= 2) return blocks.slice(from, to);
  }
  return undefined;
}

/** The header of the block made by merging these, or by rewriting a single one. */
export function compactedHeader(inputs: readonly BlockInfo[], tombstonesApplied: number): BlockHeader {
  const [first, last] = [inputs[0] as BlockInfo, inputs[inputs.length - 1] as BlockInfo];
  const { partition, genFrom } = first.header;
  const rewrite = inputs.length === 1 ? first.header.rewrite + 1 : 0;
  return { partition, genFrom, genTo: last.header.genTo, rewrite, tombstonesApplied };
}

/** Whether `wide` has all that is in `narrow`: it was made of it. */
export function covers(wide: BlockSpan, narrow: BlockSpan): boolean {
  if (wide.partition !== narrow.partition || wide.genFrom > narrow.genFrom || wide.genTo < narrow.genTo) return false;
  return wide.genTo - wide.genFrom > narrow.genTo - narrow.genFrom || wide.rewrite > narrow.rewrite;
}

/** Runs of neighbours without any of `isBarred` between them. */
export function runsBetween<T>(blocks: readonly T[], isBarred: (block: T) => boolean): T[][] {
  const runs: T[][] = [[]];
  for (const block of blocks) {
    if (isBarred(block)) runs.push([]);
    else (runs[runs.length - 1] as T[]).push(block);
  }
  return runs.filter(({ length }) => length > 0);
}
