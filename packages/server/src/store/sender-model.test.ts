// Holds what a store comes to against the archive that is sent to it, whatever happens to either in whatever order.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { PlainStore } from '../../test/plain-store.ts';
import { append, keys, type ModelRecord, type PlainRecord, read } from '../../test/store-model.ts';
import { flush, mergeAll, startUs } from '../../test/temporary-archives.ts';
import { systemDisk } from '../archive/files/disk.ts';
import type { SeriesKey } from '../archive/records.ts';
import { ArchiveStore } from '../archive/store/archive-store.ts';
import type { Limits } from '../archive/store/generations.ts';
import { Sender, type SenderState } from './sender.ts';

const root = temporaryFolder(suiteCleanup());
const runs = Number(process.env.MODEL_RUNS ?? 50);
/** A crash of the process loses nothing that was written. */
const disk = { ...systemDisk, sync() {}, syncData() {} };

class World {
  readonly clock = new ManualClock(startUs);
  readonly store = new PlainStore();
  readonly gatherMs = 0;
  #folder = mkdtempSync(join(root, 'sent-'));
  #backup: string | undefined;
  readonly #limits: Limits;
  readonly #mostLive: number;
  archive: ArchiveStore;

  /** By default, blocks are very small, and so is what is sent of memory. */
  constructor({ limits = { records: 8, textUnits: 1000 }, mostLive = 5 } = {}) {
    this.#limits = limits;
    this.#mostLive = mostLive;
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
  async send(): Promise<SenderState> {
    const { promise, resolve } = Promise.withResolvers<SenderState>();
    const { archive, store, clock, gatherMs } = this;
    const outgoing = archive.outgoing();
    const methods: Record<string, (...args: never[]) => unknown> = {
      open: () => ({ epoch: outgoing.epoch, series: outgoing.series() }),
      resume: (position) => outgoing.resume(position),
      counts: () => outgoing.counts(),
      begin: (...args: [number, boolean, string | undefined]) => archive.beginOutgoing(...args),
      next: (position, most) => outgoing.next(position, Math.min(most, this.#mostLive)),
      sent: (position, renamed) => outgoing.sent(position, renamed),
      damage: assert.fail,
    };
    const call = (method: string, args: readonly unknown[]) => methods[method]?.(...(args as never[]));
    const link = { call: async (method: string, args: readonly unknown[]) => call(method, args), notify: call };
    let isBegun = false;
    const onState = (state: SenderState) => {
      if (isBegun && (state.isIdle || state.failure !== undefined)) resolve(state);
      isBegun = true;
    };
    const sender = new Sender({ site: 'here', clock, store, gatherMs, archive: link as never, onState });
    sender.start();
    const state = await promise;
    await sender.stop();
    return state;
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

const times = [0, 1, 2, 3, 4, 5].map((second) => startUs - 1_000_000 * second).concat(startUs - 8 * 86_400_000_000, 7);
const aTime = fc.constantFrom(...times);
const aRecord = fc
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

type Step = (world: World) => unknown;
type WeightedStep = fc.WeightedArbitrary<Step>;

function appends(records: fc.Arbitrary<ModelRecord>): WeightedStep {
  const step = fc.array(records, { minLength: 1, maxLength: 10 }).map((all) => ({ archive }: World) => {
    append(archive, all);
    archive.commit();
  });
  return { weight: 8, arbitrary: step };
}

const ordinary: readonly WeightedStep[] = [
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
const changes: readonly WeightedStep[] = [
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
const restores: readonly WeightedStep[] = [
  // What replaces may be lost at the site, and stay in the store.
  appends(aRecord.map((record) => ({ ...record, isReplacing: false }))),
  { weight: 2, arbitrary: fc.constant((world) => world.backUp()) },
  { weight: 2, arbitrary: fc.constant((world) => world.restore()) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 3 }).map(
      (count) =>
        ({ store }) =>
          store.restore(count),
    ),
  },
];

async function holds(steps: readonly WeightedStep[], check: (world: World, key: SeriesKey, at: number) => void) {
  const all = fc.array(fc.oneof(...steps), { maxLength: 40, size: 'max' });
  const property = fc.asyncProperty(all, fc.constantFrom(undefined, undefined, 200, 400), async (steps, mostBytes) => {
    const world = new World();
    world.store.mostBytes = mostBytes;
    try {
      for (const step of steps) await step(world);
      await world.sendAll();
      for (const [at, key] of keys.entries()) check(world, key, at);
    } finally {
      world.archive.close();
    }
  });
  await fc.assert(property, { numRuns: runs });
}

const plain = ({ time, value, quality }: PlainRecord) => ({ time, value, quality });

test('the store comes to what the archive has, whatever is lost on the way, and wherever the site ends', async () => {
  await holds([...ordinary, ...changes], ({ store, archive }, key, at) => {
    assert.deepEqual(store.read(key), read(archive, at).map(plain), `${key.name} ${key.datatype}`);
  });
});

test('after either was put back from a backup, the store gets what it lacks: of each time the newest record', async () => {
  await holds([...ordinary, ...restores], ({ store, archive }, key, at) => {
    const has = store.read(key);
    const newest = new Map(read(archive, at).map((record) => [record.time, plain(record)]));
    for (const record of newest.values()) {
      assert.ok(
        has.some((each) => isDeepStrictEqual(each, record)),
        `${key.name} ${key.datatype} at ${record.time}`,
      );
    }
  });
});

test('parcels are as small as the store wants them: records of memory and of blocks, series and erasures', async () => {
  const world = new World({ limits: { records: 4096, textUnits: 1 << 20 }, mostLive: 2 ** 17 });
  const { archive, store } = world;
  try {
    // Random digits, which do not pack.
    const noise = (at: number) => `${Math.sin(at)}${Math.cos(at)}`.repeat(3);
    const all = Array.from({ length: 3000 }, (_, at): ModelRecord => {
      return { key: 2, time: startUs - 1_000_000 * (3000 - (at >> 1)), value: noise(at), quality: 0xc0 };
    });
    append(archive, all.slice(0, 2000));
    archive.commit();
    flush(archive);
    append(archive, all.slice(2000));
    archive.commit();
    for (let at = 0; at < 300; at++) archive.erase('measurements', '__proto__', 1000 * at + 1, 1000 * at + 2);
    store.mostBytes = 4096;
    await world.sendAll();
    const sizes = store.all().map(({ bytes }) => bytes.length);
    assert.ok(Math.max(...sizes) <= 4096, `${Math.max(...sizes)} bytes`);
    assert.ok((sizes.toSorted((a, b) => a - b)[sizes.length >> 1] as number) > 2000, sizes.join(' '));

    assert.deepEqual(store.read(keys[2] as SeriesKey), read(archive, 2).map(plain));
  } finally {
    archive.close();
  }
});
