// The archive's files and what is still in memory, as one: takes records, makes them durable, gives snapshots for
// queries, erases. Maintenance is in flushing.ts, expiry.ts and compaction.ts, which `maintain` drives.
// Synchronous, on one thread.
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Batch, Clock } from '@telltale/schema';
import type { ArchiveDamage, ArchiveStats } from '../archive-access.ts';
import type { Damage } from '../files/damage.ts';
import { type Disk, systemDisk } from '../files/disk.ts';
import { astray } from '../files/file-names.ts';
import { isOutgoing } from '../files/outgoing-file.ts';
import { Outgoing } from '../outgoing/outgoing.ts';
import type { Position } from '../outgoing/position.ts';
import {
  farthestAheadUs,
  type Kind,
  type Series,
  type SeriesKey,
  type SeriesRename,
  type SimulatedFilter,
} from '../records.ts';
import { type Block, BlockList } from './block-list.ts';
import { Compaction } from './compaction.ts';
import type { CompactionPlan } from './compaction-plan.ts';
import { Expiry } from './expiry.ts';
import { Flushing } from './flushing.ts';
import { gapsOf } from './gaps.ts';
import { Generations, type Limits } from './generations.ts';
import { isGone } from './inventory.ts';
import type { Memtable } from './memtable.ts';
import { openFolder } from './open-folder.ts';
import { cutOffOf, keepAll, type Retention } from './retention.ts';
import type { CompactionOutcome } from './run-compaction.ts';
import type { SeriesSnapshot, Snapshot } from './snapshot.ts';
import { SteadyClock } from './steady-clock.ts';
import type { StoreParts } from './store-parts.ts';
import { tailOf } from './tail.ts';
import { applyTombstones } from './tombstones.ts';

export type { CompactionOutcome, CompactionPlan, Retention, Snapshot };

export interface ArchiveStoreOptions {
  readonly clock: Clock;
  readonly onDamage: (damage: ArchiveDamage) => void;
  readonly limits?: Limits;
  readonly disk?: Disk;
}

const usualLimits: Limits = { records: 2 ** 20, textUnits: 64 * 2 ** 20 };
const dayUs = 86_400_000_000;
/** Generations that wait to be flushed, each with all its records in memory. */
const mostFrozen = 2;
const maxDamages = 1000;
/** With more tombstones than this that wait for their generation to be flushed, it is flushed early. */
const manyTombstones = 1000;

export class ArchiveStore {
  readonly #parts: StoreParts;
  readonly #flushing: Flushing;
  readonly #expiry: Expiry;
  readonly #compaction: Compaction;
  readonly #damages: ArchiveDamage[];
  /** Something was deleted for which tombstones may have been needed. */
  #isPruneDue = true;

  private constructor(parts: StoreParts, damages: ArchiveDamage[]) {
    this.#parts = parts;
    this.#damages = damages;
    this.#flushing = new Flushing(parts);
    this.#expiry = new Expiry(parts);
    this.#compaction = new Compaction(parts);
  }

  /** What is damaged is reported and left out. Throws where a newer server wrote the files, and the system's errors. */
  static open(folder: string, options: ArchiveStoreOptions): ArchiveStore {
    const { clock, limits = usualLimits, disk = systemDisk } = options;
    const early: Damage[] = [];
    const opened = openFolder(folder, { clock, disk, onDamage: (damage) => early.push(damage) });
    const { blocks, catalogue, tombstones, inventory, frozen, unsent, nextGeneration } = opened;
    const damages: ArchiveDamage[] = [];
    const onDamage = ({ series, ...damage }: Damage) => {
      const name = series === undefined ? undefined : catalogue.byNumber(series)?.name;
      const found = name === undefined ? damage : { ...damage, name };
      // The next attempt to read it finds the same.
      if (damages.some((known) => isDeepStrictEqual(known, found))) return;
      damages.push(found);
      if (damages.length > maxDamages) damages.shift();
      options.onDamage(found);
    };
    for (const damage of early) onDamage(damage);
    const generations = new Generations({ folder, disk, clock, catalogue, limits }, frozen, nextGeneration);
    const list = new BlockList(folder);
    list.replace([], blocks);
    const steady = new SteadyClock(clock, newestPlausibleUs(blocks, generations.tables, clock.now()));
    const files = { folder, disk, catalogue, generations, blocks: list, tombstones, inventory };
    const outgoing = isOutgoing(folder) ? new Outgoing(files, unsent) : undefined;
    return new ArchiveStore({ ...files, clock, steady, onDamage, outgoing, retention: keepAll }, damages);
  }

