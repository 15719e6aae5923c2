// The block files that are there: those that count, in the order in which a query takes them, and those that others
// replaced, until they have no readers and can be deleted.
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { BlockFile } from '../files/block-file.ts';
import { DamagedBlock } from '../files/damage.ts';
import { isMissing } from '../files/damaged-files.ts';
import { syncFolder } from '../files/disk.ts';
import { type BlockInfo, covers } from './compaction-plan.ts';
import type { EpochSpan, Epochs } from './epochs.ts';
import type { SnapshotBlock } from './snapshot.ts';

/** A block, and what the store has found out about it. */
export interface Block extends BlockInfo {
  readonly highestSeries: number;
  /** When it was made; by this those of a wrong clock age. */
  readonly madeUs: number;
  isBusy: boolean;
  /** Compaction found damage: it stays as it is. */
  isDamaged: boolean;
  /** So much of it has expired that it is worth rewriting. */
  isRewriteDue: boolean;
  /** When it is next looked at for what has expired, in monotonic milliseconds. */
  lookAgainMs: number;
  /** Of the tombstones up to `tombstonesSeen`, those that apply to it. */
  readonly tombstones: Set<number>;
  tombstonesSeen: number;
  /** Its first record from 2000 on, where it has older ones as well and somebody had to know. */
  plausibleFromUs: number | undefined;
}

/** Throws `DamagedBlock`, also where somebody has removed the file, `NewerVersion`, and the system's errors. */
export function openBlock(path: string): BlockFile {
  try {
    return BlockFile.open(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new DamagedBlock({ file: basename(path), reason: 'the file is missing' });
  }
}

/** Opens a file for a moment; throws as `openBlock`. */
export function withBlock<T>(path: string, look: (file: BlockFile) => T): T {
  const file = openBlock(path);
  try {
    return look(file);
  } finally {
    file.close();
  }
}

/** The same of several, without those that are gone or damaged. */
export function withBlocks<T>(paths: readonly string[], look: (files: readonly BlockFile[]) => T): T {
  const files: BlockFile[] = [];
  try {
    for (const path of paths) {
      try {
        files.push(openBlock(path));
      } catch (error) {
        if (!(error instanceof DamagedBlock)) throw error;
      }
    }
    return look(files);
  } finally {
    for (const file of files) file.close();
  }
}

export function blockOf(file: BlockFile, madeUs: number): Block {
  const { path, header, bytes, records, firstUs, lastUs } = file;
  const found = { isBusy: false, isDamaged: false, isRewriteDue: false, lookAgainMs: Number.NEGATIVE_INFINITY };
  const seen = { tombstones: new Set<number>(), tombstonesSeen: header.tombstonesApplied, plausibleFromUs: undefined };
  const highestSeries = file.seriesNumbers.at(-1) ?? 0;
  return { path, header, bytes, records, firstUs, lastUs, highestSeries, madeUs, ...found, ...seen };
}

/** Of an epoch. */
export interface FoundBlocks {
  readonly span: EpochSpan;
  readonly blocks: readonly SnapshotBlock[];
}

export class BlockList {
  readonly #folder: string;
  #blocks: readonly Block[] = [];
  /** Not removed yet; true: it has no readers. */
  readonly #leaving = new Map<Block, boolean>();
  #fresh: string[] = [];
  /** The last query and its result: a query asks the same for many series. */
  #asked: { readonly sinceUs: number; readonly untilUs: number; readonly found: readonly FoundBlocks[] } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** In order of their newest generation, as block-order.ts has it. */
  get all(): readonly Block[] {
    return this.#blocks;
  }

  get leaving(): Iterable<Block> {
    return this.#leaving.keys();
  }

  /** The same in order of generation, by partition. */
  byPartition(): Iterable<readonly Block[]> {
    return Map.groupBy(this.#blocks, ({ header }) => header.partition).values();
  }

  /** Those that may have records in [sinceUs, untilUs), by epoch, also where it has none; the same arrays for the same question. */
  within(sinceUs: number, untilUs: number, epochs: Epochs): readonly FoundBlocks[] {
    if (this.#asked?.sinceUs !== sinceUs || this.#asked.untilUs !== untilUs) {
      const asked = this.#blocks.filter(({ firstUs, lastUs }) => firstUs < untilUs && lastUs >= sinceUs);
      const found = epochs.spans.map((span) => {
        const own = asked.filter(({ header: { genTo } }) => genTo >= span.from && genTo < span.to);
        return { span, blocks: own.map(({ path, firstUs, lastUs }) => ({ path, firstUs, lastUs })) };
      });
      this.#asked = { sinceUs, untilUs, found };
    }
    return this.#asked.found;
  }

  /** Another epoch has begun. */
  forget(): void {
    this.#asked = undefined;
  }

  replace(old: readonly Block[], fresh: readonly Block[]): void {
    this.#asked = undefined;
    this.#blocks = [...this.#blocks.filter((block) => !old.includes(block)), ...fresh].sort(
      (a, b) => a.header.genTo - b.header.genTo || a.header.partition - b.header.partition,
    );
    for (const block of old) {
      this.#leaving.set(block, false);
      this.#fresh.push(block.path);
    }
  }

  /** Its file is missing. */
  lose(block: Block): void {
    this.#asked = undefined;
    this.#blocks = this.#blocks.filter((other) => other !== block);
  }

  /** Paths that are to go once they have no readers; each is listed once. */
  obsolete(): string[] {
    const paths = this.#fresh;
    this.#fresh = [];
    return paths;
  }

  /**
   * Removes files without readers. One goes only after those that it replaced: else these would
   * count again after a crash. Throws the system's error; what is left is listed as obsolete again then.
   */
  unlink(paths: readonly string[], beforeRemoval: () => void): void {
    const released = new Set(paths);
    for (const block of this.#leaving.keys()) if (released.has(block.path)) this.#leaving.set(block, true);
    try {
      while (this.#unlinkSome(beforeRemoval));
    } catch (error) {
      for (const [block, isReleased] of this.#leaving) if (isReleased) this.#fresh.push(block.path);
      throw error;
    }
  }

  #unlinkSome(beforeRemoval: () => void): boolean {
    const removed: Block[] = [];
    for (const [block, isReleased] of this.#leaving) {
      if (!isReleased || this.#leaving.keys().some((other) => covers(block.header, other.header))) continue;
      removed.push(block);
    }
    if (removed.length === 0) return false;
    beforeRemoval();
    for (const { path } of removed) rmSync(path, { force: true });
    syncFolder(this.#folder);
    for (const block of removed) this.#leaving.delete(block);
    return true;
  }
}
