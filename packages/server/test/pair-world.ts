// Two nodes of a site that send each other what they have recorded, and one archive to which everything happens in the order in which it
// happened: for tests that hold the one against the other.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { systemDisk } from '../src/archive/files/disk.ts';
import { BadParcel } from '../src/archive/parcel/decode-parcel.ts';
import * as receiving from '../src/archive/received/receiving.ts';
import { SiteArchive } from '../src/archive/received/site-archive.ts';
import type { SeriesKey } from '../src/archive/records.ts';
import { ArchiveStore } from '../src/archive/store/archive-store.ts';
import { runCompaction } from '../src/archive/store/run-compaction.ts';
import type { Claimed, ParcelStore, Received } from '../src/store/parcel-store.ts';
import type { SenderState } from '../src/store/sender.ts';
import { sendFrom } from './sent-world.ts';
import { append, keys, type ModelRecord } from './store-model.ts';
import { ignored, never, startUs } from './temporary-archives.ts';

const root = temporaryFolder(suiteCleanup());
/** A crash of the process loses nothing that was written. */
const disk = { ...systemDisk, sync() {}, syncData() {} };
/** Blocks are very small. */
const limits = { records: 8, textUnits: 1000 };
const mostLive = 5;

/** What a node has of another one, as that one asks it. */
class AtNode implements ParcelStore {
  readonly #archive: () => SiteArchive;
  readonly #of: string;
  /** What happens to the next parcels: 0 it is stored, 1 it is refused, 2 its answer is lost. */
  readonly troubles: number[] = [];

  constructor(archive: () => SiteArchive, of: string) {
    this.#archive = archive;
    this.#of = of;
  }

  async newest(_site: string, epoch: number): Promise<Received | undefined> {
    return this.#archive().of(this.#of).newest(epoch);
  }

  async claim(_site: string, given = 0): Promise<Claimed> {
    return this.#archive().of(this.#of).claim(given);
  }

  async send(_site: string, _epoch: number, _seq: number, parcel: Uint8Array): Promise<Received> {
    const trouble = this.troubles.shift() ?? 0;
    if (trouble === 1) throw new Error('the node is away');
    try {
      const received = this.#archive().of(this.#of).take(parcel);
      if (trouble === 2) throw new Error('the answer is lost');
      return received;
    } catch (error) {
      assert.ok(!(error instanceof BadParcel), `${error}`);
      throw error;
    }
  }
}

export class PairNode {
  readonly name: string;
  readonly clock = new ManualClock(startUs);
  #folder = mkdtempSync(join(root, 'node-'));
  archive: SiteArchive;

  /** It knows of the other one. */
  constructor(name: string, other: string) {
    this.name = name;
    this.archive = this.#open();
    this.archive.own.outgoing(other);
  }

  #open(): SiteArchive {
    const [own, received] = [join(this.#folder, 'own'), join(this.#folder, 'received')];
    return new SiteArchive(own, { received, receiving, clock: this.clock, disk, limits, onDamage: fail });
  }

  /** As after a crash. */
  reopen(): void {
    const before = this.#folder;
    this.#folder = mkdtempSync(join(root, 'node-'));
    cpSync(before, this.#folder, { recursive: true });
    this.archive.close();
    this.archive = this.#open();
  }

  flush(): void {
    this.archive.freeze();
    while (this.archive.maintain(5));
  }

  merge(all: boolean): void {
    for (let plan = this.archive.planCompaction(all); plan; plan = this.archive.planCompaction(all)) {
      this.archive.compactionDone(plan, runCompaction(plan, ignored, never));
    }
    this.archive.unlink(this.archive.obsolete());
  }

  /** Until everything is sent, or the other one fails. */
  send(to: string, store: ParcelStore): Promise<SenderState> {
    const sent = { site: 'here', gatherMs: 0, areEpochsGiven: true, clock: this.clock, store };
    return sendFrom(this.archive.own, sent, mostLive, to);
  }
}

const fail = ({ reason }: { readonly reason: string }) => assert.fail(reason);

export class Pair {
  readonly nodes = [new PairNode('a', 'b'), new PairNode('b', 'a')] as const;
  /** To which node, from the other one. */
  readonly to = [this.#at(0), this.#at(1)] as const;
  readonly whole: ArchiveStore;
  #epoch = 10;
  #leader = 0;

  constructor() {
    const folder = mkdtempSync(join(root, 'whole-'));
    this.whole = ArchiveStore.open(folder, { clock: new ManualClock(startUs), disk, onDamage: fail });
    for (const archive of [this.whole, ...this.nodes.map(({ archive: { own } }) => own)]) {
      for (const key of keys) archive.seriesOf(key as SeriesKey);
      archive.commit();
    }
    this.lead(0);
  }

  #at(node: number): AtNode {
    return new AtNode(() => (this.nodes[node] as PairNode).archive, (this.nodes[1 - node] as PairNode).name);
  }

  get leader(): PairNode {
    return this.nodes[this.#leader] as PairNode;
  }

  lead(at: number): void {
    this.#leader = at;
    this.#epoch += 7;
    this.leader.archive.own.lead(this.#epoch);
  }

  record(records: readonly ModelRecord[]): void {
    for (const archive of [this.whole, this.leader.archive.own]) {
      append(archive, records);
      archive.commit();
    }
  }

  erase(key: number, sinceUs: number, untilUs: number): void {
    const { kind, name } = keys[key] as SeriesKey;
    this.whole.erase(kind, name, sinceUs, untilUs);
    this.leader.archive.erase(kind, name, sinceUs, untilUs);
  }

  async send(from: number, troubles: readonly number[] = []): Promise<SenderState> {
    const to = this.to[1 - from] as AtNode;
    to.troubles.push(...troubles);
    const state = await (this.nodes[from] as PairNode).send((this.nodes[1 - from] as PairNode).name, to);
    to.troubles.length = 0;
    return state;
  }

  /** What waits in memory for its block is sent from there. */
  async sendAll(): Promise<void> {
    for (const from of [0, 1, 0, 1]) {
      let state = await this.send(from);
      for (let round = 0; round < 20 && state.waiting > 0; round++) {
        (this.nodes[from] as PairNode).flush();
        state = await this.send(from);
      }
      assert.equal(state.failure, undefined);
      assert.equal(state.waiting, 0);
    }
  }

  close(): void {
    for (const { archive } of this.nodes) archive.close();
    this.whole.close();
  }
}
