// Which merge comes next, and what comes of it. The merges themselves run elsewhere; `runMerge` needs files alone.

import { basename } from 'node:path';
import { DamagedBlock } from '../files/damage.ts';
import { setAside } from '../files/damaged-files.ts';
import { type Block, blockOf, isTouched, withBlock } from './block-list.ts';
import { chooseAll, chooseMerge, type MergePlan, mergedHeader, runsBetween } from './merge-plan.ts';
import type { MergeOutcome } from './run-merge.ts';
import type { StoreParts } from './store-parts.ts';

/** After a failure, say of a full disk, the next merge waits. */
const waitUs = 30_000_000;

export class Merging {
  readonly #parts: StoreParts;
  #failedUs: number | undefined;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Block files that a merge would take together. */
  get unmerged(): number {
    let count = 0;
    for (const run of this.#runs()) count += chooseMerge(run)?.length ?? 0;
    return count;
  }

  plan(all: boolean): MergePlan | undefined {
    const inputs = this.#isWaiting(all) ? undefined : this.#choose(all);
    if (inputs === undefined) return undefined;
    const { folder, clock, erasures, retention } = this.#parts;
    for (const block of inputs) block.isBusy = true;
    const oldestSeq = Math.min(...inputs.map(({ header }) => header.erasuresApplied));
    return {
      folder,
      inputs: inputs.map(({ path }) => path),
      header: mergedHeader(inputs, erasures.lastSeq),
      erasures: erasures
        .after(oldestSeq)
        .map(({ seq, series, sinceUs, untilUs }) => ({ seq, series, sinceUs, untilUs })),
      retention,
      nowUs: clock.now(),
      bytes: inputs.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  done({ inputs: paths }: MergePlan, outcome: MergeOutcome): void {
    const { blocks, clock, onDamage } = this.#parts;
    const inputs = blocks.all.filter(({ path }) => paths.includes(path));
    for (const block of inputs) block.isBusy = false;
    if (outcome.kind === 'merged') this.#replace(inputs, outcome.path);
    else if (outcome.kind === 'failed') this.#failedUs = clock.now();
    else if (outcome.kind === 'damaged') {
      for (const block of inputs) if (basename(block.path) === outcome.damage.file) block.isDamaged = true;
      onDamage(outcome.damage);
    }
  }

  #replace(inputs: readonly Block[], path: string | undefined): void {
    const { blocks, clock, onDamage } = this.#parts;
    if (path === undefined) {
      blocks.replace(inputs, []);
      return;
    }
    try {
      blocks.replace(inputs, [withBlock(path, (file) => blockOf(file, clock.now()))]);
    } catch (error) {
      if (!(error instanceof DamagedBlock)) throw error;
      onDamage(error.damage);
      setAside(path);
      for (const block of inputs) block.isDamaged = true;
    }
  }

  #isWaiting(all: boolean): boolean {
    if (this.#failedUs === undefined || all) return false;
    const sinceUs = this.#parts.clock.now() - this.#failedUs;
    return sinceUs >= 0 && sinceUs < waitUs;
  }

  #choose(all: boolean): readonly Block[] | undefined {
    for (const run of this.#runs()) {
      const chosen = (all ? chooseAll(run) : chooseMerge(run)) as readonly Block[] | undefined;
      if (chosen !== undefined) return chosen;
    }
    for (const run of this.#runs()) {
      for (const block of run) if (block.isWorn || isTouched(block, this.#parts.erasures)) return [block];
    }
    return undefined;
  }

  /** Neighbours that can be merged. */
  *#runs(): Generator<readonly Block[]> {
    for (const partition of this.#parts.blocks.byPartition()) {
      yield* runsBetween(partition, ({ isBusy, isDamaged }) => isBusy || isDamaged);
    }
  }
}
