import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { connectTo } from '../../../test/store-database.ts';
import { install } from './install.ts';
import { schemaVersion } from './steps/index.ts';

const tablesOf = `select string_agg(relname, ' ' order by relname) as names from pg_class
  where relnamespace = 'telltale'::regnamespace and relkind in ('r', 'p')`;

for (const version of postgresVersions) {
  describe(`the tables in PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    test('are made once, whoever comes first', async (t) => {
      const postgres = await Postgres.start(t, { version });
      const clients = await Promise.all([1, 2, 3].map(() => connectTo(t, postgres.url())));
      await Promise.all(clients.map(install));
      const names = await postgres.query(tablesOf);
      for (const table of ['site', 'stream', 'parcel', 'series', 'erasure', 'chunk', 'hour', 'meta']) {
        assert.ok(names.split(' ').includes(table), table);
      }
      assert.equal(await postgres.query('select version from telltale.meta'), String(schemaVersion));
    });

    test('get a partition for each week that there are records of, which nobody waits for', async (t) => {
      const postgres = await Postgres.start(t, { version });
      const client = await connectTo(t, postgres.url());
      await install(client);
      const reader = await connectTo(t, postgres.url());
      await reader.query('begin');
      await reader.query('select from telltale.chunk');
      await client.query("set lock_timeout = '5s'");
      for (const week of [2900, 2901, 2900, -3, 9999]) await client.query('select telltale.add_week($1)', [week]);
      await reader.query('select from telltale.chunk');
      const insert = `insert into telltale.chunk (series, first_us, epoch, place, part, last_us, n, bad, not_good, step, unit, scale, flags)
        select 1, us, 1, 1, 1, us, 1, 0, 0, 0, 0, 0, 0 from unnest($1::bigint[]) us`;
      const us = (week: number) => week * 604_800_000_000;
      const edges = [7, us(2900), us(2901) - 1, us(2901), us(2902) - 1, us(9999)];
      await client.query(insert, [edges]);
      assert.equal(
        await postgres.query(
          'select tableoid::regclass, count(*) from telltale.chunk group by 1 order by min(first_us)',
        ),
        [
          'telltale.chunk_before\t1',
          'telltale.chunk_w2900\t2',
          'telltale.chunk_w2901\t2',
          'telltale.chunk_after\t1',
        ].join('\n'),
      );
      await assert.rejects(client.query(insert, [[us(2950)]]), /no partition/);
    });

    test('are refused where a newer server made them, and where texts would be lost', async (t) => {
      const postgres = await Postgres.start(t, { version });
      await postgres.query("create database latin encoding 'LATIN1' template template0 locale 'C'");
      const latin = await connectTo(t, postgres.url('owner', { database: 'latin' }));
      await assert.rejects(install(latin), /encoding LATIN1: make one/);
      const client = await connectTo(t, postgres.url());
      await install(client);
      await postgres.query('update telltale.meta set version = version + 1');
      await assert.rejects(install(client), /update the server/);
    });
  });
}
