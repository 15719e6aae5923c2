import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Etcd } from './etcd.ts';
import { Patroni, withoutPatroni } from './patroni.ts';
import { psql } from './postgres-roles.ts';

describe('Patroni', { skip: withoutPatroni }, () => {
  test('has another node lead when the one that led is killed, with what was acknowledged', async (t) => {
    const etcd = await Etcd.start(t, { members: 3 });
    const patroni = await Patroni.start(t, { etcd });
    await patroni.addRole('writer');
    const ask = (sql: string) => psql(patroni.url('writer'), sql);
    const first = await patroni.primary();
    await first.query('CREATE TABLE kept (n int); GRANT ALL ON kept TO writer');
    await ask('INSERT INTO kept VALUES (1)');
    const [killed] = await Promise.all([performance.now(), first.kill()]);
    const second = await patroni.primary();
    t.diagnostic(`another one took writes ${((performance.now() - killed) / 1000).toFixed(1)} s after the kill`);
    assert.notEqual(second.name, first.name);
    await ask('INSERT INTO kept VALUES (2)');
    assert.equal(await ask('SELECT count(*) FROM kept'), '2');
    await first.again();
    await patroni.whole();
    assert.equal(await first.query('SELECT pg_is_in_recovery()'), 't');
  });
});
