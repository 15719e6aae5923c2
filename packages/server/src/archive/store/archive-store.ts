// The archive's files and what is still in memory, as one: takes records, makes them durable, gives snapshots for
// queries, erases. Maintenance is in flushing.ts, expiry.ts and compaction.ts, which `maintain` drives.
// Synchronous, on one thread.
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Batch, Clock } from '@telltale/schema';
import type { ArchiveDamage, ArchiveStats } from '../archive-access.ts';
import type { Damage } from '../files/damage.ts';
import { type Disk, systemDisk } from '../files/disk.ts';
import { theStore } from '../files/outgoing-file.ts';
import { Destinations } from '../outgoing/destinations.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { Position } from '../outgoing/position.ts';
import type { Kind, Series, SeriesKey, SeriesRename, SimulatedFilter } from '../records.ts';
import { statsOf } from './archive-stats.ts';
import { BlockList } from './block-list.ts';
import { Compaction } from './compaction.ts';
import type { CompactionPlan } from './compaction-plan.ts';
import { Epochs } from './epochs.ts';
import { Expiry } from './expiry.ts';
import { Flushing } from './flushing.ts';
import { type Frozen, Generations, type Limits } from './generations.ts';
import { isGone } from './inventory.ts';
import { newestPlausibleUs } from './newest-plausible.ts';
import { openFolder } from './open-folder.ts';
import { pruneTombstones } from './prune-tombstones.ts';
import { keepAll, type Retention } from './retention.ts';
import type { CompactionOutcome } from './run-compaction.ts';
import type { Snapshot } from './snapshot.ts';
import { SteadyClock } from './steady-clock.ts';
import type { StoreParts } from './store-parts.ts';
import { takeSnapshot } from './take-snapshot.ts';

export type { CompactionOutcome, CompactionPlan, Retention, Snapshot };

export interface ArchiveStoreOptions {
  readonly clock: Clock;
  readonly onDamage: (damage: ArchiveDamage) => void;
  readonly limits?: Limits;
  readonly disk?: Disk;
  /** Called with the generations that were read from journals, before anything of them is shown or flushed. */
  readonly onReplayed?: (frozen: readonly Frozen[]) => void;
}

