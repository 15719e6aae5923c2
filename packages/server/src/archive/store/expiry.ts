// Discards what is too old or too much: whole blocks at once; one that has expired in part is marked for a rewrite.
// Nothing expires by age before the clock is steady. Blocks of a wrong clock expire by when they were made.
import type { BlockFile } from '../files/block-file.ts';
import { Damaged } from '../files/damage.ts';
import { type Block, withBlock, withBlocks } from './block-list.ts';
import { extentOf, firstIn, isAstray, mayReplace, replacedBefore } from './block-order.ts';
import { cutOffOf, earliestCutOff, latestCutOff } from './retention.ts';
import type { StoreParts } from './store-parts.ts';

/** How often a block is looked at that has something old in it. */
const lookEveryMs = 3_600_000;
/** A block is rewritten where more than this part of it has expired. */
const expiredPart = 1 / 4;
const expiredPartOfAll = 1 / 64;

export class Expiry {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Looks at one block, or discards one. False: there is nothing to do for now. */
  step(): boolean {
    const { clock } = this.#parts;
    const [nowUs, nowMs] = [clock.now(), clock.monotonicMs()];
    for (const block of this.#old(nowUs)) {
      if (nowMs < block.lookAgainMs) continue;
      block.lookAgainMs = nowMs + lookEveryMs;
      this.#look(block, nowUs, expiredPart);
      return true;
    }
    return this.#dropOldest(nowUs);
  }

  /** Of all blocks those that have something to give back are marked. */
  lookAtAll(): void {
    const nowUs = this.#parts.clock.now();
    for (const block of this.#old(nowUs)) this.#look(block, nowUs, expiredPartOfAll);
  }

  /** The ages have changed. */
  reset(): void {
    for (const block of this.#parts.blocks.all) {
      block.lookAgainMs = Number.NEGATIVE_INFINITY;
      block.isRewriteDue = false;
    }
  }

  /** Blocks that may have something expired in them, and may go. */
  *#old(nowUs: number): Generator<Block> {
    const { retention, steady } = this.#parts;
    const cutOffUs = steady.isSteady() ? latestCutOff(retention, nowUs) : 0;
    if (cutOffUs === 0) return;
    for (const block of this.#removable()) {
      const sinceUs = isAstray(block) ? block.madeUs : block.firstUs;
      if (sinceUs < cutOffUs && !block.isBusy) yield block;
    }
  }

  /** All but those of a wrong clock: of these the oldest alone, and not before one that it may have replaced a record of. */
  #removable(): readonly Block[] {
    const { all } = this.#parts.blocks;
    const oldest = all.find(isAstray);
    const extent = oldest && extentOf(oldest);
    const mayGo = extent !== undefined && !all.some((other) => mayReplace(extent, extentOf(other)));
    return all.filter((block) => !isAstray(block) || (mayGo && block === oldest));
  }

  #look(block: Block, nowUs: number, part: number): void {
    const { blocks, retention, onDamage } = this.#parts;
    try {
      const older = replacedBefore([block], blocks.all, latestCutOff(retention, nowUs));
      const expired = withBlocks(
        older.map(({ path }) => path),
        (files) => this.#expiredOf(block, files, nowUs),
      );
      if (expired >= block.records) this.#drop(block);
      else if (expired > block.records * part && !isAstray(block)) block.isRewriteDue = true;
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      block.isDamaged = true;
      onDamage(error.damage);
      if (this.#isRestExpired(block, nowUs)) this.#drop(block);
    }
  }

  /**
   * How many records have expired; of a series of which only some have, an estimate. Of a wrong clock's, all or none. What
   * may have replaced a record of `older` stays as long as that is there: with a longer retention it would be shown.
   */
  #expiredOf(block: Block, older: readonly BlockFile[], nowUs: number): number {
    const { catalogue, retention } = this.#parts;
    return withBlock(block.path, (file) => {
      let [expired, rest] = [0, block.records];
      for (const number of file.seriesNumbers) {
        const [series, span] = [catalogue.byNumber(number), file.spanOf(number)];
        if (series === undefined || span === undefined) continue;
        const { firstUs, lastUs, records } = span;
        rest -= records;
        const cutOffUs = Math.min(cutOffOf(retention, series, nowUs), firstIn(older, series));
        if (isAstray(block)) expired += cameUs(block.madeUs, span, nowUs) < cutOffUs ? records : 0;
        else if (lastUs < cutOffUs) expired += records;
        else if (firstUs < cutOffUs) expired += (records * (cutOffUs - firstUs)) / (lastUs - firstUs + 1);
      }
      return rest > 0 && this.#isRestExpired(block, nowUs) ? expired + rest : expired;
    });
  }

  /** Of records in it whose series is unknown: the longest retention of all has passed. */
  #isRestExpired(block: Block, nowUs: number): boolean {
    const newestUs = isAstray(block) ? cameUs(block.madeUs, block, nowUs) : block.lastUs;
    return newestUs < earliestCutOff(this.#parts.retention, nowUs);
  }

  #drop(block: Block): void {
    this.#parts.outgoing.discard(block);
    this.#parts.blocks.replace([block], []);
  }

  /** Where the files are too large together: everything up to the end of a block, in whichever block it is. */
  #dropOldest(nowUs: number): boolean {
    const { blocks, tombstones, generations, retention } = this.#parts;
    if (retention.maxBytes === undefined) return false;
    let bytes = generations.journalBytes;
    for (const block of blocks.all) bytes += block.bytes;
    if (bytes <= retention.maxBytes) return false;
    const newestOf = (block: Block) => (isAstray(block) ? cameUs(block.madeUs, block, nowUs) : block.lastUs);
    const [oldest] = this.#removable().toSorted((a, b) => newestOf(a) - newestOf(b));
    // Nothing younger goes while the oldest is being compacted.
    if (oldest === undefined || oldest.isBusy) return false;
    const untilUs = newestOf(oldest) + 1;
    const reaching = blocks.all.filter((block) => extentOf(block).firstUs < untilUs);
    if (reaching.includes(oldest) && reaching.length > 1) {
      try {
        tombstones.dropBefore(untilUs, generations.active.generation - 1);
      } catch (error) {
        // On a full disk it goes all the same, so that there is room again, where nothing comes back that it replaced.
        if (reaching.some((other) => mayReplace(extentOf(oldest), extentOf(other)))) throw error;
      }
    }
    this.#drop(oldest);
    return true;
  }
}

/** Until when records of a wrong clock came: until their block was made, or later, by right times among them. */
function cameUs(
  madeUs: number,
  { firstUs, lastUs }: { readonly firstUs: number; readonly lastUs: number },
  nowUs: number,
): number {
  return Math.max(madeUs, firstUs <= nowUs ? firstUs : 0, lastUs <= nowUs ? lastUs : 0);
}
