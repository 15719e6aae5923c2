// Who may do what with every table, view, sequence and function of a store.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { cleanupOf, suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Authority, type Pair, withoutOpenssl } from '../../../../../test/engines/authority.ts';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { sealerAt } from '../../../test/sealed-site.ts';
import { SentSite } from '../../../test/sent-site.ts';
import { connectTo, freshDatabase } from '../../../test/store-database.ts';
import { checkInstalled } from './install.ts';
import { PostgresStore } from './postgres-store.ts';

/** By object, what an archiver may do and what a reader may; nobody else may do anything. */
const rights: Record<string, readonly [archiver: string, reader: string]> = {
  'schema telltale': ['usage', 'usage'],
  'table chunk': ['select insert delete', 'select'],
  'table damaged': ['select insert', 'select'],
  'table erasure': ['select insert', 'select'],
  'table hour': ['select insert update delete', 'select'],
  'table meta': ['select', 'select'],
  'table parcel': ['select insert delete', 'select'],
  'table sealed': ['select insert update', 'select'],
  'table series': ['select insert update(name)', 'select'],
  'table site': ['select insert update(name)', 'select'],
  'table stream': ['select insert update', 'select'],
  'table stream_series': ['select insert', 'select'],
  'table chunk_before': ['', ''],
  'table chunk_after': ['', ''],
  'table hour_before': ['', ''],
  'table hour_after': ['', ''],
  'table chunk_w2910': ['', ''],
  'table hour_w2910': ['', ''],
  'view alarms': ['select', 'select'],
  'view hourly': ['select', 'select'],
  'view records': ['select', 'select'],
  'view unpacked': ['select', 'select'],
  'view unpacked_alarms': ['select', 'select'],
  'sequence series_id_seq': ['usage', ''],
  'function add_week(bigint)': ['execute', ''],
  'function drop_week(timestamp with time zone,timestamp with time zone)': ['execute', ''],
  'function grant_archiver(name)': ['', ''],
  'function grant_reader(name)': ['', ''],
};
/** They compute and read as whoever calls them: of no use without the schema. */
const forAll = ['us_of', 'week_of', 'records', 'alarms'];

const ofTables = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'];
const everyRight = `
  with relation as (
    select oid, relname, relkind, case when relkind in ('r', 'p') then 'table' when relkind = 'v' then 'view' else 'sequence' end as kind
    from pg_class where relnamespace = 'telltale'::regnamespace and relkind in ('r', 'p', 'v', 'S', 'm', 'f')
  )
  select kind || ' ' || relname as object, concat_ws(' ', (
      select string_agg(lower(p), ' ' order by at) from unnest($3::text[])
        with ordinality as t (p, at) where kind <> 'sequence' and has_table_privilege($1, oid, p)
    ), (
      select string_agg('update(' || attname || ')', ' ' order by attnum) from pg_attribute where attrelid = oid and attnum > 0 and kind <> 'sequence'
        and has_column_privilege($1, oid, attnum, 'UPDATE') and not has_table_privilege($1, oid, 'UPDATE')
    ), (
      select string_agg(lower(p), ' ') from unnest(array['USAGE', 'SELECT', 'UPDATE']) p where kind = 'sequence' and has_sequence_privilege($1, oid, p)
    )) as rights
  from relation
  union all select 'schema telltale', concat_ws(' ', case when has_schema_privilege($1, 'telltale', 'USAGE') then 'usage' end,
    case when has_schema_privilege($1, 'telltale', 'CREATE') then 'create' end)
  union all select 'function ' || proname || '(' || replace(oidvectortypes(proargtypes), ', ', ',') || ')',
    case when has_function_privilege($1, oid, 'EXECUTE') then 'execute' else '' end
  from pg_proc where pronamespace = 'telltale'::regnamespace and proname <> all($2)`;

