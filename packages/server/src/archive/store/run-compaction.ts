// Runs a compaction: reads block files, writes one, touches nothing else. It can run on any thread beside the store.
import type { BlockFile } from '../files/block-file.ts';
import { BlockWriter } from '../files/block-writer.ts';
import { type Damage, Damaged } from '../files/damage.ts';
import { type Disk, syncFolder, systemDisk } from '../files/disk.ts';
import { everySeries } from '../files/tombstones-file.ts';
import type { Series } from '../records.ts';
import { openBlock, withBlocks } from './block-list.ts';
import { firstIn } from './block-order.ts';
import type { CompactionPlan } from './compaction-plan.ts';
import { cutOffOf } from './retention.ts';
import { type Interval, mergeSeries, SeriesCursor } from './series-merge.ts';

export type CompactionOutcome =
  /** `path` is undefined where no record is left. */
  | { readonly kind: 'compacted'; readonly path: string | undefined }
  | { readonly kind: 'stopped' }
  /** One of the inputs is damaged: nothing is merged, so that what can still be read of it stays. */
  | { readonly kind: 'damaged'; readonly damage: Damage }
  /** For who catches the system's error. */
  | { readonly kind: 'failed'; readonly reason: string };

/** `onProgress` gets the bytes done; `shouldStop` is called often. On disk when it answers. Throws system errors. */
export function runCompaction(
  plan: CompactionPlan,
  onProgress: (doneBytes: number) => void,
  shouldStop: () => boolean,
  disk = systemDisk,
): CompactionOutcome {
  const blocks: BlockFile[] = [];
  try {
    for (const path of plan.inputs) blocks.push(openBlock(path));
    return withBlocks(plan.older, (older) => compact(plan, blocks, older, onProgress, shouldStop, disk));
  } catch (error) {
    if (error instanceof Damaged) return { kind: 'damaged', damage: error.damage };
    throw error;
  } finally {
    for (const block of blocks) block.close();
  }
}

function compact(
  plan: CompactionPlan,
  blocks: readonly BlockFile[],
  older: readonly BlockFile[],
  onProgress: (doneBytes: number) => void,
  shouldStop: () => boolean,
  disk: Disk,
): CompactionOutcome {
  const writer = new BlockWriter(plan.folder, plan.header, disk);
  let isFinished = false;
  try {
    let [records, done] = [0, 0];
    for (const block of blocks) records += block.records;
    for (const { series, cursors } of seriesOf(plan, blocks, older)) {
      writer.begin(series);
      if (!mergeSeries(cursors, writer, () => !shouldStop())) return { kind: 'stopped' };
      writer.end();
      for (const { passed } of cursors) done += passed;
      onProgress(Math.floor((plan.bytes * done) / Math.max(1, records)));
    }
    const path = writer.finish();
    isFinished = true;
    syncFolder(plan.folder);
    return { kind: 'compacted', path };
  } finally {
    if (!isFinished) writer.abort();
  }
}

/** Each series of the blocks, in order of number, with what each block has of it. */
function* seriesOf(
  { tombstones, retention, renamed, nowUs }: CompactionPlan,
  blocks: readonly BlockFile[],
  older: readonly BlockFile[],
): Generator<{ series: Series; cursors: SeriesCursor[] }> {
  const byNumber = new Map<number, Series>();
  for (const block of blocks) for (const series of block.series()) byNumber.set(series.number, series);
  for (const series of renamed) if (byNumber.has(series.number)) byNumber.set(series.number, series);
  const tombstonesOf = Map.groupBy(tombstones, ({ series }) => series);
  const ofEvery = tombstonesOf.get(everySeries) ?? [];
  for (const number of Uint32Array.from(byNumber.keys()).sort()) {
    const series = byNumber.get(number) as Series;
    const expired = { sinceUs: 0, untilUs: Math.min(cutOffOf(retention, series, nowUs), firstIn(older, series)) };
    const cursors: SeriesCursor[] = [];
    for (const block of blocks) {
      if (block.spanOf(number) === undefined) continue;
      const erased = [...(tombstonesOf.get(number) ?? []), ...ofEvery];
      const dropped = erased.filter(({ seq }) => seq > block.header.tombstonesApplied);
      cursors.push(new SeriesCursor(block, series, joined([expired, ...dropped])));
    }
    yield { series, cursors };
  }
}

/** The same intervals in order, without overlaps and empty ones. */
function joined(intervals: Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { sinceUs, untilUs } of intervals.sort((a, b) => a.sinceUs - b.sinceUs)) {
    if (untilUs <= sinceUs) continue;
    const last = result.at(-1);
    if (last !== undefined && sinceUs <= last.untilUs) {
      result[result.length - 1] = { sinceUs: last.sinceUs, untilUs: Math.max(untilUs, last.untilUs) };
    } else result.push({ sinceUs, untilUs });
  }
  return result;
}
