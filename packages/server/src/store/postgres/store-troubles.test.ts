// What may be wrong with a PostgreSQL: each is said in words that say what to do, and over when it is put right.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { FaultProxy, freePort, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Authority, withoutOpenssl } from '../../../../../test/engines/authority.ts';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { smallFileSystem } from '../../../../../test/full-disk.ts';
import { freshDatabase, parcelBytes } from '../../../test/store-database.ts';
import type { StoreError, StoreTrouble } from '../store-error.ts';
import { PostgresStore } from './postgres-store.ts';

function storeAt(scope: Scope, address: string, limitMs?: number): PostgresStore {
  const store = new PostgresStore({ address, clock: systemClock, ...(limitMs === undefined ? {} : { limitMs }) });
  cleanupOf(scope).defer(() => store.close());
  return store;
}

/** What it says, which never has a password in it. */
async function troubleOf(done: Promise<unknown>, address: string): Promise<readonly [StoreTrouble, string]> {
  let failure = undefined as StoreError | undefined;
  await done.catch((error) => {
    failure = error;
  });
  assert.ok(failure?.name === 'StoreError', `${failure}`);
  const { password } = new URL(address.replace(/,[^/]*/, ''));
  assert.ok(password === '' || !failure.message.includes(password), failure.message);
  return [failure.trouble, failure.message];
}

async function expectTrouble(done: Promise<unknown>, address: string, trouble: StoreTrouble, words: RegExp) {
  const [found, message] = await troubleOf(done, address);
  assert.equal(found, trouble, message);
  assert.match(message, words);
}

