// Holds what a store comes to against the archive that is sent to it, whatever happens to either in whatever order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { PlainStore } from '../../test/plain-store.ts';
import { appends, aRecord, changes, ordinary, SentWorld, type WeightedStep } from '../../test/sent-world.ts';
import { append, keys, type ModelRecord, type PlainRecord, read } from '../../test/store-model.ts';
import { flush, startUs } from '../../test/temporary-archives.ts';
import type { SeriesKey } from '../archive/records.ts';

type World = SentWorld<PlainStore>;

const runs = Number(process.env.MODEL_RUNS ?? 50);

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
          (store as PlainStore).restore(count),
    ),
  },
];

async function holds(steps: readonly WeightedStep[], check: (world: World, key: SeriesKey, at: number) => void) {
  const all = fc.array(fc.oneof(...steps), { maxLength: 40, size: 'max' });
  const property = fc.asyncProperty(all, fc.constantFrom(undefined, undefined, 200, 400), async (steps, mostBytes) => {
    const world = new SentWorld(new PlainStore());
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
  const world = new SentWorld(new PlainStore(), { limits: { records: 4096, textUnits: 1 << 20 }, mostLive: 2 ** 17 });
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
