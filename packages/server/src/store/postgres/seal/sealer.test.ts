// What sealing promises beside the right records: full chunks, parcels that are passed over, several sealers at once.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope, suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Postgres } from '../../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../../test/engines/postgres-programs.ts';
import { recordsOfSql, seriesOfSite } from '../../../../test/sealed-records.ts';
import { type SentRecord, SentSite } from '../../../../test/sent-site.ts';
import { connectTo, freshDatabase } from '../../../../test/store-database.ts';
import { readAddress } from '../address.ts';
import type { Connection } from '../connection.ts';
import { Connections } from '../connections.ts';
import { PostgresStore } from '../postgres-store.ts';
import { Sealer, type SealerState } from './sealer.ts';

const beginUs = 1_760_000_000_000_000;

function record(second: number, key = 0): SentRecord {
  return { key, timeUs: beginUs + 1_000_000 * second, value: second / 4, quality: 0xc0 };
}

for (const version of postgresVersions) {
  describe(`sealing in PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    const scope = suiteCleanup();
    let postgres: Postgres;
    before(async () => {
      postgres = await Postgres.start(scope, { version });
    });

    async function begin(
      t: Scope,
    ): Promise<{ address: string; store: PostgresStore; site: SentSite; client: Connection }> {
      const address = await freshDatabase(postgres);
      const store = new PostgresStore({ address, clock: systemClock });
      cleanupOf(t).defer(() => store.close());
      const site = new SentSite('here');
      site.begin((await store.claim('here')).epoch);
      return { address, store, site, client: await connectTo(t, address) };
    }

    function sealerAt(t: Scope, address: string, onState: (state: SealerState) => void = () => {}): Sealer {
      const session = 'read-write' as const;
      const connections = new Connections({ address: readAddress(address), clock: systemClock, session, most: 1 });
      cleanupOf(t).defer(() => connections.close());
      return new Sealer({ connections, clock: systemClock, everyMs: 1, onState });
    }

    async function send(store: PostgresStore, site: SentSite, records: readonly SentRecord[]): Promise<void> {
      for (const { epoch, seq, bytes } of site.record(records, false)) await store.send(site.id, epoch, seq, bytes);
    }

    const chunks = 'select n from telltale.chunk order by first_us';

    test('brings series that come record by record into full chunks, and writes no record often', async (t) => {
      const { address, store, site, client } = await begin(t);
      const sealer = sealerAt(t, address);
      for (let second = 0; second < 1200; second += 4) {
        await send(
          store,
          site,
          [0, 1, 2, 3].map((more) => record(second + more)),
        );
        await sealer.sealAll();
      }
      const { rows } = await client.query<{ n: number }>(chunks);
      assert.equal(
        rows.reduce((sum, { n }) => sum + n, 0),
        1200,
      );
      assert.ok(rows.length <= 6, `${rows.map(({ n }) => n)}`);
    });

    test('puts what comes late into the chunks of its time', async (t) => {
      const { address, store, site, client } = await begin(t);
      const sealer = sealerAt(t, address);
      await send(
        store,
        site,
        Array.from({ length: 1000 }, (_, at) => record(2 * at)),
      );
      await sealer.sealAll();
      await send(
        store,
        site,
        Array.from({ length: 10 }, (_, at) => record(200 * at + 1)),
      );
      await sealer.sealAll();
      const { rows } = await client.query<{ n: number }>(chunks);
      assert.deepEqual(rows, [{ n: 1010 }]);
    });

    test('passes over a parcel that cannot be read, and keeps it', async (t) => {
      const { address, store, site, client } = await begin(t);
      const states: SealerState[] = [];
      const sealer = sealerAt(t, address, (state) => states.push(state));
      for (const second of [1, 2, 3]) await send(store, site, [record(second)]);
      await client.query('update telltale.parcel set bytes = substr(bytes, 1, 40) where seq = 2');
      await sealer.sealAll();
      const [series] = await seriesOfSite(client, 'here');
      assert.ok(series);
      assert.deepEqual(
        (await recordsOfSql(client, [series])).map(({ value }) => value),
        [0.25, 0.75],
      );
      const { rows } = await client.query('select seq, reason, octet_length(bytes) as bytes from telltale.damaged');
      assert.deepEqual(rows, [{ seq: 2, reason: 'a damaged parcel: its checksum is another', bytes: 40 }]);
      assert.equal(states.at(-1)?.damaged, 1);
    });

    test('has each record once when several do it at the same time', async (t) => {
      const { address, store, site, client } = await begin(t);
      const sealers = [1, 2, 3].map(() => sealerAt(t, address));
      for (const sealer of sealers) sealer.start();
      for (let second = 0; second < 300; second += 3)
        await send(store, site, [record(second), record(second + 1), record(second + 2)]);
      await Promise.all(sealers.map((sealer) => sealer.stop()));
      await sealerAt(t, address).sealAll();
      const series = await seriesOfSite(client, 'here');
      const records = await recordsOfSql(client, series);
      assert.deepEqual(
        records.map(({ value }) => value),
        Array.from({ length: 300 }, (_, second) => second / 4),
      );
    });
  });
}
