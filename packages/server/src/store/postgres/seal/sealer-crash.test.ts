// A sealer that is killed at any moment, and a PostgreSQL that is, lose nothing and have nothing twice. CRASH_RUNS says how often.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { Postgres } from '../../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../../test/engines/postgres-programs.ts';
import { SeededRandom, testSeed } from '../../../../../../test/seeded-random.ts';
import { PlainStore } from '../../../../test/plain-store.ts';
import { hoursOf, plainHours, recordsOfChunks, seriesOfSite } from '../../../../test/sealed-records.ts';
import { sealerAt } from '../../../../test/sealed-site.ts';
import { type SentParcel, type SentRecord, SentSite, sentRecord, sentScan } from '../../../../test/sent-site.ts';
import { connectTo, freshDatabase } from '../../../../test/store-database.ts';
import { PostgresStore } from '../postgres-store.ts';

const runs = Number(process.env.CRASH_RUNS ?? 6);
const script = fileURLToPath(new URL('../../../../test/seal-forever.ts', import.meta.url));
const parcelsARound = 12;

/** Until it is killed; it has begun. */
async function sealForever(t: Scope, address: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [script, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const kill = async () => {
    child.kill('SIGKILL');
    await closed;
  };
  cleanupOf(t).defer(kill);
  await Promise.race([once(child.stdout, 'data'), closed]);
  child.stdout.resume();
  return kill;
}

for (const version of postgresVersions) {
  describe(`what is sealed in PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    test(`is what was sent, after ${runs} kills of the sealer or PostgreSQL (TEST_SEED=${testSeed})`, async (t) => {
      const random = new SeededRandom(testSeed);
      const postgres = await Postgres.start(t, { version });
      const address = await freshDatabase(postgres);
      const plain = new PlainStore();
      const site = new SentSite('here');
      const some = fc.oneof(fc.array(sentRecord, { minLength: 1, maxLength: 30 }), sentScan);
      const all = fc.sample(some, { numRuns: runs * parcelsARound, seed: testSeed });
      await plain.claim();
      site.begin(1);
      let killed = 0;
      for (let run = 0; run < runs; run++) {
        const store = new PostgresStore({ address, clock: systemClock });
        if (run === 0) await store.claim('here');
        const parcels: SentParcel[] = [];
        for (let count = 0; count < parcelsARound; count++) {
          parcels.push(...site.record(all[run * parcelsARound + count] as SentRecord[], random.chance(0.2)));
          if (random.chance(0.1))
            parcels.push(...site.erase(random.between(0, 3), random.between(0, 1) * 1_760_000_001_000_000, 2 ** 52));
          if (random.chance(0.2)) parcels.push(...site.catchUp(2));
          if (random.chance(0.05)) site.open();
        }
        for (const { epoch, seq, bytes } of parcels) {
          await plain.send('here', epoch, seq, bytes);
          await store.send('here', epoch, seq, bytes);
        }
        store.close();
        const kill = await sealForever(t, address);
        await setTimeout(random.between(0, 60));
        if (random.chance(0.3)) {
          await postgres.kill();
          await postgres.again();
        }
        await kill();
        const left = await postgres.query('select count(*) from telltale.parcel', {
          database: new URL(address).pathname.slice(1),
        });
        if (left !== '0') killed++;
      }
      t.diagnostic(`${killed} of ${runs} kills were in the middle`);
      assert.ok(killed > 0);
      await sealerAt(t, address).sealAll();
      const client = await connectTo(t, address);
      for (const series of await seriesOfSite(client, 'here')) {
        const expected = plain.read(series);
        assert.deepEqual(await recordsOfChunks(client, [series]), expected, series.name);
        assert.deepEqual(
          (await hoursOf(client, series)).map(({ n }) => n),
          plainHours(series, expected).map(({ n }) => n),
        );
      }
    });
  });
}
