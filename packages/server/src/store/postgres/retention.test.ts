// What retention promises: expired weeks go, whole, hours later; nobody is kept waiting, and a wrong clock drops nothing.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { type Scope, suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { sealedSite } from '../../../test/sealed-site.ts';
import { connectTo } from '../../../test/store-database.ts';
import type { Connection } from './connection.ts';
import { Retention } from './retention.ts';

const usADay = 86_400_000_000;
const nowUs = Date.now() * 1000;

for (const version of postgresVersions) {
  describe(`retention in PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    const scope = suiteCleanup();
    let postgres: Postgres;
    before(async () => {
      postgres = await Postgres.start(scope, { version });
    });

    /** With a record at each of these ages. */
    async function withAges(t: Scope, days: readonly number[]): Promise<{ address: string; client: Connection }> {
      const { address, client, seal } = await sealedSite(t, postgres);
      await seal(days.map((age) => ({ key: 0, timeUs: nowUs - age * usADay, value: age, quality: 0xc0 })));
      return { address, client };
    }

    async function retention(t: Scope, address: string, days: number, clockUs = nowUs) {
      const connection = await connectTo(t, address);
      const connections = { use: <T>(work: (connection: Connection) => Promise<T>) => work(connection) };
      const failures: (string | undefined)[] = [];
      const options = { connections, clock: new ManualClock(clockUs), keepUs: days * usADay };
      return { failures, retention: new Retention({ ...options, onFailure: (failure) => failures.push(failure) }) };
    }

    const valuesOf = async (client: Connection) =>
      (await client.query<{ value: number }>('select value from telltale.records order by value')).rows.map(
        ({ value }) => value,
      );
    const hoursOf = async (client: Connection) =>
      (await client.query<{ sum: number }>('select sum from telltale.hourly order by sum')).rows.map(({ sum }) => sum);

    test('drops weeks that have expired as a whole, and keeps hours ten times as long', async (t) => {
      const { address, client } = await withAges(t, [1, 20, 29, 38, 100, 320]);
      const { retention: kept } = await retention(t, address, 30);
      const dropped = await kept.dropExpired();
      assert.deepEqual(await valuesOf(client), [1, 20, 29]);
      assert.deepEqual(await hoursOf(client), [1, 20, 29, 38, 100]);
      assert.match(dropped.join(' '), /^(chunk|hour)_w\d+( (chunk|hour)_w\d+){3}$/);
      assert.deepEqual(await kept.dropExpired(), []);
    });

    test('drops nothing by a clock that is ahead alone, and never what has no plausible time', async (t) => {
      const { address, client } = await withAges(t, [1, 15_000]);
      const { retention: ahead } = await retention(t, address, 30, nowUs + 1000 * usADay);
      assert.deepEqual(await ahead.dropExpired(), []);
      assert.deepEqual(await valuesOf(client), [1, 15_000]);
    });

    test('takes records of a week that was dropped again', async (t) => {
      const { address, client, seal } = await sealedSite(t, postgres);
      const old = (value: number) => ({ key: 0, timeUs: nowUs - 100 * usADay, value, quality: 0xc0 });
      await seal([old(1)]);
      const { retention: kept } = await retention(t, address, 30);
      assert.equal((await kept.dropExpired()).length, 1);
      await seal([old(2)]);
      assert.deepEqual(await valuesOf(client), [2]);
    });

    test('says when somebody reads what it is to drop, and waits no longer than others can', async (t) => {
      const { address } = await withAges(t, [1, 100]);
      const reader = await connectTo(t, address);
      await reader.query('begin');
      await reader.query('select from telltale.chunk');
      const { retention: kept, failures } = await retention(t, address, 30);
      kept.start();
      await kept.stop();
      assert.match(failures.join(), /somebody else locks the tables of the store/);
      await reader.query('commit');
      const { retention: again, failures: none } = await retention(t, address, 30);
      again.start();
      await again.stop();
      assert.deepEqual(none, [undefined]);
    });
  });
}
