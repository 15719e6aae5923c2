// What the doctor finds of a PostgreSQL that is to be the store; and that nothing of it stays there.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { connectTo, freshDatabase } from '../../../test/store-database.ts';
import { examine } from './examine.ts';
import { install } from './install.ts';

describe('the doctor of a store', { skip: withoutPostgres() }, () => {
  const scope = suiteCleanup();
  let postgres: Postgres;
  before(async () => {
    postgres = await Postgres.start(scope, { settings: { fsync: 'on' } });
    await postgres.addRole('guest');
  });

  async function found(address: string): Promise<string[]> {
    const findings = await examine(address, systemClock);
    return findings.map(({ level, text }) => `${level}: ${text.replaceAll(/127\.0\.0\.1:\d+/g, 'HERE')}`);
  }

  async function tableCount(address: string): Promise<number | undefined> {
    const connection = await connectTo(scope, address);
    const sql = "select count(*) as found from pg_class where relnamespace = 'telltale'::regnamespace";
    const { rows } = await connection.query<{ found: number }>(sql).catch(() => ({ rows: [] }));
    return rows[0]?.found;
  }

  test('writes a record and reads it where there are no tables yet, and leaves none', async () => {
    const address = await freshDatabase(postgres);
    const [login = '', record, commit = '', ...more] = await found(address);
    assert.match(login, /^ok: HERE lets owner into store_\d+: PostgreSQL 15\.\d+.*, it writes, not encrypted\.$/);
    assert.match(record ?? '', /^ok: A record was written to HERE, read, and taken back\. store_\d+ has no tables yet/);
    assert.match(commit, /^ok: HERE commits, in \d+ ms\.$/);
    assert.deepEqual(more, []);
    assert.equal(await tableCount(address), undefined);
  });

  test('leaves tables that are there as they are', async () => {
    const address = await freshDatabase(postgres);
    const connection = await connectTo(scope, address);
    await install(connection);
    const before = await tableCount(address);
    assert.ok((await found(address)).includes('ok: A record was written to HERE, read, and taken back.'));
    assert.equal(await tableCount(address), before);
    for (const table of ['site', 'stream', 'parcel', 'series', 'stream_series']) {
      assert.equal((await connection.query(`select from telltale.${table}`)).count, 0, table);
    }
  });

  test('says which step fails, and how to see it without us', async () => {
    const address = new URL(await freshDatabase(postgres));
    const guest = address.href.replace(/\/\/.*@/, postgres.url('guest').match(/\/\/.*@/)?.[0] ?? '');
    const [login = '', rights = ''] = await found(guest);
    assert.match(login, /^ok: /);
    assert.match(rights, /^wrong: Guest lacks rights in the database store_\d+ .* CREATE on the database/i);
    const port = await freePort();
    const [{ level, text, fix } = { level: '', text: '', fix: '' }] = await examine(
      `postgresql://a@127.0.0.1:${port}/b`,
      systemClock,
    );
    assert.deepEqual([level, fix], ['wrong', `pg_isready -h 127.0.0.1 -p ${port}`]);
    assert.match(text, /^Nothing listens at 127\.0\.0\.1:\d+: start PostgreSQL there/);
    assert.match((await found('postgresql://a@no-such-host.invalid/b')).join(), /^wrong: .*(no address|looked up)/);
  });

  test('warns of a PostgreSQL that does not sync', async () => {
    await postgres.query('alter system set fsync = off');
    await postgres.query('select pg_reload_conf()');
    const address = await freshDatabase(postgres);
    assert.match((await found(address)).join(), /wrong: HERE does not sync what it commits/);
  });
});
