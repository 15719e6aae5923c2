// What a site is promised of the store over the bus: what the store says, from any archiver, and why it is not reached otherwise.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { Nats, withoutNats } from '../../../../../test/engines/nats.ts';
import { connectBus, untilDown } from '../../../test/bus-peers.ts';
import { HeldStore } from '../../../test/held-store.ts';
import { parcelBytes } from '../../../test/store-database.ts';
import type { Series } from '../../archive/index.ts';
import { liveSection } from '../../archive/parcel/index.ts';
import type { BusConnection } from '../connection/bus-connection.ts';
import { uplink, uplinkRequest } from '../subjects.ts';
import { Archiver, type ArchiverLimits } from './archiver.ts';
import { BusStore } from './bus-store.ts';

interface Archives {
  readonly archiver: Archiver;
  readonly bus: BusConnection;
  readonly faults: unknown[];
}

async function archiverAt(scope: Scope, url: string, store: HeldStore, limits?: ArchiverLimits): Promise<Archives> {
  const bus = await connectBus(scope, { url, name: 'archiver' });
  const faults: unknown[] = [];
  const onFault = (error: unknown) => faults.push(error);
  const archiver = new Archiver({ bus, store, onFault, ...(limits && { limits }) });
  archiver.start();
  await bus.flushed();
  cleanupOf(scope).defer(() => archiver.stop());
  cleanupOf(scope).defer(() => store.release());
  return { archiver, bus, faults };
}

async function siteAt(scope: Scope, url: string, name = 'here', answerMs?: number): Promise<BusStore> {
  const bus = await connectBus(scope, { url, name });
  return new BusStore({ bus, ...(answerMs !== undefined && { answerMs }) });
}

const parcel = (epoch: number, seq: number) => parcelBytes({ epoch, seq });

/** In front of what is packed. */
const frameBytes = 16;

/** Its front and its checksum are good. */
function withRubbish(bytes: Uint8Array): Buffer {
  const body = Buffer.concat([zstdDecompressSync(bytes.subarray(frameBytes)), Buffer.alloc(1)]);
  const packed = zstdCompressSync(body);
  const frame = Buffer.from(bytes.subarray(0, frameBytes));
  frame.writeUInt32LE(body.length, 8);
  frame.writeUInt32LE(crc32(packed), 12);
  return Buffer.concat([frame, packed]);
}

function parcelOf(count: number): Buffer {
  const columns = {
    series: new Uint32Array(count).fill(1),
    times: Float64Array.from({ length: count }, (_, at) => 1000 * at),
    numbers: new Float64Array(count),
    qualities: new Uint16Array(count).fill(0xc0),
  };
  const section = liveSection({ from: 0, to: count, ...columns, texts: [], isErased: undefined });
  const series: Series = { number: 1, kind: 'measurements', name: 'level', datatype: 'd' };
  return parcelBytes({ epoch: 1, seq: 1, series: [series], sections: [section] });
}

test('only what is a subject of a site asks for anything', () => {
  const site = fc.stringMatching(/^[0-9A-Za-z_-]{1,64}$/);
  const count = fc.maxSafeNat();
  fc.assert(
    fc.property(site, count, count, (of, epoch, seq) => {
      assert.deepEqual(uplinkRequest(uplink.parcel(of, epoch, seq)), { kind: 'parcel', site: of, epoch, seq });
      assert.deepEqual(uplinkRequest(uplink.newest(of, epoch)), { kind: 'newest', site: of, epoch });
      assert.deepEqual(uplinkRequest(uplink.claim(of)), { kind: 'claim', site: of });
    }),
  );
  const wrong = [
    'up.a',
    'up.a.b',
    'up.a.1-',
    'up.a.-1',
    'up.a.1-2-3',
    'up.a.1-99999999999999999',
    'up.a.claim.b',
    'up..claim',
  ];
  for (const subject of wrong) assert.equal(uplinkRequest(subject), undefined, subject);
  for (const id of ['', 'a.b', '*', '>', 'a b', 'ä', 'x'.repeat(65)]) assert.throws(() => uplink.claim(id), RangeError);
});

