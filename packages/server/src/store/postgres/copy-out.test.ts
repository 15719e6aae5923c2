// Several COPY in one text, and what ends them before they are done.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { connectTo } from '../../../test/store-database.ts';

describe('COPY out of PostgreSQL', { skip: withoutPostgres() }, () => {
  const scope = suiteCleanup();
  let postgres: Postgres;
  before(async () => {
    postgres = await Postgres.start(scope);
  });
  const running = () =>
    postgres.query(
      "select count(*) from pg_stat_activity where query like '%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()",
    );

  test('gives what each of several statements copies, in order, however much that is', async (t) => {
    const connection = await connectTo(t, postgres.url());
    const copied = await connection.copyOut(
      `begin; copy (select 'a') to stdout; copy (select repeat('b', 100000) from generate_series(1, 30)) to stdout;
       select 1; copy (select where false) to stdout; copy (select 'c') to stdout; commit`,
    );
    assert.deepEqual(copied.map(String), ['a\n', `${'b'.repeat(100_000)}\n`.repeat(30), '', 'c\n']);
  });

  test('is refused as a whole where one of the statements fails, and the connection goes on', async (t) => {
    const connection = await connectTo(t, postgres.url());
    const text = 'copy (select 1) to stdout; copy (select 1 / (n - 3000) from generate_series(1, 4000) n) to stdout';
    await assert.rejects(connection.copyOut(text), { name: 'StoreError', message: /division by zero/ });
    assert.deepEqual((await connection.copyOut('copy (select 2) to stdout')).map(String), ['2\n']);
  });

  test('ends on the server when it is given up, and nothing that comes next does', async (t) => {
    const connection = await connectTo(t, postgres.url());
    const reason = new Error('given up');
    for (let round = 0; round < 5; round++) {
      const stop = new AbortController();
      const copying = connection.copyOut('copy (select pg_sleep(3600)) to stdout', stop.signal);
      await until('it runs', async () => (await running()) === '1');
      stop.abort(reason);
      await assert.rejects(copying, reason);
      assert.equal(await running(), '0');
      assert.deepEqual((await connection.copyOut('copy (select pg_sleep(0.02), 3) to stdout')).map(String), ['\t3\n']);
    }
    const stopped = AbortSignal.abort(reason);
    await assert.rejects(connection.copyOut('copy (select 1) to stdout', stopped), reason);
  });
});
