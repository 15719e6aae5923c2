// What is sealed against the plain store, whatever is sent in whatever order, and whenever it is sealed.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { cleanupOf, suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { Postgres } from '../../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../../test/engines/postgres-programs.ts';
import { anyParcel, numberedParcels } from '../../../../test/any-parcels.ts';
import { sampleSeries } from '../../../../test/archive-records.ts';
import { PlainStore } from '../../../../test/plain-store.ts';
import {
  hoursOf,
  plainHours,
  recordsOfChunks,
  recordsOfSql,
  type SealedHour,
  type SealedIdentity,
  seriesOfSite,
} from '../../../../test/sealed-records.ts';
import { type SentParcel, SentSite, sentKeys, sentRecord, sentScan, sentTime } from '../../../../test/sent-site.ts';
import { connectTo, freshDatabase } from '../../../../test/store-database.ts';
import type { PlainRecord } from '../../../../test/store-model.ts';
import type { Series } from '../../../archive/index.ts';
import { encodeParcel } from '../../../archive/parcel/index.ts';
import type { Connection } from '../connection.ts';
import { PostgresStore } from '../postgres-store.ts';
import type { SealLimits } from './parcel-batch.ts';
import { Sealer } from './sealer.ts';

const runs = Number(process.env.MODEL_RUNS ?? 60);

class World {
  readonly site: SentSite;
  readonly plain = new PlainStore();
  readonly #store: PostgresStore;
  readonly #connection: Connection;
  readonly #given = new Set<number>();

  constructor(id: string, store: PostgresStore, connection: Connection) {
    this.site = new SentSite(id);
    this.#store = store;
    this.#connection = connection;
  }

