// What sealing promises beside the right records: full chunks, parcels that are passed over, several sealers at once.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Postgres } from '../../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../../test/engines/postgres-programs.ts';
import { recordsOfSql, seriesOfSite } from '../../../../test/sealed-records.ts';
import { sealedSite, sealerAt, sealingAt } from '../../../../test/sealed-site.ts';
import { type SentParcel, type SentRecord, SentSite } from '../../../../test/sent-site.ts';
import { connectTo } from '../../../../test/store-database.ts';
import { SealSession, sealSite } from './seal-site.ts';
import type { SealerState } from './sealer.ts';

const beginUs = 1_760_000_000_000_000;

function recordsFrom(second: number, count: number, apart = 1): SentRecord[] {
  return Array.from({ length: count }, (_, at) => {
    const own = second + apart * at;
    return { key: 0, timeUs: beginUs + 1_000_000 * own, value: own / 4, quality: 0xc0 };
  });
}

for (const version of postgresVersions) {
  describe(`sealing in PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    const scope = suiteCleanup();
    let postgres: Postgres;
    before(async () => {
      postgres = await Postgres.start(scope, { version });
    });

    const chunks = 'select n from telltale.chunk order by first_us';

    test('brings series that come record by record into full chunks, and writes no record often', async (t) => {
      const { client, seal } = await sealedSite(t, postgres);
      for (let second = 0; second < 1200; second += 4) await seal(recordsFrom(second, 4));
      const { rows } = await client.query<{ n: number }>(chunks);
      const all = rows.reduce((sum, { n }) => sum + n, 0);
      assert.equal(all, 1200);
      assert.ok(rows.length <= 6, `${rows.map(({ n }) => n)}`);
    });

    test('puts what comes late into the chunks of its time', async (t) => {
      const { client, seal } = await sealedSite(t, postgres);
      await seal(recordsFrom(0, 1000, 2));
      await seal(recordsFrom(1, 10, 200));
      const { rows } = await client.query<{ n: number }>(chunks);
      assert.deepEqual(rows, [{ n: 1010 }]);
    });

    test('leaves alone what another node sends in its earlier epoch meanwhile', async (t) => {
      const { address, client, store } = await sealedSite(t, postgres);
      const [one, other] = [new SentSite('here'), new SentSite('here')];
      for (const [site, epoch] of [
        [one, 20],
        [other, 10],
      ] as const)
        site.begin((await store.claim('here', epoch)).epoch);
      const send = async (parcels: readonly SentParcel[]) => {
        for (const { epoch, seq, bytes } of parcels) await store.send('here', epoch, seq, bytes);
      };
      await send(one.record(recordsFrom(10, 1), false));
      await client.query("insert into telltale.sealed values ('here', 0, 0, 0, 0)");
      const sealer = await connectTo(t, address);
      const query = sealer.query.bind(sealer);
      sealer.query = async (sql, ...values) => {
        const isRemoval = typeof sql === 'string' && sql.startsWith('delete from telltale.parcel');
        if (isRemoval) await send(other.record(recordsFrom(1, 1), false));
        return query(sql, ...values);
      };
      const limits = { bytes: 2 ** 22, unpackedBytes: 2 ** 27, records: 1000 };
      await sealSite(new SealSession(sealer), 'here', limits);
      sealer.query = query;
      assert.deepEqual((await client.query('select epoch, seq from telltale.parcel')).rows, [{ epoch: 10, seq: 1 }]);
      await sealSite(new SealSession(sealer), 'here', limits);
      const values = (await recordsOfSql(client, await seriesOfSite(client, 'here'))).map(({ value }) => value);
      assert.deepEqual(values, [0.25, 2.5]);
      assert.deepEqual((await client.query('select epoch, seq from telltale.sealed')).rows, [{ epoch: 20, seq: 1 }]);
    });

    test('passes over a parcel that cannot be read, and keeps it', async (t) => {
      const { address, client, send, site } = await sealedSite(t, postgres);
      const states: SealerState[] = [];
      for (const second of [1, 2, 3]) await send(site.record(recordsFrom(second, 1), false));
      await client.query('update telltale.parcel set bytes = substr(bytes, 1, 40) where seq = 2');
      await sealerAt(t, address, (state) => states.push(state)).sealAll();
      const values = (await recordsOfSql(client, await seriesOfSite(client, 'here'))).map(({ value }) => value);
      assert.deepEqual(values, [0.25, 0.75]);
      const { rows } = await client.query('select seq, reason, octet_length(bytes) as bytes from telltale.damaged');
      assert.deepEqual(rows, [{ seq: 2, reason: 'a damaged parcel: its checksum is another', bytes: 40 }]);
      assert.equal(states.at(-1)?.damaged, 1);
    });

    test('does less in one go after it took too long, and more again', async (t) => {
      const { address, client, send, site } = await sealedSite(t, postgres);
      const parcels = Array.from({ length: 16 }, (_, second) => site.record(recordsFrom(second, 1), false)).flat();
      await send(parcels);
      const counts = new Set<number>();
      const { sealer } = sealingAt(t, address, {
        limitMs: 2000,
        limits: { bytes: 2 ** 20, unpackedBytes: 2 ** 20, records: 8 },
        onState: (state) => counts.add(state.parcels),
      });
      await client.query('begin');
      await client.query('lock table telltale.chunk');
      await assert.rejects(sealer.sealAll(), /took too long|somebody else locks/);
      await client.query('rollback');
      await sealer.sealAll();
      assert.deepEqual([...counts], [0, 2, 6, 14, 16]);
    });

    test('has no more in memory than it may, however small parcels are packed', async (t) => {
      const { address, client, send, site } = await sealedSite(t, postgres);
      const key = 5;
      for (const second of [1, 2, 3, 4]) {
        const [{ timeUs }] = recordsFrom(second, 1) as [SentRecord];
        await send(site.record([{ key, timeUs, value: 'x'.repeat(100_000 * second), quality: 0xc0 }], false));
      }
      const counts = new Set<number>();
      const limits = { bytes: 2 ** 20, unpackedBytes: 350_000, records: 1000 };
      await sealingAt(t, address, { limits, onState: ({ parcels }) => counts.add(parcels) }).sealer.sealAll();
      assert.deepEqual([...counts], [2, 3, 4]);
      const { rows } = await client.query('select length(text) as length from telltale.records order by time');
      assert.deepEqual(
        rows,
        [100_000, 200_000, 300_000, 400_000].map((length) => ({ length })),
      );
    });

    test('has each record once when several do it at the same time', async (t) => {
      const { address, client, send, site } = await sealedSite(t, postgres);
      const sealers = [1, 2, 3].map(() => sealerAt(t, address));
      for (const sealer of sealers) sealer.start();
      for (let second = 0; second < 300; second += 3) await send(site.record(recordsFrom(second, 3), false));
      await Promise.all(sealers.map((sealer) => sealer.stop()));
      await sealerAt(t, address).sealAll();
      const records = await recordsOfSql(client, await seriesOfSite(client, 'here'));
      assert.deepEqual(
        records.map(({ value }) => value),
        recordsFrom(0, 300).map(({ value }) => value),
      );
    });
  });
}