const usualLimits: Limits = { records: 2 ** 20, textUnits: 64 * 2 ** 20 };
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
    options.onReplayed?.(frozen);
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
    const epochs = Epochs.read(folder, disk, onDamage);
    const files = { folder, disk, catalogue, generations, blocks: list, tombstones, inventory, epochs };
    const outgoing = new Destinations(files, unsent);
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
      outgoing.rename(catalogue.find(rename.kind, rename.from));
      catalogue.rename(rename);
    }
    catalogue.commit();
  }

  seriesByNumber(number: number): Series | undefined {
    return this.#parts.catalogue.byNumber(number);
  }

  /** One gets another name; on disk after the next commit. */
  renameSeries(number: number, name: string): void {
    this.#parts.catalogue.renameOne(number, name);
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

  /** Behind which record of which generation the next one comes; all before it are on disk. Throws as `commit`. */
  end(): { readonly generation: number; readonly records: number } {
    const { generations } = this.#parts;
    this.commit();
    this.#renewWhereDue(generations.isOverdue);
    const { generation, committed: records } = generations.active;
    return { generation, records };
  }

  /** Commits, and ends the generation that is being written, so that `maintain` brings it into blocks. */
  freeze(): void {
    const { generations } = this.#parts;
    this.commit();
    if (generations.active.count > 0) generations.renew();
  }

  /** Erases the records of a name in [sinceUs, untilUs), those that wait included; on disk when it returns. */
  erase(kind: Kind, name: string, sinceUs: number, untilUs: number): void {
    this.#erase(this.find(kind, name), sinceUs, untilUs);
    this.#renewWhereDue();
  }

  /** The same of one series; the generation that is being written goes on. */
  eraseSeries(key: Series, sinceUs: number, untilUs: number): void {
    this.#erase([key], sinceUs, untilUs);
  }

  #erase(series: readonly Series[], sinceUs: number, untilUs: number): void {
    const { generations, tombstones } = this.#parts;
    this.commit();
    if (series.length === 0 || sinceUs >= untilUs) return;
    tombstones.add(series, sinceUs, untilUs, generations.active, generations.offset);
    this.#isPruneDue = true;
  }

  /** Ends the generation that is being written where too many tombstones wait for that. */
  #renewWhereDue(isDue = false): void {
    const { generations, tombstones } = this.#parts;
    const { count } = generations.active;
    if (isDue || (tombstones.size > manyTombstones && count > 0)) generations.renew();
  }

  /**
   * Erases of a series what is there of an epoch up to this one, since another node of the site has erased it under that; on disk when it
   * returns.
   */
  eraseUpTo(key: SeriesKey, sinceUs: number, untilUs: number, epoch: number): void {
    const { epochs, generations, tombstones, catalogue } = this.#parts;
    const series = catalogue.get(key);
    if (series === undefined || sinceUs >= untilUs) return;
    this.freeze();
    const last = Math.min(epochs.lastOf(epoch), generations.active.generation - 1);
    if (last < 0) return;
    tombstones.addUpTo([series], sinceUs, untilUs, last);
    this.#isPruneDue = true;
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
    return takeSnapshot(this.#parts, series, { sinceUs, untilUs, needsHead, simulated });
  }

  /** What goes there; from the first call on it does, or waits until it can. Throws the system's error. */
  outgoing(destination = theStore): Outgoing {
    return this.#parts.outgoing.of(destination);
  }

  get destinations(): string[] {
    return this.#parts.outgoing.names;
  }

  /** The highest epoch that it was sent in, or will be; undefined: there is none. */
  get lastEpoch(): number | undefined {
    const { lastEpoch = 0 } = this.#parts.outgoing;
    return Math.max(lastEpoch, this.epoch) || undefined;
  }

  /** Of what is recorded now; 0: no lease has given one. */
  get epoch(): number {
    return this.#parts.epochs.last;
  }

  /** So many records were discarded since the start, before they came here. */
  noteDropped(count: number): void {
    this.#parts.outgoing.noteDropped(count);
  }

  /** What comes from now on is of this epoch, which a lease has given. Throws as `Outgoing.lead`. */
  lead(epoch: number): void {
    const { epochs, generations, blocks, outgoing, tombstones } = this.#parts;
    if (epoch === epochs.last) return;
    try {
      this.freeze();
    } catch {
      // What waits for the disk is of this epoch then, too.
    }
    blocks.forget();
    outgoing.lead(epoch);
    epochs.begin({ epoch, generation: generations.active.generation, erased: tombstones.lastSeq });
  }

  /** In an epoch that the store has given; see `Outgoing.begin`. Throws the system's error. */
  beginOutgoing(epoch: number, isKnown: boolean, reached: string | undefined, destination = theStore): Position {
    const outgoing = this.outgoing(destination);
    if (isKnown && outgoing.nextEpoch === undefined) this.freeze();
    return outgoing.begin(epoch, isKnown, reached);
  }

  get folder(): string {
    return this.#parts.folder;
  }

  /** On disk. */
  get bytes(): number {
    const { generations, blocks } = this.#parts;
    return blocks.all.reduce((sum, block) => sum + block.bytes, generations.journalBytes);
  }

  /** Where the block ends that has the oldest records; Infinity: there is none. */
  get oldestUs(): number {
    return this.#parts.blocks.all.reduce((least, { lastUs }) => Math.min(least, lastUs), Number.POSITIVE_INFINITY);
  }

  /** In the place of what its retention says of that. */
  limitSize(maxBytes: number | undefined): void {
    this.#parts.retention = { ...this.#parts.retention, maxBytes };
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
    return statsOf(this.#parts, { damages: [...this.#damages], unmerged: this.#compaction.unmerged });
  }

  /** Commits; what is in memory is read from the journal at the next opening. Throws as `commit`, closed all the same. */
  close(): void {
    this.#flushing.close();
    try {
      this.commit();
      this.#parts.outgoing.save();
      this.#parts.epochs.save();
      this.#parts.inventory.beforeRemoval(this.#parts);
    } finally {
      this.#parts.generations.close();
    }
  }

  /** Leaves it as it is on disk; what waits is lost. */
  abandon(): void {
    this.#flushing.close();
    this.#parts.generations.close();
  }

  #step(): boolean {
    if (this.#flushing.step()) {
      this.#isPruneDue = true;
      return true;
    }
    if (this.#expiry.step()) return true;
    if (this.#isPruneDue) {
      this.#isPruneDue = pruneTombstones(this.#parts);
      if (this.#isPruneDue) return true;
    }
    this.#parts.outgoing.save();
    this.#parts.epochs.save();
    this.#parts.inventory.refresh(this.#parts);
    return false;
  }
}