for (const version of postgresVersions) {
  describe(`roles in PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    const scope = suiteCleanup();
    let postgres: Postgres;
    before(async () => {
      postgres = await Postgres.start(scope, { version });
      for (const role of ['archiver', 'reader', 'stranger']) await postgres.addRole(role);
    });

    test('may do with each object what is theirs, and nothing else; nobody else may do anything', async (t) => {
      const owner = await connectTo(t, await installed());
      await owner.query('select telltale.add_week(2910)');
      for (const [at, role] of ['archiver', 'reader', 'stranger'].entries()) {
        const { rows } = await owner.query<{ object: string; rights: string }>(everyRight, [
          role,
          forAll,
          version === '15' ? ofTables : [...ofTables, 'MAINTAIN'],
        ]);
        const expected = Object.entries(rights).map(([object, all]) => [object, all[at] ?? '']);
        assert.deepEqual(
          Object.fromEntries(rows.map((row) => [row.object, row.rights])),
          Object.fromEntries(expected),
          role,
        );
      }
    });

    /** With the roles. */
    async function installed(): Promise<string> {
      const address = await freshDatabase(postgres);
      const store = new PostgresStore({ address, clock: systemClock });
      await store.claim('any');
      store.close();
      const database = new URL(address).pathname.slice(1);
      for (const role of ['archiver', 'reader']) {
        await postgres.query(`select telltale.grant_${role}('${role}')`, { database });
      }
      return address;
    }

    test('are let in with the certificate of their own alone, where the server wants one: no other comes to any object', {
      skip: withoutOpenssl,
    }, async (t) => {
      const [authority, foreign] = [new Authority(t), new Authority(t, 'another')];
      const access = ['hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-full'];
      const secure = await Postgres.start(t, { version, authority, access });
      for (const role of ['archiver', 'reader', 'stranger']) {
        await secure.addRole(role);
        // The password is the right one.
        const url = secure.url(role);
        const showing = ({ cert, key }: Pair) => `${url}&sslcert=${cert}&sslkey=${key}`;
        const own = await connectTo(t, showing(authority.issue(role)));
        assert.equal((await own.query<{ who: string }>('select current_user as who')).rows[0]?.who, role);
        const wrong = {
          none: url,
          foreign: showing(foreign.issue(role)),
          other: showing(authority.issue(`not_${role}`)),
        };
        for (const [what, address] of Object.entries(wrong)) {
          await assert.rejects(connectTo(t, address), { name: 'StoreError' }, `${role}: ${what}`);
        }
      }
    });

    test('suffice: an archiver takes, seals and drops, a reader reads', async (t) => {
      const address = await installed();
      const database = new URL(address).pathname.slice(1);
      const as = (role: string) => postgres.url(role, { database });
      const store = new PostgresStore({ address: as('archiver'), clock: systemClock });
      cleanupOf(t).defer(() => store.close());
      const site = new SentSite('here');
      for (let round = 0; round < 2; round++) {
        site.begin((await store.claim('here')).epoch);
        await store.nameSite('here', 'north');
        const all = [0, 1, 2, 3].map((key) => ({
          key,
          timeUs: 1_760_000_000_000_000,
          value: key === 3 ? 1n : key,
          quality: 0x1c0,
        }));
        for (const { epoch, seq, bytes } of [...site.record(all, false), ...site.erase(2, 0, 2 ** 52)]) {
          await store.send('here', epoch, seq, bytes);
          await sealerAt(t, as('archiver')).sealAll();
        }
        site.rename();
      }
      const reader = await connectTo(t, as('reader'));
      await checkInstalled(reader);
      const { rows } = await reader.query(
        "select site, name from telltale.records('level', '2025-10-01Z', '2026-01-01Z')",
      );
      assert.deepEqual(rows, [{ site: 'north', name: 'level' }]);
      await assert.rejects(reader.query('delete from telltale.parcel'), { trouble: 'rights' });
      await assert.rejects(reader.query('select telltale.drop_week(now(), now())'), { trouble: 'rights' });
      const archiver = await connectTo(t, as('archiver'));
      assert.equal(
        (await archiver.query("select telltale.drop_week('2100-01-01Z', '2000-01-01Z') as week")).rows[0]?.week,
        'chunk_w2910',
      );
      await assert.rejects(archiver.query('drop table telltale.chunk'), { trouble: 'rights' });
      const stranger = await connectTo(t, as('stranger'));
      await assert.rejects(stranger.query('select from telltale.records'), { trouble: 'rights' });
    });
  });
}
