// The flush: writes frozen memtables into blocks, oldest first, step by step. The journal of a generation is removed when
// its blocks are on disk, and only then do they count.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setAside } from '../files/damaged-files.ts';
import { syncFolder } from '../files/disk.ts';
import { unsentName } from '../files/file-names.ts';
import type { Series } from '../records.ts';
import { blockOf, withBlock } from './block-list.ts';
import { flushTable } from './flush-table.ts';
import type { Frozen } from './generations.ts';
import type { StoreParts } from './store-parts.ts';

export class Flushing {
  readonly #parts: StoreParts;
  #running: Generator<void, string[]> | undefined;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** False: there is nothing to flush. Throws the system's error; the generation starts again then. */
  step(): boolean {
    const frozen = this.#parts.generations.frozen[0];
    if (frozen === undefined) return false;
    this.#running ??= this.#begin(frozen);
    try {
      const { done, value } = this.#running.next();
      if (done !== true) return true;
      this.#finish(frozen, value);
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
    this.#running = undefined;
    return true;
  }

  close(): void {
    this.#running?.return([]);
    this.#running = undefined;
  }

  #begin({ table, aheadUs }: Frozen): Generator<void, string[]> {
    const { folder, disk, catalogue, tombstones } = this.#parts;
    return flushTable({
      folder,
      disk,
      table,
      aheadUs,
      seriesOf: (number) => catalogue.byNumber(number) as Series,
      erasedOf: (series) => tombstones.in(table, series),
      tombstonesApplied: tombstones.lastSeq,
    });
  }

  #finish(frozen: Frozen, paths: readonly string[]): void {
    const { folder, disk, clock, generations, blocks, inventory, outgoing } = this.#parts;
    const { journalPath, isDamaged, table } = frozen;
    const fresh = paths.map((path) => withBlock(path, (file) => blockOf(file, clock.now())));
    inventory.beforeRemoval(this.#parts, fresh, frozen);
    // Where the sync failed the last time, it is out of the way already.
    if (isDamaged && existsSync(journalPath)) setAside(journalPath);
    else if (outgoing.isInPart(table)) renameSync(journalPath, join(folder, unsentName(table.generation)));
    else rmSync(journalPath, { force: true });
    syncFolder(folder, disk);
    blocks.replace([], fresh);
    outgoing.leaveMemory(frozen);
    generations.drop(outgoing.isInPart(table));
  }
}
