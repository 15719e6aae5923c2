// The archives of sites as the service reads them from the store, by a thread; and what may be wrong with the store meanwhile.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { sectionOf } from '../../../test/any-parcels.ts';
import { connectTo, freshDatabase, parcelBytes } from '../../../test/store-database.ts';
import { storeParts } from '../../../test/store-parts.ts';
import type { ArchiveReading, ReadRequest, Series } from '../../archive/index.ts';
import type { PostgresStore } from '../postgres/postgres-store.ts';
import { StoreArchive, type StoreArchiveOptions } from './store-archive.ts';

const level: Series = { number: 0, kind: 'measurements', name: 'level', datatype: 'd' };
const wish: Series = { number: 1, kind: 'commands', name: 'level', datatype: 'i' };
const leak: Series = { number: 2, kind: 'alarms', name: 'leak', datatype: 's' };
const levelText: Series = { number: 3, kind: 'measurements', name: 'level', datatype: 's' };

/** Three of each series, a second apart. */
async function fill(store: PostgresStore, site: string, first: number): Promise<void> {
  const { epoch } = await store.claim(site);
  const records = [0, 1, 2].flatMap((at) => {
    const timeUs = 1_000_000 * (first + at);
    return [
      { series: 0, timeUs, value: first + at, quality: 0xc0 },
      { series: 1, timeUs, value: at, quality: 0 },
      { series: 2, timeUs, value: `ACT_UNACK 0 in ${site}`, quality: 0 },
    ];
  });
  const parcel = { site, epoch, seq: 1, series: [level, wish, leak, levelText], sections: [sectionOf(9, records)] };
  await store.send(site, epoch, 1, parcelBytes(parcel));
}

function archiveAt(scope: Scope, address: string, more: Partial<StoreArchiveOptions> = {}): StoreArchive {
  const archive = new StoreArchive({ address, clock: systemClock, onFailure: (error) => assert.fail(error), ...more });
  cleanupOf(scope).defer(() => archive.close());
  return archive;
}

function requestOf(names: readonly string[], more: Partial<ReadRequest> = {}): ReadRequest {
  return { kind: 'measurements', names, known: [], sinceUs: 0, untilUs: 2 ** 53 - 1, form: 'json', ...more };
}

async function read(archive: ArchiveReading, request: ReadRequest, signal?: AbortSignal): Promise<string> {
  const pages: Buffer[] = [];
  for await (const page of await archive.read(request, { signal })) pages.push(Buffer.from(page));
  return String(Buffer.concat(pages));
}

