// An archive that is sent to a store, and what may happen to both: for tests that hold one against the other.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { systemDisk } from '../src/archive/files/disk.ts';
import type { Position } from '../src/archive/outgoing/position.ts';
import type { SeriesKey } from '../src/archive/records.ts';
import { ArchiveStore } from '../src/archive/store/archive-store.ts';
import type { Limits } from '../src/archive/store/generations.ts';
import type { ParcelStore } from '../src/store/parcel-store.ts';
import { Sender, type SenderOptions, type SenderState } from '../src/store/sender.ts';
import { append, keys, type ModelRecord } from './store-model.ts';
import { flush, mergeAll, startUs } from './temporary-archives.ts';

const root = temporaryFolder(suiteCleanup());
/** A crash of the process loses nothing that was written. */
const disk = { ...systemDisk, sync() {}, syncData() {} };

/** A store that may be away. */
export interface TroubledStore extends ParcelStore {
  /** What happens to the next parcels: 0 it is stored, 1 it is refused, 2 its answer is lost. */
  readonly troubles: number[];
}

export interface SentWorldOptions {
  readonly site?: string;
  /** By default, blocks are very small, and so is what is sent of memory. */
  readonly limits?: Limits;
  readonly mostLive?: number;
  /** One of several nodes of the site. */
  readonly areEpochsGiven?: boolean;
}

export class SentWorld<Store extends TroubledStore = TroubledStore> {
  readonly clock = new ManualClock(startUs);
  readonly store: Store;
  readonly site: string;
  readonly gatherMs = 0;
  #folder = mkdtempSync(join(root, 'sent-'));
  #backup: string | undefined;
  readonly #limits: Limits;
  readonly #mostLive: number;
  readonly #areEpochsGiven: boolean;
  archive: ArchiveStore;

  constructor(store: Store, options: SentWorldOptions = {}) {
    const { site = 'here', limits = { records: 8, textUnits: 1000 }, mostLive = 5 } = options;
    this.store = store;
    this.site = site;
    this.#limits = limits;
    this.#mostLive = mostLive;
    this.#areEpochsGiven = options.areEpochsGiven ?? false;
    this.archive = this.#open();
  }