  async begin(): Promise<void> {
    await this.plain.claim();
    this.site.begin((await this.#store.claim(this.site.id)).epoch);
  }

  /** Another node's, which may have sent in it before. */
  async go(epoch: number): Promise<void> {
    if (!this.#given.has(epoch)) {
      this.#given.add(epoch);
      for (const store of [this.plain, this.#store]) await store.claim(this.site.id, epoch);
    }
    this.site.begin(epoch);
  }

  async send(parcels: readonly SentParcel[]): Promise<void> {
    for (const { epoch, seq, bytes } of parcels) {
      await this.plain.send(this.site.id, epoch, seq, bytes);
      await this.#store.send(this.site.id, epoch, seq, bytes);
    }
  }

  /** By a sealer that knows nothing of what was sealed before. */
  async seal(limits?: SealLimits): Promise<void> {
    const connections = { use: <T>(work: (connection: Connection) => Promise<T>) => work(this.#connection) };
    const sealer = new Sealer({ connections, clock: systemClock, everyMs: 0, onState() {}, ...(limits && { limits }) });
    await sealer.sealAll();
  }
}

/** With what it is called in a counterexample. */
interface Step {
  readonly title: string;
  run(world: World): unknown;
}

function step<T>(weight: number, title: string, given: fc.Arbitrary<T>, run: (world: World, given: T) => unknown) {
  const arbitrary = given.map((value): Step => {
    return { title: `${title} ${fc.stringify(value)}`, run: (world) => run(world, value) };
  });
  return { weight, arbitrary };
}

const someRecords = fc.array(sentRecord, { minLength: 1, maxLength: 8 });
const someLimits = fc.constantFrom(
  { bytes: 1, unpackedBytes: 1, records: 1 },
  { bytes: 2000, unpackedBytes: 10_000, records: 1000 },
  undefined,
);
const until = fc.oneof(sentTime, fc.constant(2 ** 52));

const steps = [
  step(8, 'record', someRecords, (world, records) => world.send(world.site.record(records, false))),
  step(2, 'leave behind', someRecords, (world, records) => world.send(world.site.record(records, true))),
  step(4, 'scan', sentScan, (world, records) => world.send(world.site.record(records, false))),
  step(3, 'catch up', fc.integer({ min: 1, max: 3 }), (world, count) => world.send(world.site.catchUp(count))),
  step(2, 'erase', fc.tuple(fc.constantFrom(...sentKeys.keys()), sentTime, until), (world, erased) => {
    return world.send(world.site.erase(...erased));
  }),
  step(1, 'open', fc.constant(0), ({ site }) => site.open()),
  step(6, 'seal', someLimits, (world, limits) => world.seal(limits)),
];
const ofOne = [
  ...steps,
  step(1, 'rename', fc.constant(0), ({ site }) => site.rename()),
  step(1, 'begin', fc.constant(0), (world) => world.begin()),
];

/** Of several nodes, in an epoch of each; none of which ends. */
const ofNodes = [...steps, step(3, 'go', fc.constantFrom(1005, 1010, 1011, 1020), (world, epoch) => world.go(epoch))];

const inAnyOrder = (records: readonly PlainRecord[]) =>
  records.map(({ time, value, quality }) => JSON.stringify([time, value, quality], plainJson)).sort();

function plainJson(_: string, value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number')
    return Object.is(value, -0) ? '-0' : `${typeof value} ${value}`;
  return value;
}

/** Not every text can be one of SQL. */
function inSql({ value, ...record }: PlainRecord): PlainRecord {
  const shown = typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;
  return { ...record, value: shown };
}

/** Sums are added in another order. */
function assertHours(has: readonly SealedHour[], expected: readonly SealedHour[], title: string): void {
  const plain = (hour: SealedHour) => ({
    ...hour,
    sum: hour.sum === null,
    least: (hour.least ?? 0) + 0,
    greatest: (hour.greatest ?? 0) + 0,
  });
  assert.deepEqual(has.map(plain), expected.map(plain), title);
  for (const [at, { sum, least, greatest }] of has.entries()) {
    const largest = Math.max(1, Math.abs(least ?? 0), Math.abs(greatest ?? 0));
    assert.ok(Math.abs((sum ?? 0) - (expected[at]?.sum ?? 0)) <= 1e-9 * largest, title);
  }
}

for (const version of postgresVersions) {
  describe(`what is sealed in PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    const scope = suiteCleanup();
    let store: PostgresStore;
    let connection: Connection;
    before(async () => {
      const address = await freshDatabase(await Postgres.start(scope, { version }));
      store = new PostgresStore({ address, clock: systemClock });
      cleanupOf(scope).defer(() => store.close());
      await store.claim('any');
      connection = await connectTo(scope, address);
    });
    let sites = 0;

    async function check(world: World): Promise<void> {
      const all = await seriesOfSite(connection, world.site.id);
      for (const [title, series] of Map.groupBy(all, ({ kind, name, datatype }) => `${kind} ${name} ${datatype}`)) {
        const [first] = series as [SealedIdentity];
        const expected = world.plain.read(first);
        const shown = expected.map(inSql);
        const [fromChunks, fromSql] = [
          await recordsOfChunks(connection, series),
          await recordsOfSql(connection, series),
        ];
        if (series.length === 1) {
          assert.deepEqual(fromChunks, expected, title);
          assert.deepEqual(fromSql, shown, title);
          assertHours(await hoursOf(connection, first), plainHours(first, expected), title);
        } else {
          assert.deepEqual(inAnyOrder(fromChunks), inAnyOrder(expected), title);
          assert.deepEqual(inAnyOrder(fromSql), inAnyOrder(shown), title);
        }
      }
    }

    test('is what the plain store comes to, by the arrays of chunks and by SQL, and so are the hours', async () => {
      const property = fc.asyncProperty(fc.array(fc.oneof(...ofOne), { maxLength: 25, size: 'max' }), async (all) => {
        const world = new World(`site-${++sites}`, store, connection);
        await world.begin();
        for (const { run } of all) await run(world);
        for (let left = 0; left < 30; left++) await world.send(world.site.catchUp(2));
        await world.seal();
        await check(world);
      });
      await fc.assert(property, { numRuns: runs });
      await assertAllSealed();
    });

    test('is that of all nodes of a site, whichever sends in its epoch, earlier ones or later ones', async () => {
      const property = fc.asyncProperty(fc.array(fc.oneof(...ofNodes), { maxLength: 25, size: 'max' }), async (all) => {
        const world = new World(`site-${++sites}`, store, connection);
        await world.go(1010);
        for (const { run } of all) await run(world);
        for (let left = 0; left < 30; left++) await world.send(world.site.catchUp(2));
        await world.seal();
        await check(world);
      });
      await fc.assert(property, { numRuns: runs });
      await assertAllSealed();
    });

    test('is the same of a site that sends places in no order, the same ones again, and whatever else', async () => {
      const times = fc.oneof(sentTime, fc.constantFrom(5, 2 ** 53 - 1));
      const parcels = fc.array(anyParcel(sampleSeries, times, [0xc0, 0x18, 0x440]), { maxLength: 12 });
      const seals = fc.array(fc.boolean(), { minLength: 15, maxLength: 15 });
      const property = fc.asyncProperty(parcels, seals, async (all, isSealed) => {
        const world = new World(`site-${++sites}`, store, connection);
        for (const [at, parcel] of numberedParcels(all, world.site.id).entries()) {
          const { epoch, seq } = parcel;
          if (seq === 1) await world.begin();
          await world.send([
            { epoch, seq, bytes: encodeParcel(parcel, (number) => (sampleSeries[number] as Series).datatype) },
          ]);
          if (isSealed[at] === true) await world.seal();
        }
        await world.seal();
        await check(world);
      });
      await fc.assert(property, { numRuns: runs });
      await assertAllSealed();
    });

    async function assertAllSealed(): Promise<void> {
      const { rows } = await connection.query('select from telltale.parcel union all select from telltale.damaged');
      assert.equal(rows.length, 0);
    }
  });
}
