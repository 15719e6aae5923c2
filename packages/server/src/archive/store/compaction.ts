// Compaction: chooses the blocks to merge or rewrite next, and takes the result over. The work itself, `runCompaction`,
// needs only files and runs on a thread of its own.

import { utimesSync } from 'node:fs';
import { basename } from 'node:path';
import { DamagedBlock } from '../files/damage.ts';
import { setAside } from '../files/damaged-files.ts';
import { astray, blockSpanOf } from '../files/file-names.ts';
import { type Block, blockOf, withBlock } from './block-list.ts';
import { type Extent, extentOf, extentOfLost, overtakes, replacedBefore } from './block-order.ts';
import { type CompactionPlan, chooseAll, chooseBlocks, compactedHeader, runsBetween } from './compaction-plan.ts';
import { partitionUs } from './partition.ts';
import { keepAll, latestCutOff } from './retention.ts';
import type { CompactionOutcome } from './run-compaction.ts';
import type { StoreParts } from './store-parts.ts';
import { appliesTo, applyTombstones } from './tombstones.ts';

/** After a failure, say of a full disk, the next compaction waits. */
const pauseMs = 30_000;

export class Compaction {
  readonly #parts: StoreParts;
  #failedMs: number | undefined;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  get unmerged(): number {
    let count = 0;
    for (const run of this.#runs()) count += chooseBlocks(run)?.length ?? 0;
    return count;
  }

  plan(all: boolean): CompactionPlan | undefined {
    const { folder, clock, steady, blocks, tombstones, catalogue } = this.#parts;
    const isSteady = steady.isSteady();
    const inputs = this.#isPaused(all) ? undefined : this.#choose(all, isSteady);
    if (inputs === undefined) return undefined;
    for (const block of inputs) block.isBusy = true;
    const oldestSeq = Math.min(...inputs.map(({ header }) => header.tombstonesApplied));
    const header = compactedHeader(inputs, tombstones.lastSeq);
    const retention = isSteady && header.partition !== astray ? this.#parts.retention : keepAll;
    const nowUs = clock.now();
    return {
      folder,
      inputs: inputs.map(({ path }) => path),
      header,
      tombstones: tombstones
        .after(oldestSeq)
        .filter((each) => appliesTo(each, { header }))
        .map(({ seq, series, sinceUs, untilUs }) => ({ seq, series, sinceUs, untilUs })),
      retention,
      renamed: catalogue.renamed(),
      nowUs,
      older: replacedBefore(inputs, blocks.all, latestCutOff(retention, nowUs)).map(({ path }) => path),
      bytes: inputs.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  done({ inputs: paths }: CompactionPlan, outcome: CompactionOutcome): void {
    const { blocks, clock, onDamage } = this.#parts;
    const inputs = blocks.all.filter(({ path }) => paths.includes(path));
    for (const block of inputs) block.isBusy = false;
    if (outcome.kind === 'compacted') this.#replace(inputs, outcome.path);
    else if (outcome.kind === 'failed') this.#failedMs = clock.monotonicMs();
    else if (outcome.kind === 'damaged') {
      for (const block of inputs) if (basename(block.path) === outcome.damage.file) block.isDamaged = true;
      onDamage(outcome.damage);
    }
  }

  #replace(inputs: readonly Block[], path: string | undefined): void {
    const { blocks, onDamage } = this.#parts;
    if (path === undefined) {
      blocks.replace(inputs, []);
      return;
    }
    // A merged block is as old as its inputs.
    const madeUs = Math.max(...inputs.map((block) => block.madeUs));
    try {
      const compacted = withBlock(path, (file) => blockOf(file, madeUs));
      if (compacted.header.partition === astray) stamp(path, madeUs);
      blocks.replace(inputs, [compacted]);
    } catch (error) {
      if (!(error instanceof DamagedBlock)) throw error;
      onDamage(error.damage);
      setAside(path);
      for (const block of inputs) block.isDamaged = true;
    }
  }

  #isPaused(all: boolean): boolean {
    if (this.#failedMs === undefined || all) return false;
    return this.#parts.clock.monotonicMs() - this.#failedMs < pauseMs;
  }

  #choose(all: boolean, isSteady: boolean): readonly Block[] | undefined {
    for (const run of this.#runs()) {
      const chosen = (all ? chooseAll(run) : chooseBlocks(run)) as readonly Block[] | undefined;
      if (chosen !== undefined) return chosen;
    }
    for (const run of this.#runs()) {
      for (const block of run) {
        if (block.isRewriteDue && isSteady) return [block];
        applyTombstones(block, this.#parts.tombstones);
        if (block.tombstones.size > 0) return [block];
      }
    }
    return undefined;
  }

  /**
   * A merged block replaces everything between its inputs, also a lost block that may come back. It has the position
   * of its newest input: no input may move behind a block of another partition that replaces its records. What was sent
   * to the store is not merged with what was not.
   */
  *#compactable(run: readonly Block[], others: readonly Extent[]): Generator<readonly Block[]> {
    const ofRun = run.map(extentOf);
    const partition = ofRun[0]?.partition;
    const { outgoing, epochs } = this.#parts;
    const lost = this.#parts.inventory.lost.flatMap(({ name }) => blockSpanOf(name) ?? []);
    const isBetween = (a: Block, b: Block) =>
      lost.some((span) => {
        return span.partition === partition && span.genFrom > a.header.genTo && span.genFrom < b.header.genFrom;
      });
    let from = 0;
    for (let to = 1; to <= run.length; to++) {
      const next = run[to];
      const isParted =
        next === undefined ||
        isBetween(run[to - 1] as Block, next) ||
        epochs.isParted(run[to - 1] as Block, next) ||
        outgoing.isParted(run[to - 1] as Block, next) ||
        overtakes(ofRun.slice(from, to), ofRun[to] as Extent, others);
      if (!isParted) continue;
      yield run.slice(from, to);
      from = to;
    }
  }

  /** Neighbours that can be merged. */
  *#runs(): Generator<readonly Block[]> {
    const { blocks, inventory } = this.#parts;
    const extents = [...blocks.all.map(extentOf), ...inventory.lost.flatMap(extentOfLost)];
    // Two weeks have no time in common.
    const ofWeeks = extents.filter(({ partition }) => partition !== astray);
    const ofWrongClock = extents.filter(({ partition }) => partition === astray);
    for (const partition of blocks.byPartition()) {
      const isWeek = partition[0]?.header.partition !== astray;
      for (const run of runsBetween(partition, ({ isBusy, isDamaged }) => isBusy || isDamaged)) {
        const parts = isWeek ? [run] : madeInOneWeek(run);
        for (const part of parts) yield* this.#compactable(part, isWeek ? ofWrongClock : ofWeeks);
      }
    }
  }
}

/** Blocks of a wrong clock expire as a whole: old ones do not get young by being merged with fresh ones. */
function* madeInOneWeek(run: readonly Block[]): Generator<readonly Block[]> {
  const weekOf = (block: Block | undefined) => Math.floor((block?.madeUs ?? Number.NaN) / partitionUs);
  for (let from = 0, to = 1; from < run.length; to++) {
    if (weekOf(run[to]) === weekOf(run[from])) continue;
    yield run.slice(from, to);
    from = to;
  }
}

/** Where this fails, the block counts as new after the next restart: its records only expire later. */
function stamp(path: string, madeUs: number): void {
  try {
    utimesSync(path, madeUs / 1e6, madeUs / 1e6);
  } catch {
    // The system does not allow it.
  }
}
