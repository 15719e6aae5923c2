// Holds what a store comes to against all that two nodes of a site have recorded in turn, whoever sends when.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PlainStore } from '../../test/plain-store.ts';
import { aRecord, ordinary, SentWorld, times } from '../../test/sent-world.ts';
import { append, keys, type ModelRecord, StoreModel } from '../../test/store-model.ts';
import type { SeriesKey } from '../archive/records.ts';

const runs = Number(process.env.MODEL_RUNS ?? 100);

/** Two nodes, and a model that has what both have recorded, in order. */
class Site {
  readonly store = new PlainStore();
  readonly nodes = [this.#node(), this.#node()] as const;
  readonly model = new StoreModel();
  #epoch = 10;
  #leader = 0;

  constructor() {
    for (const { archive } of this.nodes) {
      for (const key of keys) archive.seriesOf(key as SeriesKey);
      archive.commit();
    }
    this.lead(0);
  }

  #node(): SentWorld<PlainStore> {
    return new SentWorld(this.store, { areEpochsGiven: true });
  }

  lead(at: number): void {
    this.#leader = at;
    this.#epoch += 7;
    this.#leading.archive.lead(this.#epoch);
  }

  record(records: readonly ModelRecord[]): void {
    this.model.append(records);
    this.model.commit();
    append(this.#leading.archive, records);
    this.#leading.archive.commit();
  }

  erase(key: number, sinceUs: number, untilUs: number): void {
    const erased = keys[key] as SeriesKey;
    this.model.erase(erased, sinceUs, untilUs);
    this.#leading.archive.erase(erased.kind, erased.name, sinceUs, untilUs);
  }

  close(): void {
    for (const { archive } of this.nodes) archive.close();
  }

  get #leading(): SentWorld<PlainStore> {
    return this.nodes[this.#leader] as SentWorld<PlainStore>;
  }
}

type Step = (site: Site) => unknown;

const aTime = fc.constantFrom(...times);
const aNode = fc.constantFrom(0, 1);
const steps: readonly fc.WeightedArbitrary<Step>[] = [
  ...ordinary.map(({ weight, arbitrary }) => ({
    weight,
    arbitrary: fc.tuple(aNode, arbitrary).map(
      ([at, step]): Step =>
        ({ nodes }) =>
          step(nodes[at] as SentWorld),
    ),
  })),
  {
    weight: 3,
    arbitrary: aNode.map(
      (at): Step =>
        (site) =>
          site.lead(at),
    ),
  },
  {
    weight: 8,
    arbitrary: fc.array(aRecord, { minLength: 1, maxLength: 10 }).map(
      (records): Step =>
        (site) =>
          site.record(records),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(0, 2, 3), aTime, aTime).map(
      ([key, sinceUs, untilUs]): Step =>
        (site) =>
          site.erase(key, sinceUs, untilUs),
    ),
  },
];

test('the store comes to all that two nodes have recorded in turn, in that order, whoever sends when', async () => {
  const property = fc.asyncProperty(fc.array(fc.oneof(...steps), { maxLength: 40, size: 'max' }), async (all) => {
    const site = new Site();
    try {
      for (const step of all) await step(site);
      for (const node of site.nodes) await node.sendAll();
      for (const [at, key] of keys.entries()) {
        const expected = site.model.shown(at, 0).map(({ time, value, quality }) => ({ time, value, quality }));
        assert.deepEqual(site.store.read(key as SeriesKey), expected, `${key.name} ${key.datatype}`);
      }
    } finally {
      site.close();
    }
  });
  await fc.assert(property, { numRuns: runs });
});
