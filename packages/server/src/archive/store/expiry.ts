// Drops what is too old or too much: whole blocks at once; one that has expired in part is marked, to be written anew.
import { Damaged } from '../files/damage.ts';
import { astray } from '../files/file-names.ts';
import { type Block, withBlock } from './block-list.ts';
import { cutOffOf, latestCutOff } from './retention.ts';
import type { StoreParts } from './store-parts.ts';

/** How often a block is looked at that has something old in it. */
const lookEveryUs = 3_600_000_000;
/** A block is written anew where more than this part of it has expired. */
const wornPart = 1 / 4;
const wornPartOfAll = 1 / 64;

export class Expiry {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Looks at one block, or drops one. False: there is nothing to do for now. */
  step(): boolean {
    const { clock, blocks, retention } = this.#parts;
    const nowUs = clock.now();
    const cutOffUs = latestCutOff(retention, nowUs);
    for (const block of blocks.all) {
      // A clock that was set back must not keep a block from being looked at.
      const isDue = nowUs >= block.lookAgainUs || block.lookAgainUs > nowUs + lookEveryUs;
      if (block.firstUs >= cutOffUs || block.isBusy || !isDue) continue;
      block.lookAgainUs = nowUs + lookEveryUs;
      this.#look(block, wornPart);
      return true;
    }
    return this.#dropOldest();
  }

  /** Of all blocks those that have something to give back are marked. */
  lookAtAll(): void {
    const cutOffUs = latestCutOff(this.#parts.retention, this.#parts.clock.now());
    for (const block of this.#parts.blocks.all) {
      if (block.firstUs < cutOffUs && !block.isBusy) this.#look(block, wornPartOfAll);
    }
  }

  /** The ages have changed. */
  reset(): void {
    for (const block of this.#parts.blocks.all) {
      block.lookAgainUs = 0;
      block.isWorn = false;
    }
  }

  #look(block: Block, part: number): void {
    const { blocks, onDamage } = this.#parts;
    try {
      const expired = this.#expiredOf(block);
      if (expired >= block.records) blocks.replace([block], []);
      else if (expired > block.records * part) block.isWorn = true;
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      block.isDamaged = true;
      onDamage(error.damage);
    }
  }

  /** How many records have expired; of a series of which only some have, an estimate. */
  #expiredOf({ path }: Block): number {
    const { clock, catalogue, retention } = this.#parts;
    const nowUs = clock.now();
    return withBlock(path, (file) => {
      let expired = 0;
      for (const number of file.seriesNumbers) {
        const [series, span] = [catalogue.byNumber(number), file.spanOf(number)];
        if (series === undefined || span === undefined) continue;
        const { firstUs, lastUs, records } = span;
        const cutOffUs = cutOffOf(retention, series, nowUs);
        if (lastUs < cutOffUs) expired += records;
        else if (firstUs < cutOffUs) expired += (records * (cutOffUs - firstUs)) / (lastUs - firstUs + 1);
      }
      return expired;
    });
  }

  /** Where the files are too large together. */
  #dropOldest(): boolean {
    const { blocks, generations, retention } = this.#parts;
    if (retention.maxBytes === undefined) return false;
    let bytes = generations.journalBytes;
    for (const block of blocks.all) bytes += block.bytes;
    if (bytes <= retention.maxBytes) return false;
    const ageOf = ({ header, madeUs, lastUs }: Block) => (header.partition === astray ? madeUs : lastUs);
    const [oldest] = blocks.all.filter(({ isBusy }) => !isBusy).sort((a, b) => ageOf(a) - ageOf(b));
    if (oldest === undefined) return false;
    blocks.replace([oldest], []);
    return true;
  }
}