describe('the store', { skip: withoutPostgres() }, () => {
  const scope = suiteCleanup();
  let postgres: Postgres;
  before(async () => {
    postgres = await Postgres.start(scope, { settings: { max_connections: '8', superuser_reserved_connections: '1' } });
    await postgres.addRole('site');
  });
  const site = () => postgres.url('site');

  const wrong: [string, () => string | Promise<string>, StoreTrouble, RegExp][] = [
    [
      'nobody listens',
      async () => `postgresql://a:b@127.0.0.1:${await freePort()}/c`,
      'unreachable',
      /nothing listens at/,
    ],
    ['no host has the name', () => 'postgresql://a:b@no-such-host.invalid/c', 'unreachable', /no address|looked up/],
    ['the password is wrong', () => site().replace(/:[^:@]*@/, ':nope@'), 'credentials', /password of site/],
    ['there is no password', () => site().replace(/:[^:@]*@/, '@'), 'credentials', /password of site/],
    ['nobody knows the user', () => site().replace('//site', '//nobody'), 'credentials', /nobody/],
    ['there is no such database', () => site().replace('/postgres', '/plant'), 'database', /CREATE DATABASE/],
    [
      'the user may not make tables',
      site,
      'rights',
      /grant_archiver\('site'\) there as the owner of the tables, or grant it CREATE/,
    ],
    ['it does not speak TLS', () => `${site()}?sslmode=require`, 'tls', /turn ssl on/],
    [
      'the file with the authority is missing',
      () => `${site()}?sslmode=verify-full&sslrootcert=/none`,
      'tls',
      /sslrootcert/,
    ],
  ];
  for (const [what, address, trouble, words] of wrong) {
    test(`says so where ${what}`, async (t) => {
      const to = await address();
      await expectTrouble(storeAt(t, to).claim('here'), to, trouble, words);
    });
  }

  test('finds the password in a file', async (t) => {
    const url = new URL(site());
    const file = join(temporaryFolder(t), 'pgpass');
    writeFileSync(file, `127.0.0.1:*:*:site:${url.password}\n`, { mode: 0o600 });
    const to = `postgresql://site@${url.host}/postgres?passfile=${file}`;
    // It got in: nothing else than the rights is missing.
    await expectTrouble(storeAt(t, to).claim('here'), to, 'rights', /./);
  });

  test('trusts no certificate but one of the authority that it is given', { skip: withoutOpenssl }, async (t) => {
    const secure = await Postgres.start(t, { authority: new Authority(t) });
    const stranger = new Authority(t, 'stranger');
    const right = secure.url();
    assert.equal((await storeAt(t, right).claim('here')).epoch, 1);
    const foreign = right.replace(/sslrootcert=[^&]*/, `sslrootcert=${stranger.ca}`);
    await expectTrouble(storeAt(t, foreign).claim('here'), foreign, 'tls', /sslrootcert/);
    const unknown = right.replace(/&sslrootcert=[^&]*/, '');
    await expectTrouble(storeAt(t, unknown).claim('here'), unknown, 'tls', /sslrootcert/);
    const plain = right.replace('verify-full', 'disable');
    await expectTrouble(storeAt(t, plain).claim('here'), plain, 'credentials', /no encryption/);
    assert.equal((await storeAt(t, right.replace(/\?.*/, '')).claim('here')).epoch, 2, 'TLS where nothing is said');
  });

  test('says so where it has no connection left, and goes on when it has', async (t) => {
    const to = await freshDatabase(postgres);
    const others = Array.from({ length: 12 }, () => storeAt(t, to));
    const asked = await Promise.allSettled(others.map((store) => store.claim('here')));
    const refused = asked.findIndex(({ status }) => status === 'rejected');
    assert.ok(refused >= 0);
    const store = others[refused] as PostgresStore;
    await expectTrouble(store.claim('here'), to, 'busy', /max_connections/);
    for (const other of others) if (other !== store) other.close();
    await goesOn(store);
  });

  test('is noticed when it is silent in the middle of a connection, and used again when it is not', async (t) => {
    const to = new URL(await freshDatabase(postgres));
    const proxy = await FaultProxy.start({ host: '127.0.0.1', port: postgres.port });
    cleanupOf(t).use(proxy);
    to.port = String(proxy.port);
    const store = storeAt(t, to.href, 1000);
    await store.claim('here');
    proxy.setFaults({ toClient: { kind: 'discard' } });
    await expectTrouble(store.claim('here'), to.href, 'silent', /has not answered for 1 s/);
    await expectTrouble(store.claim('here'), to.href, 'silent', /has not answered for 1 s/);
    proxy.setFaults({});
    await goesOn(store);
  });

  test('is used again after it was killed, and after its connections were', async (t) => {
    const own = await Postgres.start(t);
    const store = storeAt(t, own.url());
    await store.claim('here');
    await own.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'telltale'");
    await goesOn(store);
    await own.kill();
    await expectTrouble(store.claim('here'), own.url(), 'unreachable', /nothing listens|ended the connection/);
    await own.again();
    await goesOn(store);
  });

  test('is found where it leads, whichever host that is', { timeout: 120_000 }, async (t) => {
    const first = await Postgres.start(t);
    const second = await first.addStandby({ isSynchronous: true });
    const both = first.url('owner', { ports: [second.port, first.port] });
    const store = storeAt(t, both, 5000);
    await store.claim('here');
    assert.equal((await store.send('here', 1, 1, parcelBytes({ epoch: 1, seq: 1 }))).seq, 1);
    const standby = second.url();
    await expectTrouble(storeAt(t, standby).claim('here'), standby, 'read-only', /the one that leads/);
    await first.kill();
    await expectTrouble(store.newest('here', 1), both, 'unreachable', /./);
    await second.promote();
    await goesOn(store);
    assert.equal((await store.send('here', 1, 2, parcelBytes({ epoch: 1, seq: 2 }))).seq, 2);
  });

  test('says so where its disk is full, and goes on when there is room', { timeout: 120_000 }, async (t) => {
    const disk = smallFileSystem(t, 200);
    if (typeof disk === 'string') return t.skip(disk);
    const own = await Postgres.start(t, { folder: disk.folder, settings: { wal_recycle: 'off' } });
    const store = storeAt(t, own.url());
    await store.claim('here');
    let seq = 0;
    const send = async () => {
      const position = Buffer.alloc(60_000, `${seq} `).toString();
      const parcel = parcelBytes({ epoch: 1, seq: seq + 1, position });
      seq = (await store.send('here', 1, seq + 1, parcel)).seq;
    };
    await send();
    disk.fill();
    const said: string[] = [];
    for (let tries = 0; tries < 1000 && said.length === 0; tries++) {
      await send().catch((error: StoreError) => said.push(error.trouble, error.message));
    }
    // Where there is no room for its log, it ends.
    assert.match(said.join(': '), /^(?:full|unreachable): /);
    disk.free();
    await own.stop();
    await own.again();
    await goesOn(store);
    const newest = await store.newest('here', 1);
    assert.ok(newest !== undefined && newest.seq >= seq);
  });
});

async function goesOn(store: PostgresStore): Promise<void> {
  await until('the store takes something', () =>
    store.newest('here', 1).then(
      () => true,
      () => false,
    ),
  );
}