describe('the archives of sites in a store', { skip: withoutPostgres() }, () => {
  const scope = suiteCleanup();
  let postgres: Postgres;
  let address: string;
  let archive: StoreArchive;
  before(async () => {
    postgres = await Postgres.start(scope);
    address = await freshDatabase(postgres);
    const { store } = storeParts(scope, address);
    await fill(store, 'north', 10);
    await fill(store, 'south', 11);
    archive = archiveAt(scope, address);
  });
  const ask = (sql: string) => postgres.query(sql, { database: new URL(address).pathname.slice(1) });

  test('are each by itself: their names, and the records of one', async () => {
    const [north, nowhere] = [archive.of('north'), archive.of('nowhere')];
    assert.deepEqual(await north.names('measurements'), ['level']);
    assert.deepEqual(await nowhere.names('measurements'), []);
    assert.deepEqual(
      await Promise.all(
        (['measurements', 'commands', 'alarms'] as const).map((kind) => north.datatypeOf(kind, 'level')),
      ),
      ['s', 'i', undefined],
    );
    assert.deepEqual([await north.has('alarms', 'leak'), await north.has('alarms', 'lake\0')], [true, false]);
    const wanted = '"level":[["d10",[10,0],192],["d11",[11,0],192],["d12",[12,0],192]]';
    assert.equal(await read(north, requestOf(['none', 'level', 'a\0b', '\ud800'])), `{${wanted}}`);
    assert.equal(await read(nowhere, requestOf(['level'])), '{}');
    assert.equal(await read(archive.of("x' or '' = '\\"), requestOf(["') or true --", 'level'])), '{}');
  });

  test('are read together, where each name has its site in front', async () => {
    const all = archive.of(undefined);
    assert.deepEqual(await all.names('commands'), ['north/level', 'south/level']);
    assert.equal(await all.datatypeOf('commands', 'south/level'), 'i');
    const request = requestOf(['south/level', 'level', 'north/level'], { limit: 1 });
    assert.equal(await read(all, request), '{"south/level":[["d11",[11,0],192]],"north/level":[["d10",[10,0],192]]}');
    const newest = requestOf(['north/leak', 'south/leak'], { kind: 'alarms', transitions: { limit: 3 } });
    const { transitions } = JSON.parse(await read(all, newest)) as { transitions: { name: string; t: number[] }[] };
    assert.deepEqual(
      transitions.map(({ name, t }) => `${name} ${t[0]}`),
      ['south/leak 13', 'north/leak 12', 'south/leak 12'],
    );
  });

  test('are read by many at once, each with an answer of its own', async () => {
    const asked = Array.from({ length: 60 }, async (_, at) => {
      const [site, first] = at % 2 === 0 ? ['north', 10] : ['south', 11];
      const text = await read(archive.of(site as string), requestOf(['level'], { sinceUs: 1_000_000 * 11, limit: 1 }));
      assert.equal(text, `{"level":[["d11",[11,0],192]]}`, `${first}`);
    });
    await Promise.all(asked);
    assert.equal(archive.queries.underWay, 0);
  });

  test('a query that is given up ends in the store, and others go on', async (t) => {
    const holder = await connectTo(t, address);
    const waiting = () => ask("select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
    await holder.query('begin');
    await holder.query('lock table telltale.chunk');
    const stop = new AbortController();
    const reading = read(archive.of('north'), requestOf(['level']), stop.signal);
    await until('it waits', async () => (await waiting()) === '1');
    stop.abort();
    await assert.rejects(reading, { problem: 'malformed-request' });
    await until('it waits no more', async () => (await waiting()) === '0');
    await holder.query('rollback');
    assert.match(await read(archive.of('north'), requestOf(['level'])), /d12/);
  });

  const troubles: [string, string, RegExp][] = [
    ['nobody listens', 'postgresql://a:b@127.0.0.1:1/c', /^Nothing listens at 127.0.0.1:1: start PostgreSQL there/],
    ['the password is wrong', '', /^The store at .* refuses the password of owner/],
    ['there are no tables', 'postgres', /^The tables of the store at .* are not there/],
  ];
  for (const [what, where, words] of troubles) {
    test(`say so where ${what}, of every question`, async (t) => {
      const wrong = address.replace(/:[^:@]*@/, ':wrong@');
      const to = where === '' ? wrong : where === 'postgres' ? postgres.url() : where;
      const site = archiveAt(t, to).of('north');
      const problem = { problem: 'store-unavailable', message: words };
      await assert.rejects(read(site, requestOf(['level'])), problem);
      await assert.rejects(site.names('alarms'), problem);
      await assert.rejects(site.has('alarms', 'leak'), problem);
    });
  }

  test('say so where the store takes too long, or is silent, and are read again when it is not', async (t) => {
    const proxy = await FaultProxy.start({ host: '127.0.0.1', port: postgres.port });
    cleanupOf(t).use(proxy);
    const to = new URL(address);
    to.port = String(proxy.port);
    const site = archiveAt(t, to.href, { limitMs: 1000 }).of('north');
    const holder = await connectTo(t, address);
    await holder.query('begin');
    await holder.query('lock table telltale.chunk');
    await assert.rejects(read(site, requestOf(['level'])), { message: /^Somebody else locks the tables|too long/ });
    await holder.query('rollback');
    assert.match(await read(site, requestOf(['level'])), /d12/);
    proxy.setFaults({ toClient: { kind: 'discard' } });
    await assert.rejects(read(site, requestOf(['level'])), { message: /has not answered for 1 s/ });
    proxy.setFaults({});
    assert.match(await read(site, requestOf(['level'])), /d12/);
  });

  test('are read through a standby, and after the store was killed', { timeout: 120_000 }, async (t) => {
    const first = await Postgres.start(t);
    const { store } = storeParts(t, first.url());
    await fill(store, 'north', 10);
    const second = await first.addStandby({ isSynchronous: true });
    const to = first.url('owner', { ports: [first.port, second.port] }).replace('=read-write', '=prefer-standby');
    const site = archiveAt(t, to).of('north');
    assert.match(await read(site, requestOf(['level'])), /d12/);
    const on = await second.query("select count(*) > 0 from pg_stat_activity where application_name = 'telltale'");
    assert.equal(on, 't', 'on the standby');
    await second.kill();
    assert.match(await read(site, requestOf(['level'])), /d12/);
    await first.kill();
    await assert.rejects(read(site, requestOf(['level'])), { problem: 'store-unavailable' });
    await second.again();
    assert.match(await read(site, requestOf(['level'])), /d12/);
  });
});
