// The order of blocks. Of records at one time, those in the block with the later newest generation came later. A time is
// in blocks of one partition and, where the server's clock was behind, in those of `astray`; compaction preserves the order.
import type { BlockFile } from '../files/block-file.ts';
import { Damaged } from '../files/damage.ts';
import { astray, blockSpanOf } from '../files/file-names.ts';
import type { ListedFile } from '../files/inventory-file.ts';
import { Columns, oldestPlausibleUs, type Series } from '../records.ts';
import { type Block, withBlock } from './block-list.ts';

/** The position of a block in the order, and the interval in which other partitions may have the same times. */
export interface Extent {
  readonly partition: number;
  readonly genTo: number;
  readonly firstUs: number;
  readonly lastUs: number;
}

export function isAstray({ header }: Block): boolean {
  return header.partition === astray;
}

export function extentOf(block: Block): Extent {
  const { partition, genTo } = block.header;
  return { partition, genTo, firstUs: plausibleFromUs(block), lastUs: block.lastUs };
}

/** Of a file that is gone and may come back. */
export function extentOfLost({ name, firstUs, lastUs }: ListedFile): Extent[] {
  const span = blockSpanOf(name);
  if (span === undefined) return [];
  const { partition, genTo } = span;
  return [{ partition, genTo, firstUs: Math.max(firstUs, oldestPlausibleUs), lastUs }];
}

/** Whether `newer` may have a record that replaces one of `older`. */
export function mayReplace(newer: Extent, older: Extent): boolean {
  return newer.genTo > older.genTo && newer.firstUs <= older.lastUs && newer.lastUs >= older.firstUs;
}

/** Whether those of `run`, merged with `next`, would come to stand behind one of `others` that may replace their records. */
export function overtakes(run: readonly Extent[], next: Extent, others: readonly Extent[]): boolean {
  return others.some((other) => other.genTo <= next.genTo && run.some((older) => mayReplace(other, older)));
}

/** Blocks with records before `untilUs` that one of `newer` may have replaced, these left out. */
export function replacedBefore(newer: readonly Block[], all: readonly Block[], untilUs: number): Block[] {
  return all.filter((block) => {
    if (newer.includes(block)) return false;
    const extent = extentOf(block);
    return extent.firstUs < untilUs && newer.some((each) => mayReplace(extentOf(each), extent));
  });
}

/** The first record from 2000 on that one of the files has of a series: what replaces it may not go before. */
export function firstIn(files: readonly BlockFile[], series: Series): number {
  const firsts = files.map((file) => orDamaged(() => plausibleOf(file, series)));
  return Math.min(...firsts);
}

/** Its first record from 2000 on: those of before are in `astray` alone. Opens the file once where only that shows it. */
function plausibleFromUs(block: Block): number {
  if (block.firstUs >= oldestPlausibleUs) return block.firstUs;
  if (block.lastUs < oldestPlausibleUs) return Number.POSITIVE_INFINITY;
  block.plausibleFromUs ??= findPlausible(block);
  return block.plausibleFromUs;
}

function findPlausible({ path }: Block): number {
  return orDamaged(() => {
    return withBlock(path, (file) => {
      return file.series().reduce((least, series) => Math.min(least, plausibleOf(file, series)), Infinity);
    });
  });
}

/** Where the times are lost to damage, any time from 2000 on. */
function orDamaged(find: () => number): number {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    return oldestPlausibleUs;
  }
}

function plausibleOf(file: BlockFile, series: Series): number {
  const span = file.spanOf(series.number);
  if (span === undefined || span.lastUs < oldestPlausibleUs) return Infinity;
  if (span.firstUs >= oldestPlausibleUs) return span.firstUs;
  const chunk = file.chunksOf(series.number, oldestPlausibleUs).find(({ lastUs }) => lastUs >= oldestPlausibleUs);
  if (chunk === undefined || chunk.firstUs >= oldestPlausibleUs) return chunk?.firstUs ?? Infinity;
  const columns = new Columns();
  file.read(series, chunk, columns);
  return columns.times.subarray(0, columns.count).find((timeUs) => timeUs >= oldestPlausibleUs) ?? Infinity;
}