describe('the store over the bus', { skip: withoutNats }, () => {
  test('answers what the store has committed, and whatever else it says', async (t) => {
    const nats = await Nats.start(t);
    const [url = ''] = nats.urls;
    const store = new HeldStore();
    const { archiver } = await archiverAt(t, url, store);
    const site = await siteAt(t, url);
    assert.equal(await site.newest('here', 1), undefined);
    assert.deepEqual(await site.claim('here'), { epoch: 1, isKnown: false });
    assert.deepEqual(await site.newest('here', 1), { seq: 0, position: '' });
    const sent = await site.send('here', 1, 1, parcel(1, 1));
    assert.equal(sent.position, 'at 1.1');
    assert.equal((await site.send('here', 1, 3, parcel(1, 3))).seq, 1);
    assert.equal((await site.newest('here', 1))?.seq, 1);
    store.fails = 'full';
    await assert.rejects(site.send('here', 1, 2, parcel(1, 2)), {
      name: 'StoreError',
      trouble: 'full',
      message: /no room/,
    });
    assert.deepEqual([archiver.counts.parcels, archiver.counts.failed], [2, 1]);
  });

  test('says why it is not reached', async (t) => {
    const user = '{ user: me, password: p, permissions: { publish: ["up.here.*", "inbox.>"], subscribe: ">" } }';
    const nats = await Nats.start(t, { configuration: `authorization { users: [${user}] }` });
    const url = (nats.urls[0] ?? '').replace('//', '//me:p@');
    const bus = await connectBus(t, { url, name: 'here' });
    const site = new BusStore({ bus, answerMs: 100 });
    await assert.rejects(site.claim('here'), { trouble: 'unreachable', message: /no archiver is on the bus/ });
    await assert.rejects(site.claim('other'), { trouble: 'rights' });
    const large = new Uint8Array(bus.mostBytes + 1);
    await assert.rejects(site.send('here', 1, 1, large), { trouble: 'refused', message: /larger max_payload/ });
    const stop = bus.subscribe(uplink.all, () => {});
    await assert.rejects(site.claim('here'), { trouble: 'silent' });
    await stop();
    bus.subscribe(uplink.all, ({ respond }) => respond('{"result":{"seq":"1"}}'));
    await assert.rejects(site.newest('here', 1), { trouble: 'version' });
    await nats.servers[0]?.kill();
    await untilDown(bus);
    await assert.rejects(site.claim('here'), { trouble: 'unreachable', message: /not connected to the bus/ });
  });

  test('wants no larger parcels than the bus takes, nor than many sites can send at once', async (t) => {
    const nats = await Nats.start(t, { configuration: 'max_payload: 8MB' });
    const site = await siteAt(t, nats.urls[0] ?? '');
    assert.equal(site.mostBytes, 2 ** 17);
    const unknown = new BusStore({ bus: { mostBytes: 0, request: () => assert.fail() } });
    assert.equal(unknown.mostBytes, 2 ** 17);
    const small = new BusStore({ bus: { mostBytes: 1000, request: () => assert.fail() } });
    assert.equal(small.mostBytes, 1000);
  });
});