  #open(): ArchiveStore {
    const limits = this.#limits;
    const archive = ArchiveStore.open(this.#folder, {
      clock: this.clock,
      disk,
      limits,
      onDamage: ({ reason }) => assert.fail(reason),
    });
    archive.outgoing();
    return archive;
  }

  /** As after a crash. */
  reopen(): void {
    this.#openCopyOf(this.#folder);
  }

  backUp(): void {
    this.#backup = mkdtempSync(join(root, 'backup-'));
    cpSync(this.#folder, this.#backup, { recursive: true });
  }

  restore(): void {
    if (this.#backup !== undefined) this.#openCopyOf(this.#backup);
  }

  #openCopyOf(folder: string): void {
    this.#folder = mkdtempSync(join(root, 'sent-'));
    cpSync(folder, this.#folder, { recursive: true });
    this.archive.close();
    this.archive = this.#open();
  }

  /** Until everything is sent, or the store fails. */
  send(): Promise<SenderState> {
    const { site, archive, store, clock, gatherMs } = this;
    const sent = { site, clock, store, gatherMs, areEpochsGiven: this.#areEpochsGiven };
    return sendFrom(archive, sent, this.#mostLive);
  }

  /** Brings what is repeated into blocks, from which alone it is sent. */
  async sendAll(): Promise<void> {
    this.store.troubles.length = 0;
    let state = await this.send();
    for (let round = 0; round < 20 && state.waiting > 0; round++) {
      flush(this.archive);
      state = await this.send();
    }
    assert.equal(state.failure, undefined);
    assert.equal(state.waiting, 0);
  }
}

/** Sends an archive until everything is sent, or the store fails; `destination`: a node in the place of the store. */
export async function sendFrom(
  archive: ArchiveStore,
  sent: Omit<SenderOptions, 'archive' | 'onState'>,
  mostLive: number,
  destination?: string,
): Promise<SenderState> {
  const { promise, resolve } = Promise.withResolvers<SenderState>();
  const outgoing = archive.outgoing(destination);
  const methods: Record<string, (...args: never[]) => unknown> = {
    open: (site) => {
      outgoing.sendAs(site);
      return { epoch: outgoing.epoch, nextEpoch: outgoing.nextEpoch, series: outgoing.series() };
    },
    resume: (position) => outgoing.resume(position),
    counts: () => outgoing.counts(),
    begin: (...args: [number, boolean, string | undefined]) => archive.beginOutgoing(...args, destination),
    beginNext: (...args: [number, Position]) => outgoing.beginNext(...args),
    next: (position, most) => outgoing.next(position, Math.min(most, mostLive)),
    sent: (position, renamed) => outgoing.sent(position, renamed),
    damage: assert.fail,
  };
  const call = (method: string, args: readonly unknown[]) => methods[method]?.(...(args as never[]));
  const link = { call: async (method: string, args: readonly unknown[]) => call(method, args), notify: call };
  let isBegun = false;
  const onState = (state: SenderState) => {
    const hasBegun = isBegun || (state.isIdle && state.epoch === undefined);
    if (hasBegun && (state.isIdle || state.failure !== undefined)) resolve(state);
    isBegun = true;
  };
  const sender = new Sender({ ...sent, archive: link as never, onState });
  sender.start();
  const state = await promise;
  await sender.stop();
  return state;
}

export const times = [0, 1, 2, 3, 4, 5]
  .map((second) => startUs - 1_000_000 * second)
  .concat(startUs - 8 * 86_400_000_000, 7);
const aTime = fc.constantFrom(...times);
export const aRecord = fc
  .record({
    key: fc.constantFrom(0, 0, 0, 1, 2, 3),
    time: aTime,
    number: fc.nat(30),
    quality: fc.constantFrom(0xc0, 0x18),
    isReplacing: fc.boolean(),
  })
  .map(({ key, number, ...rest }): ModelRecord => {
    const { datatype } = keys[key] as SeriesKey;
    const value =
      datatype === 's'
        ? `x${number}`
        : datatype === 'l'
          ? BigInt(number)
          : datatype === 'b'
            ? number % 2 === 1
            : number / 4;
    return { key, value, ...rest };
  });

export type Step = (world: SentWorld) => unknown;
export type WeightedStep = fc.WeightedArbitrary<Step>;

export function appends(records: fc.Arbitrary<ModelRecord>): WeightedStep {
  const step = fc.array(records, { minLength: 1, maxLength: 10 }).map((all) => ({ archive }: SentWorld) => {
    append(archive, all);
    archive.commit();
  });
  return { weight: 8, arbitrary: step };
}

/** What happens by itself. */
export const ordinary: readonly WeightedStep[] = [
  { weight: 2, arbitrary: fc.constant(({ archive }) => archive.freeze()) },
  { weight: 3, arbitrary: fc.constant(({ archive }) => flush(archive)) },
  {
    weight: 2,
    arbitrary: fc.boolean().map(
      (all) =>
        ({ archive }) =>
          mergeAll(archive, all),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 6 }).map((count) => ({ archive }) => {
      for (let step = 0; step < count; step++) archive.maintain(0);
    }),
  },
  {
    weight: 6,
    arbitrary: fc.array(fc.constantFrom(0, 0, 1, 2), { maxLength: 4 }).map((troubles) => async (world) => {
      world.store.troubles.push(...troubles);
      await world.send();
      world.store.troubles.length = 0;
    }),
  },
  { weight: 2, arbitrary: fc.constant((world) => world.reopen()) },
];
/** What people and devices do. */
export const changes: readonly WeightedStep[] = [
  appends(aRecord),
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(0, 2, 3), aTime, aTime).map(([key, sinceUs, untilUs]) => ({ archive }) => {
      const { kind, name } = keys[key] as SeriesKey;
      archive.erase(kind, name, sinceUs, untilUs);
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant(({ archive }) => {
      archive.rename([
        { kind: 'measurements', from: 'level', to: 'height' },
        { kind: 'measurements', from: 'height', to: 'level' },
      ]);
    }),
  },
];
