// The archive of a node of a site: what it has recorded itself, and what the others have, each in a folder of its own. Alone, it has the first
// one only.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Datatype } from '@telltale/schema';
import type { ArchiveStats } from '../archive-access.ts';
import type { Damage } from '../files/damage.ts';
import type { ReceivedState, TakenParcel } from '../protocol.ts';
import type { Kind, SeriesRename } from '../records.ts';
import { ArchiveStore, type ArchiveStoreOptions, type CompactionPlan } from '../store/archive-store.ts';
import type { Retention } from '../store/retention.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { type JointRequest, jointSnapshot, storesWith } from './joint-snapshot.ts';
import { jointStats } from './joint-stats.ts';
import { LateErasures } from './late-erasures.ts';
import type { ReceivedErasure, ReceivedStore } from './received-store.ts';

export type Receiving = typeof import('./receiving.ts');

export interface SiteArchiveOptions extends ArchiveStoreOptions {
  /** What others have recorded, a folder each. */
  readonly received: string;
  /** Undefined: there are no others, and never were. */
  readonly receiving?: Receiving | undefined;
}

export class SiteArchive {
  readonly own: ArchiveStore;
  readonly #folder: string;
  readonly #options: SiteArchiveOptions;
  readonly #received = new Map<string, ReceivedStore>();
  /** Undefined: nobody else records for this site. */
  #erasures: LateErasures | undefined;
  #retention: Retention | undefined;
  readonly #compacting = new Map<CompactionPlan, ArchiveStore>();

