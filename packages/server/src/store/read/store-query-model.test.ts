// Queries of the store, of records that came in whatever order and with whatever is sealed of them, against plain arrays.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Datatype } from '@telltale/schema';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { assertNearly } from '../../../test/aggregate-model.ts';
import { type AnyParcel, anyParcel, numberedParcels } from '../../../test/any-parcels.ts';
import { storeAnswer } from '../../../test/archive-answers.ts';
import { anyValue, sampleSeries } from '../../../test/archive-records.ts';
import { PlainStore } from '../../../test/plain-store.ts';
import { aggregated, asked, assertThinned, type PlainRecord, requestOf, written } from '../../../test/query-model.ts';
import { freshDatabase } from '../../../test/store-database.ts';
import { type StoreParts, storeParts } from '../../../test/store-parts.ts';
import { aggregates, type Series, simulated } from '../../archive/index.ts';
import { encodeParcel } from '../../archive/parcel/index.ts';
import { isOfTexts } from '../../archive/query/aggregates.ts';
import type { StoreReadRequest } from './store-source.ts';

const numRuns = Number(process.env.MODEL_RUNS ?? 20);
const weekUs = 7 * 86_400_000_000;
const startUs = requestOf({}).sinceUs;
/** Of a wrong clock, in two weeks with the end of one between, and much later. */
const times = [5, -weekUs, 0, 250_000, 500_000, 1_000_000, 3_000_000, 10_000_000, weekUs, 5000 * weekUs].map(
  (us, at) => (at === 0 ? us : startUs + us),
);
const aTime = fc.constantFrom(...times);
const qualities = [0xc0, 0xc0, 0x18, 0xc0 | simulated];
/** Sums of them are sums. */
function aValue(datatype: Datatype): fc.Arbitrary<number | bigint | string> {
  const isReal = datatype === 'd' || datatype === 'f';
  return isReal ? fc.integer({ min: -4000, max: 4000 }).map((value) => value / 16) : anyValue(datatype);
}
/** Most of one series, of which something is asked then. */
const someParcels = fc
  .tuple(fc.constantFrom(...sampleSeries), fc.constantFrom(...sampleSeries))
  .chain(([series, other]) => {
    const parcels = fc.array(anyParcel([series, series, series, other], aTime, qualities, aValue), {
      maxLength: 12,
      size: 'max',
    });
    return fc.tuple(fc.constant(series), parcels, fc.nat(14));
  });
const interval = fc
  .tuple(aTime, fc.oneof(aTime, fc.constant(2 ** 53 - 1)))
  .map(([one, other]) => ({ sinceUs: Math.min(one, other), untilUs: Math.max(one, other) }));
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const options = fc.record({
  warpHead: optional(fc.boolean()),
  limit: optional(fc.nat({ max: 12 })),
  simulated: optional(fc.constantFrom('exclude', 'only')),
});
/** With at most some hundred steps. */
const shortInterval = interval.chain(({ sinceUs, untilUs }) => {
  return fc.constantFrom(250_000, 333_333, 60_000_000, weekUs / 7, 5000 * weekUs).map((resampleUs) => {
    return { sinceUs, untilUs: Math.min(untilUs, sinceUs + 100 * resampleUs), resampleUs };
  });
});

class World {
  readonly #parts: StoreParts;
  #sites = 0;
  #isSlow = false;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Of a fresh site. */
  get site(): string {
    return `site_${this.#sites}`;
  }

  /** Of the parcels the first so many are sealed. Answers what there is of each series. */
  async fill(some: readonly AnyParcel[], sealed: number): Promise<(series: Series) => PlainRecord[]> {
    this.#sites++;
    const plain = new PlainStore();
    for (const parcel of numberedParcels(some, this.site)) {
      const { epoch, seq } = parcel;
      const bytes = encodeParcel(parcel, (number) => (sampleSeries[number] as Series).datatype);
      for (const store of [plain, this.#parts.store]) {
        if (seq === 1) await store.claim(this.site);
        await store.send(this.site, epoch, seq, bytes);
      }
    }
    await this.#parts.seal(this.site, sealed);
    return (series) => plain.read(series).map((record) => ({ datatype: series.datatype, ...record }));
  }

  async read({ name }: Series, request: Partial<StoreReadRequest>): Promise<string> {
    const whole = { ...requestOf(request), names: [name], known: [name], site: this.site };
    this.#isSlow = !this.#isSlow;
    return String(await storeAnswer(this.#isSlow ? this.#parts.slow : this.#parts.source, whole));
  }
}

/** As an answer of one name. */
function answer({ name }: Series, records: readonly string[]): string {
  return `{"${name}":[${records.join(',')}]}`;
}

const isOfNumbers = ({ datatype }: Series) => datatype !== 's';

for (const version of postgresVersions) {
  describe(`queries of a store on PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    const scope = suiteCleanup();
    let world: World;
    before(async () => {
      const postgres = await Postgres.start(scope, { version, settings: { fsync: 'off' } });
      world = new World(storeParts(scope, await freshDatabase(postgres)));
    });

    /** Whatever is sent: what is read of a series is what these say. */
    async function holds<T>(
      forms: fc.Arbitrary<T>,
      check: (series: Series, records: PlainRecord[], form: T) => Promise<void>,
    ) {
      const property = fc.asyncProperty(someParcels, forms, async ([series, some, sealed], form) => {
        const records = await world.fill(some, sealed);
        await check(series, records(series), form);
      });
      await fc.assert(property, { numRuns });
    }

    test('AR-25: records come in time order, those that are asked for, without those that are erased or replaced', async () => {
      await holds(fc.tuple(interval, options), async (series, records, [times, options]) => {
        const request = requestOf({ ...times, ...options });
        assert.equal(await world.read(series, request), answer(series, asked(records, request).map(written)));
      });
    });

    test('the newest records first are the same records, from the end of the interval back', async () => {
      await holds(fc.tuple(interval, options), async (series, records, [times, { warpHead: _, ...options }]) => {
        const request = requestOf({ ...times, ...options, newestFirst: true });
        assert.equal(await world.read(series, request), answer(series, asked(records, request).map(written)));
      });
    });

    test('a resampled answer has the record in force at each step', async () => {
      await holds(fc.tuple(shortInterval, options), async (series, records, [times, options]) => {
        const request = requestOf({ ...times, ...options });
        assert.equal(await world.read(series, request), answer(series, asked(records, request).map(written)));
      });
    });

    test('AG-1 each aggregate of each bucket is what plain arrays say, alone or among others', async () => {
      const some = fc.shuffledSubarray([...aggregates], { minLength: 1 });
      await holds(fc.tuple(shortInterval, options, some), async (series, records, [times, options, all]) => {
        const which = isOfNumbers(series) ? all : all.filter(isOfTexts);
        if (which.length === 0) return;
        const request = requestOf({ ...times, ...options, aggregates: which, flags: false });
        assertNearly(await world.read(series, request), answer(series, aggregated(records, request, which)));
      });
    });

    test('a thinned answer has no more records than are wanted, all of them true, extremes included', async () => {
      await holds(fc.tuple(interval, fc.integer({ min: 4, max: 40 })), async (series, records, [times, maxPoints]) => {
        const request = requestOf({ ...times, maxPoints });
        const { [series.name]: given = [] } = JSON.parse(await world.read(series, request)) as Record<
          string,
          unknown[]
        >;
        assertThinned(
          given.map((record) => JSON.stringify(record)),
          asked(records, requestOf(times)),
          maxPoints,
        );
      });
    });
  });
}