  /** Finds or makes it. Throws RangeError where there are too many. */
  seriesOf(key: SeriesKey): Series {
    const { catalogue } = this.#parts;
    const known = catalogue.get(key);
    if (known !== undefined) return known;
    const most = this.#parts.generations.mostSeries;
    if (catalogue.limit >= most) throw new RangeError(`the archive has ${most} series and takes no more`);
    return catalogue.add(key);
  }

  /** Of a name, one a datatype, the oldest first. */
  find(kind: Kind, name: string): readonly Series[] {
    return this.#parts.catalogue.find(kind, name);
  }

  /**
   * All series of a name get another one, and keep their records; on disk when it returns. Throws the system's error: then it
   * is on disk after the next commit.
   */
  rename(renames: readonly SeriesRename[]): void {
    const { catalogue, outgoing } = this.#parts;
    for (const rename of renames) {
      outgoing?.rename(catalogue.find(rename.kind, rename.from));
      catalogue.rename(rename);
    }
    catalogue.commit();
  }

  /** Sorted. */
  names(kind: Kind): string[] {
    const names = new Set<string>();
    for (const series of this.#parts.catalogue.all()) if (series.kind === kind) names.add(series.name);
    return [...names].sort();
  }

  /** Why the disk does not take records yet; the next commit tries it. */
  get failure(): string | undefined {
    return this.#parts.generations.failure;
  }

  /** Records that are not on disk yet. */
  get pending(): number {
    return this.#parts.generations.pending;
  }

  /**
   * Takes records into memory; `series` is the number of the series by the point of the batch. Visible after the next
   * commit. Throws RangeError, and takes nothing, where a record does not fit its series.
   */
  append(batch: Batch, series: Uint32Array): void {
    this.#parts.generations.append(batch, series);
  }

  /** Everything is on disk afterwards. Throws the system's error: pending records are retried by the next commit. */
  commit(): void {
    const { generations } = this.#parts;
    // A producer that is faster than the flush waits here: backpressure, so that memory does not fill up.
    while (generations.frozen.length > mostFrozen) this.#flushing.step();
    generations.commit();
  }

  /** Commits, and ends the generation that is being written, so that `maintain` brings it into blocks. */
  freeze(): void {
    const { generations } = this.#parts;
    this.commit();
    if (generations.active.count > 0) generations.renew();
  }

  /** Erases the records of a name in [sinceUs, untilUs), those that wait included; on disk when it returns. */
  erase(kind: Kind, name: string, sinceUs: number, untilUs: number): void {
    const { generations, tombstones } = this.#parts;
    this.commit();
    const series = this.find(kind, name);
    if (series.length === 0 || sinceUs >= untilUs) return;
    tombstones.add(series, sinceUs, untilUs, generations.active, generations.offset);
    this.#isPruneDue = true;
    if (tombstones.size > manyTombstones && generations.active.count > 0) generations.renew();
  }

  /**
   * What there is of the series in [sinceUs, endUs), and with `needsHead` what is at `sinceUs` or next before it; with
   * a filter, what is wanted there.
   */
  snapshot(
    series: readonly Series[],
    sinceUs: number,
    endUs: number,
    needsHead: boolean,
    simulated?: SimulatedFilter | undefined,
  ): Snapshot {
    const untilUs = needsHead ? Math.max(endUs, sinceUs + 1) : endUs;
    const { clock, generations, blocks: list, tombstones, inventory, retention } = this.#parts;
    const nowUs = clock.now();
    const blocks = list.within(needsHead ? 0 : sinceUs, untilUs);
    const { tables } = generations;
    return {
      series: series.map((each): SeriesSnapshot => {
        const cutOffUs = cutOffOf(retention, each, nowUs);
        const request = { series: each, sinceUs, untilUs, needsHead, cutOffUs, simulated };
        const tail = tailOf(tables, (table) => tombstones.in(table, each.number), request);
        const ofSeries = tombstones.ofSeries(each.number);
        const applied = ofSeries.map(({ seq, sinceUs, untilUs }) => ({ seq, sinceUs, untilUs }));
        const gaps = gapsOf(inventory.lost, { series: each, sinceUs, untilUs, cutOffUs });
        return { series: each, tail, blocks, tombstones: applied, cutOffUs, gaps };
      }),
    };
  }

  /** What goes to the store; from the first call on it does, or waits until it can. Throws the system's error. */
  outgoing(): Outgoing {
    this.#parts.outgoing ??= new Outgoing(this.#parts, []);
    return this.#parts.outgoing;
  }

  /** The highest epoch that it was sent in, or will be; undefined: there is none. */
  get lastEpoch(): number | undefined {
    return this.#parts.outgoing?.lastEpoch;
  }

  /** So many records were discarded since the start, before they came here. */
  noteDropped(count: number): void {
    this.#parts.outgoing?.noteDropped(count);
  }

  /** What comes from now on is of this epoch, which a lease has given. Throws as `Outgoing.lead`. */
  leadOutgoing(epoch: number): void {
    try {
      this.freeze();
    } catch {
      // What waits for the disk is of this epoch then, too.
    }
    this.outgoing().lead(epoch);
  }

  /** In an epoch that the store has given; see `Outgoing.begin`. Throws the system's error. */
  beginOutgoing(epoch: number, isKnown: boolean, reached: string | undefined): Position {
    if (isKnown && this.outgoing().nextEpoch === undefined) this.freeze();
    return this.outgoing().begin(epoch, isKnown, reached);
  }

  setRetention(retention: Retention): void {
    this.#parts.retention = retention;
    this.#expiry.reset();
  }

  /** Works for about so long at flushes and expiry. True: there is more. Throws the system's error; retry later. */
  maintain(budgetMs: number): boolean {
    const end = performance.now() + budgetMs;
    while (this.#step()) if (performance.now() >= end) return true;
    return false;
  }

  /** The next compaction; its inputs stay until `compactionDone`. `all`: until nothing is left to merge or erase. */
  planCompaction(all = false): CompactionPlan | undefined {
    if (all) this.#expiry.lookAtAll();
    return this.#compaction.plan(all);
  }

  compactionDone(plan: CompactionPlan, outcome: CompactionOutcome): void {
    this.#compaction.done(plan, outcome);
    this.#isPruneDue = true;
  }

  /** Paths that no snapshot has any more, to be handed to `unlink` once no query uses them; each is listed once. */
  obsolete(): string[] {
    return this.#parts.blocks.obsolete();
  }

  /** Throws the system's error; remaining files are listed as obsolete again then. */
  unlink(paths: readonly string[]): void {
    this.#isPruneDue = true;
    this.#parts.blocks.unlink(paths, () => this.#parts.inventory.beforeRemoval(this.#parts));
  }

  /** A reader found the block damaged. */
  noteDamage(damage: Damage): void {
    const { blocks, inventory, onDamage } = this.#parts;
    const block = blocks.all.find(({ path }) => basename(path) === damage.file);
    if (block !== undefined && isGone(block)) {
      blocks.lose(block);
      inventory.lose(block);
    }
    onDamage(damage);
  }

  /** Of the blocks that count, to look at each of them. */
  blockPaths(): string[] {
    return this.#parts.blocks.all.map(({ path }) => path);
  }

  stats(): ArchiveStats {
    const { catalogue, generations, blocks } = this.#parts;
    const { journalBytes, tables } = generations;
    let [records, bytes, astrayRecords] = [0, journalBytes, 0];
    const dayAgoUs = this.#parts.clock.now() - dayUs;
    let [recent, journalRecords] = [0, 0];
    let [firstUs, lastUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const block of blocks.all) {
      records += block.records;
      bytes += block.bytes;
      if (block.header.partition === astray) astrayRecords += block.records;
      else {
        [firstUs, lastUs] = [Math.min(firstUs, block.firstUs), Math.max(lastUs, block.lastUs)];
        recent += block.records * shareSince(block, dayAgoUs);
      }
    }
    for (const table of tables) {
      records += table.count;
      journalRecords += table.count;
      recent += table.countSince(dayAgoUs);
      astrayRecords += table.astray;
      [firstUs, lastUs] = [Math.min(firstUs, table.minUs), Math.max(lastUs, table.maxUs)];
    }
    return {
      series: catalogue.size,
      records,
      bytes,
      journalBytes,
      blocks: blocks.all.length,
      firstUs: firstUs === Number.POSITIVE_INFINITY ? undefined : firstUs,
      lastUs: lastUs === Number.NEGATIVE_INFINITY ? undefined : lastUs,
      astray: astrayRecords,
      damages: [...this.#damages],
      unmerged: this.#compaction.unmerged,
      recent: { records: Math.round(recent), journalRecords },
    };
  }

  /** Commits; what is in memory is read from the journal at the next opening. Throws as `commit`, closed all the same. */
  close(): void {
    this.#flushing.close();
    try {
      this.commit();
      this.#parts.outgoing?.save();
      this.#parts.inventory.beforeRemoval(this.#parts);
    } finally {
      this.#parts.generations.close();
    }
  }

  #step(): boolean {
    if (this.#flushing.step()) {
      this.#isPruneDue = true;
      return true;
    }
    if (this.#expiry.step()) return true;
    if (this.#isPruneDue && this.#prune()) return true;
    this.#parts.outgoing?.save();
    this.#parts.inventory.refresh(this.#parts);
    return false;
  }

  /** Discards the tombstones that are fully applied. True: there are blocks left to look at. */
  #prune(): boolean {
    const { generations, blocks, tombstones, outgoing } = this.#parts;
    // Blocks that are about to go as well: after a crash they may be there again.
    const all = [...blocks.all, ...blocks.leaving];
    const unseen = tombstones.size === 0 ? undefined : all.find((block) => block.tombstonesSeen < tombstones.lastSeq);
    if (unseen !== undefined) {
      applyTombstones(unseen, tombstones);
      return true;
    }
    const { tables } = generations;
    const sent = outgoing?.erased ?? Number.POSITIVE_INFINITY;
    tombstones.keep(({ seq, series, sinceUs, untilUs, generation }) => {
      return (
        seq > sent ||
        tables.some((table) => table.generation <= generation && table.hasIn(series, sinceUs, untilUs)) ||
        all.some((block) => block.tombstones.has(seq))
      );
    });
    this.#isPruneDue = false;
    return false;
  }
}

/** Of the time from the first to the last record of a block, how much is from this time on. */
function shareSince({ firstUs, lastUs }: Block, sinceUs: number): number {
  return Math.max(0, lastUs + 1 - Math.max(firstUs, sinceUs)) / (lastUs + 1 - firstUs);
}

/** When the newest record came, as far as is known; undefined: none. What is ahead of the clock does not count. */
function newestPlausibleUs(blocks: readonly Block[], tables: readonly Memtable[], nowUs: number): number | undefined {
  let newestUs: number | undefined;
  const take = (timeUs: number) => {
    if (timeUs <= nowUs + farthestAheadUs && timeUs > (newestUs ?? Number.NEGATIVE_INFINITY)) newestUs = timeUs;
  };
  for (const { header, madeUs, firstUs, lastUs } of blocks) {
    for (const timeUs of header.partition === astray ? [madeUs] : [firstUs, lastUs]) take(timeUs);
  }
  for (const { minUs, maxUs } of tables) for (const timeUs of [minUs, maxUs]) take(timeUs);
  return newestUs;
}