  /** Throws as `ArchiveStore.open`. */
  constructor(folder: string, options: SiteArchiveOptions) {
    this.#folder = options.received;
    this.#options = options;
    this.own = ArchiveStore.open(folder, options);
    if (options.receiving === undefined || !existsSync(this.#folder)) return;
    for (const { name } of readdirSync(this.#folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
      this.of(decodeURIComponent(name));
    }
  }

  /** What this node has received of another one; made where there is none. */
  of(node: string): ReceivedStore {
    const known = this.#received.get(node);
    if (known !== undefined) return known;
    const { receiving, clock, onDamage, limits, disk } = this.#options;
    if (receiving === undefined) throw new Error('this server takes nothing of other nodes');
    mkdirSync(this.#folder, { recursive: true });
    const opened = new receiving.ReceivedStore(join(this.#folder, encodeURIComponent(node)), {
      ...{ clock, onDamage },
      ...(limits && { limits }),
      ...(disk && { disk }),
      onErased: (erasure) => this.#erased(erasure, node),
      erasedAfter: (key, epoch) => this.#lateErasures.after(key, epoch),
    });
    if (this.#retention !== undefined) opened.archive.setRetention(this.#retention);
    this.#received.set(node, opened);
    return opened;
  }

  /** What another node has sent. Throws the system's errors. */
  takeParcel(node: string, parcel: Uint8Array): TakenParcel {
    const store = this.of(node);
    return (this.#options.receiving as Receiving).takeParcel(store, parcel);
  }

  get states(): ReceivedState[] {
    return Array.from(
      this.#received,
      ([
        node,
        {
          entry: { madeUs, counters },
        },
      ]) => {
        return { node, madeUs, backlog: counters?.backlog ?? 0, oldestUnsentUs: counters?.oldestUnsentUs ?? 0 };
      },
    );
  }

  has(kind: Kind, name: string): boolean {
    return storesWith(this.#stores, kind, name).length > 0;
  }

  /** Sorted. */
  names(kind: Kind): string[] {
    return [...new Set(this.#stores.flatMap((store) => store.names(kind)))].sort();
  }

  /** Of the newest series. */
  datatypeOf(kind: Kind, name: string): Datatype | undefined {
    return storesWith(this.#stores, kind, name).at(-1)?.series.at(-1)?.datatype;
  }

  snapshot(kind: Kind, name: string, request: JointRequest): Snapshot | undefined {
    return jointSnapshot(this.#stores, kind, name, request);
  }

  /** Of all nodes, also what comes later and was recorded before; on disk when it returns. Others are told of it. */
  erase(kind: Kind, name: string, sinceUs: number, untilUs: number): void {
    const keys = storesWith(this.#stores, kind, name).flatMap(({ series }) => series);
    const { epoch } = this.own;
    if (epoch > 0) {
      this.#lateErasures.add(keys.map(({ datatype }) => ({ key: { kind, name, datatype }, sinceUs, untilUs, epoch })));
      // What only others have recorded is erased there by what is sent of these.
      for (const { datatype } of keys) this.own.seriesOf({ kind, name, datatype });
    }
    for (const store of this.#stores) store.erase(kind, name, sinceUs, untilUs);
  }

  /** As `ArchiveStore.rename`, of all of them. */
  rename(renames: readonly SeriesRename[]): void {
    for (const store of this.#stores) store.rename(renames);
    this.#erasures?.rename(renames);
  }

  setRetention(retention: Retention): void {
    this.#retention = retention;
    for (const store of this.#stores) store.setRetention(retention);
  }

  /** As `ArchiveStore.maintain`, of all of them. */
  maintain(budgetMs: number): boolean {
    this.#limitSize();
    let isMore = false;
    for (const store of this.#stores) isMore = store.maintain(budgetMs) || isMore;
    return isMore;
  }

  planCompaction(all = false): CompactionPlan | undefined {
    for (const store of this.#stores) {
      const plan = store.planCompaction(all);
      if (plan === undefined) continue;
      this.#compacting.set(plan, store);
      return plan;
    }
    return undefined;
  }

  compactionDone(plan: CompactionPlan, outcome: Parameters<ArchiveStore['compactionDone']>[1]): void {
    this.#compacting.get(plan)?.compactionDone(plan, outcome);
    this.#compacting.delete(plan);
  }

  freeze(): void {
    for (const store of this.#stores) store.freeze();
  }

  obsolete(): string[] {
    return this.#stores.flatMap((store) => store.obsolete());
  }

  unlink(paths: readonly string[]): void {
    const byFolder = Map.groupBy(paths, (path) => dirname(path));
    for (const store of this.#stores) {
      const own = byFolder.get(store.folder);
      if (own !== undefined) store.unlink(own);
    }
  }

  blockPaths(): string[] {
    return this.#stores.flatMap((store) => store.blockPaths());
  }

  /** Two of them may have a block of that name. */
  noteDamage(damage: Damage): void {
    const having = this.#stores.filter((store) => store.blockPaths().some((path) => basename(path) === damage.file));
    for (const store of having.length > 0 ? having : [this.own]) store.noteDamage(damage);
  }

  stats(): ArchiveStats {
    return jointStats(this.#stores.map((store) => store.stats()));
  }

  /** Throws as `ArchiveStore.close`, closed all the same. */
  close(): void {
    const errors: unknown[] = [];
    for (const store of [this.own, ...this.#received.values()]) {
      try {
        store.close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  get #stores(): readonly ArchiveStore[] {
    return [this.own, ...Array.from(this.#received.values(), ({ archive }) => archive)];
  }

  get #lateErasures(): LateErasures {
    if (this.#erasures === undefined) {
      mkdirSync(this.#folder, { recursive: true });
      this.#erasures = new LateErasures(this.#folder, (damage) => this.#options.onDamage(damage), this.#options.disk);
    }
    return this.#erasures;
  }

  /** Another node has erased it: it is not sent on. */
  #erased(erasure: ReceivedErasure, by: string): void {
    const { key, sinceUs, untilUs, epoch } = erasure;
    this.#lateErasures.add([erasure]);
    this.own.eraseUpTo(key, sinceUs, untilUs, epoch);
    for (const [node, { archive }] of this.#received) {
      // Its own it has erased itself, in its order.
      if (node !== by) archive.eraseUpTo(key, sinceUs, untilUs, epoch);
    }
  }

  /** All together have the room that one would have: the one with the oldest records gives some of it back. */
  #limitSize(): void {
    const { maxBytes } = this.#retention ?? {};
    const stores = this.#stores;
    if (maxBytes === undefined || stores.length === 1) return;
    const bytes = stores.map((store) => store.bytes);
    const all = bytes.reduce((sum, each) => sum + each, 0);
    const [oldest] = stores.toSorted((a, b) => a.oldestUs - b.oldestUs);
    for (const [at, store] of stores.entries()) {
      store.limitSize(store === oldest ? maxBytes - (all - (bytes[at] as number)) : undefined);
    }
  }
}
