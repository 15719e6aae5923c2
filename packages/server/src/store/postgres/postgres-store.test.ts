// What the store on PostgreSQL promises to a site: it takes each parcel once, in order, of the newest epoch alone, and has it then.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope, suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { freshDatabase, parcelBytes } from '../../../test/store-database.ts';
import type { Series } from '../../archive/index.ts';
import { PostgresStore } from './postgres-store.ts';

function storeAt(scope: Scope, address: string): PostgresStore {
  const store = new PostgresStore({ address, clock: systemClock });
  cleanupOf(scope).defer(() => store.close());
  return store;
}

const level: Series = { number: 0, kind: 'measurements', name: 'level', datatype: 'd' };
const height: Series = { number: 1, kind: 'measurements', name: 'height', datatype: 'd' };

for (const version of postgresVersions) {
  describe(`the store on PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    const scope = suiteCleanup();
    let postgres: Postgres;
    before(async () => {
      postgres = await Postgres.start(scope, { version });
    });
    const fresh = () => freshDatabase(postgres);
    const ask = (address: string, sql: string) => postgres.query(sql, { database: new URL(address).pathname.slice(1) });

    test('takes the parcel that comes next, once, and says which is the newest otherwise', async (t) => {
      const address = await fresh();
      const store = storeAt(t, address);
      assert.equal(await store.newest('here', 1), undefined);
      assert.deepEqual(await store.claim('here'), { epoch: 1, isKnown: false });
      const send = (seq: number) => store.send('here', 1, seq, parcelBytes({ epoch: 1, seq }));
      const first = { seq: 1, position: 'at 1.1' };
      assert.deepEqual(await send(1), first);
      assert.deepEqual(await send(1), { ...first, isOver: false });
      assert.deepEqual(await send(3), { ...first, isOver: false });
      assert.deepEqual(await send(2), { seq: 2, position: 'at 1.2' });
      assert.deepEqual(await storeAt(t, address).newest('here', 1), { seq: 2, position: 'at 1.2', isOver: false });
      assert.equal(await ask(address, 'select string_agg(seq::text, $$ $$ order by seq) from telltale.parcel'), '1 2');
    });

    test('takes nothing of an epoch that is over, and claims a higher one each time', async (t) => {
      const store = storeAt(t, await fresh());
      await store.claim('here');
      await store.send('here', 1, 1, parcelBytes({ epoch: 1, seq: 1 }));
      assert.deepEqual(await store.claim('here'), { epoch: 2, isKnown: true });
      assert.deepEqual(await store.newest('here', 1), { seq: 1, position: 'at 1.1', isOver: true });
      const send = (epoch: number, seq: number) => store.send('here', epoch, seq, parcelBytes({ epoch, seq }));
      await assert.rejects(send(1, 2), { name: 'StoreError', trouble: 'epoch' });
      assert.deepEqual(await send(2, 1), { seq: 1, position: 'at 2.1' });
      assert.deepEqual(await store.claim('elsewhere'), { epoch: 1, isKnown: false });
    });

    test('has epochs that a lease gave side by side, an earlier one as well, and one for one node alone', async (t) => {
      const store = storeAt(t, await fresh());
      const send = (epoch: number, seq: number) => store.send('here', epoch, seq, parcelBytes({ epoch, seq }));
      await assert.rejects(send(700, 1), { trouble: 'epoch' });
      assert.deepEqual(await store.claim('here', 900), { epoch: 900, isKnown: false });
      assert.deepEqual(await store.claim('here', 900), { epoch: 900, isKnown: false }, 'an answer was lost');
      assert.equal((await send(900, 1)).seq, 1);
      assert.deepEqual(await store.claim('here', 700), { epoch: 700, isKnown: true });
      for (const [epoch, seq] of [
        [700, 1],
        [900, 2],
        [700, 2],
      ] as const)
        assert.equal((await send(epoch, seq)).seq, seq);
      assert.deepEqual(await store.claim('here', 700), { epoch: 901, isKnown: true });
      assert.deepEqual(await store.claim('here'), { epoch: 902, isKnown: true });
      for (const epoch of [700, 900, 901]) await assert.rejects(send(epoch, 3), { trouble: 'epoch' });
      assert.deepEqual(await store.claim('here', 901), { epoch: 903, isKnown: true });
    });

    test('gives a series one id, whichever nodes of a site declare it at the same time', async (t) => {
      const address = await fresh();
      const stores = [1, 2, 3].map(() => storeAt(t, address));
      for (const [at, store] of stores.entries()) await store.claim('here', 10 + at);
      const series = Array.from({ length: 50 }, (_, number): Series => ({ ...level, number, name: `p${number}` }));
      await Promise.all(
        stores.map((store, at) => store.send('here', 10 + at, 1, parcelBytes({ epoch: 10 + at, seq: 1, series }))),
      );
      assert.equal(await ask(address, 'select count(*) from telltale.series'), '50');
    });

    test('has one order of claims and parcels, whoever sends at the same time', async (t) => {
      const address = await fresh();
      const stores = [1, 2, 3].map(() => storeAt(t, address));
      await Promise.all(
        stores.map(async (store) => {
          for (let round = 0; round < 15; round++) {
            const { epoch } = await store.claim('here');
            for (let seq = 1; seq < 4; seq++) {
              const sent = await store.send('here', epoch, seq, parcelBytes({ epoch, seq })).catch(() => undefined);
              if (sent === undefined) break;
              assert.equal(sent.seq, seq);
            }
          }
        }),
      );
      const late = `select count(*) from telltale.parcel p join telltale.stream s using (site, epoch) where p.received > s.ended`;
      assert.equal(await ask(address, late), '0');
      assert.equal(await ask(address, 'select count(*), max(epoch) from telltale.stream'), '45\t45');
      const ends =
        'select count(*) from telltale.stream where seq <> (select count(*) from telltale.parcel p where p.epoch = stream.epoch)';
      assert.equal(await ask(address, ends), '0');
    });

    test('keeps a series the same when it gets another name, and in the next epoch', async (t) => {
      const address = await fresh();
      const store = storeAt(t, address);
      const send = (epoch: number, seq: number, series: readonly Series[]) =>
        store.send('here', epoch, seq, parcelBytes({ epoch, seq, series }));
      const series = () => ask(address, 'select id, name, datatype from telltale.series order by id');
      await store.claim('here');
      await send(1, 1, [level, height]);
      assert.equal(await series(), '1\tlevel\td\n2\theight\td');
      await send(1, 2, [
        { ...level, name: 'height' },
        { ...height, name: 'level' },
      ]);
      assert.equal(await series(), '1\theight\td\n2\tlevel\td');
      await store.claim('here');
      await send(2, 1, [
        { ...level, number: 7 },
        { ...level, number: 8, datatype: 'i' },
        { ...height, number: 9 },
      ]);
      assert.equal(await series(), '1\theight\td\n2\tlevel\td\n3\tlevel\ti');
      const numbers = 'select number, series from telltale.stream_series where epoch = 2 order by number';
      assert.equal(await ask(address, numbers), '7\t2\n8\t3\n9\t1');
    });

    test('is told the numbers that the site has: what it stored, lost, and still has to send', async (t) => {
      const address = await fresh();
      const store = storeAt(t, address);
      await store.claim('here');
      const counters = {
        stored: 2 ** 52,
        dropped: 2,
        discarded: 3,
        discardedSinceUs: 4,
        discardedUntilUs: 5,
        backlog: 6,
        oldestUnsentUs: 7,
      };
      await store.send('here', 1, 1, parcelBytes({ epoch: 1, seq: 1, madeUs: 8, counters }));
      const columns =
        'stored, dropped, discarded, discarded_since_us, discarded_until_us, backlog, oldest_unsent_us, made_us';
      assert.equal(await ask(address, `select ${columns} from telltale.stream`), `${2 ** 52}\t2\t3\t4\t5\t6\t7\t8`);
    });

    test('refuses what is no parcel, and one that came under the name of another site', async (t) => {
      const store = storeAt(t, await fresh());
      await store.claim('here');
      const parcel = parcelBytes({ epoch: 1, seq: 1 });
      await assert.rejects(store.send('elsewhere', 1, 1, parcel), { trouble: 'refused' });
      parcel[parcel.length - 1] = (parcel.at(-1) as number) ^ 1;
      await assert.rejects(store.send('here', 1, 1, parcel), { trouble: 'refused', message: /checksum/ });
    });

    test('refuses a parcel of a newer version in words; the one before is there, and a later one in its place is taken', async (t) => {
      const store = storeAt(t, await fresh());
      await store.claim('here');
      await store.send('here', 1, 1, parcelBytes({ epoch: 1, seq: 1 }));
      const newer = parcelBytes({ epoch: 1, seq: 2 });
      newer[4] = 2; // where the version is
      const message = /a parcel of version 2, which this server does not know: update it first/;
      await assert.rejects(store.send('here', 1, 2, newer), { trouble: 'refused', message });
      assert.equal((await store.newest('here', 1))?.seq, 1);
      assert.equal((await store.send('here', 1, 2, parcelBytes({ epoch: 1, seq: 2 }))).seq, 2);
    });

    test('has every parcel that it has answered, whenever PostgreSQL is killed', { timeout: 120_000 }, async (t) => {
      const own = await Postgres.start(t, { version });
      const store = storeAt(t, own.url());
      await store.claim('here');
      let seq = 0;
      for (let round = 0; round < 5; round++) {
        const killed = new Promise((resolve) => setTimeout(resolve, 40 + 50 * round)).then(() => own.kill());
        for (;;) {
          const sent = await store
            .send('here', 1, seq + 1, parcelBytes({ epoch: 1, seq: seq + 1 }))
            .catch(() => undefined);
          if (sent === undefined) break;
          assert.ok(sent.seq >= seq + 1, `${sent.seq} after ${seq}`);
          seq = sent.seq;
        }
        await killed;
        await own.again();
        const newest = await store.newest('here', 1);
        assert.ok(newest !== undefined && newest.seq >= seq && newest.seq <= seq + 1, `${newest?.seq} after ${seq}`);
        seq = newest.seq;
        assert.equal(await own.query('select count(*), max(seq) from telltale.parcel'), `${seq}\t${seq}`);
      }
      assert.ok(seq > 20, `${seq} parcels`);
    });
  });
}
