import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '@telltale/stack-kit/testing';
import { smallFileSystem } from '../full-disk.ts';
import { Authority, withoutOpenssl } from './authority.ts';
import { Postgres } from './postgres.ts';
import { postgresVersions, withoutPostgres } from './postgres-programs.ts';

for (const version of postgresVersions) {
  describe(`PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    test('is that version and syncs, and knows its roles by passwords that nobody else has', async (t) => {
      const postgres = await Postgres.start(t, { version });
      assert.match(await postgres.query('SHOW server_version'), new RegExp(`^${version}\\.`));
      assert.equal(await postgres.query('SHOW fsync'), 'on');
      await postgres.addRole('reader');
      assert.equal(await postgres.query('SELECT current_user', { role: 'reader' }), 'reader');
      assert.match(
        await postgres.query("SELECT rolpassword FROM pg_authid WHERE rolname = 'reader'"),
        /^SCRAM-SHA-256/,
      );
      await postgres.query("ALTER ROLE reader PASSWORD 'another'");
      await assert.rejects(postgres.query('SELECT 1', { role: 'reader' }), /password authentication failed/);
    });

    test('speaks TLS alone where it has an authority', { skip: withoutOpenssl }, async (t) => {
      const authority = new Authority(t);
      const postgres = await Postgres.start(t, { version, authority });
      await postgres.addRole('reader');
      const sql = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
      assert.equal(await postgres.query(sql, { role: 'reader' }), 't');
      const plain = new Authority(t, 'another');
      const { PATH } = process.env;
      const psql = (url: string) => promisify(execFile)('psql', ['-c', sql, url], { env: { PATH } });
      await assert.rejects(psql(postgres.url('reader').replace('verify-full', 'disable')), /no encryption/);
      await assert.rejects(psql(postgres.url('reader').replace(authority.ca, plain.ca)), /certificate verify failed/);
      const standby = await postgres.addStandby({ isSynchronous: true });
      assert.equal(await standby.query('SELECT pg_is_in_recovery()'), 't');
    });

    test('commits when a synchronous standby has it, which leads when it is promoted', async (t) => {
      const primary = await Postgres.start(t, { version });
      const first = await primary.addStandby({ isSynchronous: true });
      const second = await primary.addStandby({ isSynchronous: true });
      await primary.query('CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
      await Promise.all([first.kill(), second.kill()]);
      const commit = primary.query('INSERT INTO kept VALUES (2)');
      const waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
      await until('the commit waits', async () => (await primary.query(waits)) === '1');
      await first.again();
      await commit;
      await primary.kill();
      await first.promote();
      assert.equal(
        await first.query('INSERT INTO kept VALUES (3); SELECT string_agg(n::text, $$ $$) FROM kept'),
        '1 2 3',
      );
    });

    test('refuses what a full disk has no room for, and goes on when there is some', async (t) => {
      const disk = smallFileSystem(t, 200);
      if (typeof disk === 'string') return t.skip(disk);
      const postgres = await Postgres.start(t, { version, folder: disk.folder });
      await postgres.query('CREATE TABLE kept (t text); INSERT INTO kept VALUES ($$before$$)');
      disk.fill();
      const much = 'INSERT INTO kept SELECT repeat(md5(n::text), 100) FROM generate_series(1, 30000) n';
      await assert.rejects(postgres.query(much));
      disk.free();
      await postgres.stop();
      await postgres.again();
      assert.equal(await postgres.query('SELECT t FROM kept'), 'before');
    });
  });
}