describe('an archiver', { skip: withoutNats }, () => {
  test('answers what it has taken when it is stopped, and another gets the rest', async (t) => {
    const nats = await Nats.start(t);
    const [url = ''] = nats.urls;
    const stores = [new HeldStore(), new HeldStore()] as const;
    const [one, other] = [await archiverAt(t, url, stores[0]), await archiverAt(t, url, stores[1])];
    const sites = await Promise.all(Array.from({ length: 20 }, (_, at) => siteAt(t, url, `s${at}`)));
    stores[0].hold();
    stores[1].hold();
    const claims = sites.map((site, at) => site.claim(`s${at}`));
    const held = () => one.archiver.counts.underWay + other.archiver.counts.underWay;
    await until('all are taken', () => held() === sites.length);
    assert.ok(one.archiver.counts.underWay > 0 && other.archiver.counts.underWay > 0);
    let hasStopped = false;
    const stopped = one.archiver.stop().then(() => {
      hasStopped = true;
    });
    await one.bus.flushed();
    const later = sites.map((site, at) => site.newest(`s${at}`, 1));
    await until('the other has the rest', () => held() === 2 * sites.length);
    assert.equal(hasStopped, false);
    stores[0].release();
    stores[1].release();
    await stopped;
    for (const { epoch } of await Promise.all(claims)) assert.equal(epoch, 1);
    await Promise.all(later);
    assert.equal(one.archiver.counts.underWay, 0);
  });

  test('refuses at once what is too much: in all, and of one site', async (t) => {
    const nats = await Nats.start(t);
    const [url = ''] = nats.urls;
    const store = new HeldStore();
    const limits = { requests: 4, bytes: 1000, requestsOfSite: 2 };
    const { archiver } = await archiverAt(t, url, store, limits);
    const [site, other] = [await siteAt(t, url), await siteAt(t, url, 'other')];
    const busy = { trouble: 'busy', message: /too much to do/ };
    store.hold();
    const held = [site.claim('here'), site.claim('here')];
    await assert.rejects(site.claim('here'), busy);
    held.push(other.claim('other'));
    await until('three are held', () => archiver.counts.underWay === 3);
    await assert.rejects(other.send('other', 1, 1, new Uint8Array(1001)), busy);
    const fourth = other.send('other', 1, 1, parcel(1, 1));
    await until('four are held', () => archiver.counts.underWay === 4);
    const third = await siteAt(t, url, 'third');
    await assert.rejects(third.claim('third'), busy);
    store.release();
    await Promise.all([...held, fourth]);
    await third.claim('third');
    assert.deepEqual([archiver.counts.busy, archiver.counts.underWay], [3, 0]);
  });

  test('answers nowhere but in the place of the site that asks, and to nobody who asks for something else', async (t) => {
    const nats = await Nats.start(t);
    const [url = ''] = nats.urls;
    const store = new HeldStore();
    await archiverAt(t, url, store);
    const foreign = await connectBus(t, { url, name: 'foreign' });
    const heard: string[] = [];
    foreign.subscribe('>', ({ subject }) => heard.push(subject));
    await foreign.flushed();
    // Its inbox is another one's.
    const site = new BusStore({ bus: foreign, answerMs: 100 });
    await assert.rejects(site.claim('here'), { trouble: 'silent' });
    await assert.rejects(foreign.request('up.foreign.nothing', '', 100), { failure: 'no-answer' });
    assert.equal(store.claims, 0);
    assert.deepEqual(await site.claim('foreign'), { epoch: 1, isKnown: false });
    assert.ok(
      heard.every((subject) => subject.startsWith('up.') || subject.startsWith('inbox.foreign.')),
      `${heard}`,
    );
  });

  test('lets nothing into the store that cannot be read there, nor few bytes that are very many records', async (t) => {
    const nats = await Nats.start(t);
    const [url = ''] = nats.urls;
    const store = new HeldStore();
    const { faults } = await archiverAt(t, url, store);
    const site = await siteAt(t, url);
    await site.claim('here');
    const refused = (bytes: Uint8Array, message: RegExp) =>
      assert.rejects(site.send('here', 1, 1, bytes), { trouble: 'refused', message });
    await refused(new Uint8Array(100), /not a parcel/);
    await refused(withRubbish(parcel(1, 1)), /not a parcel: 1 bytes behind its end/);
    await refused(parcelOf(2 ** 18 + 1), /it has 1 more records than are taken/);
    assert.deepEqual([store.of('here').parcels, faults], [0, []]);
    assert.equal((await site.send('here', 1, 1, parcelOf(2 ** 17))).seq, 1);
  });

  test('says that it has failed where it has, and goes on', async (t) => {
    const nats = await Nats.start(t);
    const [url = ''] = nats.urls;
    const store = new HeldStore();
    const { faults } = await archiverAt(t, url, store);
    const site = await siteAt(t, url);
    store.fails = 'by mistake';
    await assert.rejects(site.claim('here'), { trouble: 'refused', message: /its log says why/ });
    assert.match(String(faults[0]), /by mistake/);
    store.fails = undefined;
    await site.claim('here');
  });
});
