// Who may say and hear what on the bus: every subject and every role, with a certificate of the authority, a foreign one, and none.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { cleanupOf, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Authority, type Pair, withoutOpenssl } from '../../../../../test/engines/authority.ts';
import { Nats, type NatsServer, withoutNats } from '../../../../../test/engines/nats.ts';
import { NatsClient, type NatsClientOptions } from '../../../../../test/engines/nats-client.ts';
import { plantBench } from '../../../test/bus/plant-bench.ts';
import { connectBus, untilSaid } from '../../../test/bus-peers.ts';
import { HeldStore } from '../../../test/held-store.ts';
import { parcelBytes } from '../../../test/store-database.ts';
import {
  Archiver,
  BusStore,
  Forwarder,
  LivePublisher,
  LiveSite,
  OutcomeLog,
  SiteBeats,
  SiteExchanges,
  Sites,
} from '../index.ts';
import { natsAuthorization, natsConfiguration, rightsVersion } from './nats-configuration.ts';
import { type BusMember, type BusRole, commonNameOf } from './roles.ts';

const members: readonly BusMember[] = [
  { role: 'site', name: 'north' },
  { role: 'site', name: 'south' },
  { role: 'archiver', name: 'a' },
  { role: 'centre', name: 'c' },
  { role: 'reader', name: 'r' },
];

/** Every subject that is said, of two sites, and others that nobody may say. */
const said = [
  ...['north', 'south'].flatMap((site) => [
    `up.${site}.claim`,
    `up.${site}.newest-1`,
    `up.${site}.1-2`,
    `from.${site}.c1.1`,
    `live.${site}.beat`,
    `live.${site}.measurements`,
    `to.${site}.c1.1`,
    `ask.${site}.alarms`,
    `inbox.${site}.AB.1`,
  ]),
  ...[
    'up.north',
    'up.north.a.b',
    'live.north',
    'live.north.a.b',
    'to.north.c1',
    'from.north.c1',
    'inbox.north',
    'rights',
    `rights.${rightsVersion(members)}`,
    `rights.${rightsVersion(members.slice(1))}`,
    'other',
  ],
  ...['$SYS.REQ.SERVER.PING', '$SYS.REQ.USER.INFO', '$JS.API.INFO', '_INBOX.AB.1', 'inbox'],
];

const heard = [
  ...[
    '>',
    '*',
    '*.>',
    '*.north.>',
    'up.>',
    'up.*.*',
    'up.*.* others',
    'up.*.* archivers',
    'up.north.*',
    'up.north.* archivers',
  ],
  ...[
    'from.>',
    'from.*.*.*',
    'from.*.c1.*',
    'to.>',
    'to.*.*.*',
    'live.>',
    'live.*.*',
    'live.*.beat',
    'ask.>',
    'ask.*.*',
    'inbox.>',
    'rights.>',
    'rights.*',
    `rights.${rightsVersion(members)}`,
  ],
  ...['north', 'south'].flatMap((site) => [
    `from.${site}.*.*`,
    `to.${site}.*.*`,
    `to.${site}.>`,
    `live.${site}.*`,
    `live.${site}.beat`,
    `ask.${site}.*`,
    `inbox.${site}.>`,
    `inbox.${site}.AB.*`,
  ]),
  ...['$SYS.>', '_INBOX.>', 'other', '$JS.>'],
];

const beginning = (list: readonly string[], ...begins: string[]) =>
  list.filter((each) => begins.some((begin) => each.startsWith(begin)));
const named = (list: readonly string[], pattern: RegExp) => list.filter((each) => pattern.test(each));

/** Written here once more, by hand. */
const permitted: Record<string, { readonly said: readonly string[]; readonly heard: readonly string[] }> = {
  'site north': {
    said: named(said, /^(up\.north\.[^.]+|from\.north\.c1\.1|live\.north\.[^.]+)$/),
    heard: ['to.north.*.*', 'ask.north.*', 'inbox.north.>', 'inbox.north.AB.*'],
  },
  'site south': {
    said: named(said, /^(up\.south\.[^.]+|from\.south\.c1\.1|live\.south\.[^.]+)$/),
    heard: ['to.south.*.*', 'ask.south.*', 'inbox.south.>', 'inbox.south.AB.*'],
  },
  'archiver a': { said: ['inbox.north.AB.1', 'inbox.south.AB.1'], heard: named(heard, / archivers$/) },
  'centre c': {
    said: [...named(said, /^(to\.\w+\.c1\.1|ask\.\w+\.alarms|inbox\.\w+\.AB\.1)$/), `rights.${rightsVersion(members)}`],
    heard: [
      ...named(heard, / archivers$/),
      // Of all below one token: nobody may say more than that.
      ...named(heard, /^rights\./),
      ...named(heard, /^from\..+[*]$/),
      ...named(heard, /^live\..+(\*|beat)$/),
    ],
  },
  'reader r': { said: named(said, /^ask\.\w+\.alarms$/), heard: named(heard, /^live\..+(\*|beat)$/) },
};

describe('the roles of the bus', { skip: withoutNats || withoutOpenssl }, () => {
  const scope = suiteCleanup();
  const pairs = new Map<string, Pair>();
  let authority: Authority;
  let foreign: Authority;
  let nats: Nats;
  let server: NatsServer;

  before(async () => {
    authority = new Authority(scope);
    foreign = new Authority(scope, 'another');
    for (const member of members) pairs.set(`${member.role} ${member.name}`, authority.issue(commonNameOf(member)));
    nats = await Nats.start(scope, {
      authority,
      tls: 'verify_and_map: true',
      configuration: natsAuthorization(members),
    });
    [server] = nats.servers as [NatsServer];
  });

  const refused = (options: NatsClientOptions) => assert.rejects(NatsClient.connect(server.port, options));

  for (const [who, { said: maySay, heard: mayHear }] of Object.entries(permitted)) {
    test(`${who} says and hears what it may, and nothing else`, async () => {
      await using client = await NatsClient.connect(server.port, { authority, pair: pairs.get(who) as Pair });
      const isRefused = async (act: () => Promise<void>) => {
        const before = client.errors.length;
        await act();
        return client.errors.length > before;
      };
      const saidNow: string[] = [];
      for (const subject of said) if (!(await isRefused(() => client.publish(subject, 'x')))) saidNow.push(subject);
      const heardNow: string[] = [];
      for (const subject of heard)
        if (!(await isRefused(() => client.subscribe(subject, () => {})))) heardNow.push(subject);
      assert.deepEqual(saidNow.sort(), [...maySay].sort());
      assert.deepEqual(heardNow.sort(), [...mayHear].sort());
    });
  }

  test('every role is looked at, and every subject that a part of ours uses is among those looked at', () => {
    const roles: readonly BusRole[] = ['site', 'archiver', 'centre', 'reader'];
    assert.deepEqual([...new Set(Object.keys(permitted).map((who) => who.split(' ')[0]))].sort(), [...roles].sort());
    for (const { said: maySay, heard: mayHear } of Object.values(permitted)) {
      assert.ok(maySay.length > 0 && mayHear.length > 0);
      assert.deepEqual(beginning(maySay, '$', '_'), []);
    }
  });

  test('nobody comes in without a certificate, with a foreign one, or with one of nobody who is a member', async () => {
    await refused({ authority });
    for (const member of members) {
      const name = commonNameOf(member);
      // Whoever is not let in says and hears nothing of any subject.
      await refused({ authority, user: `CN=${name}`, password: '' });
      await refused({ authority, pair: foreign.issue(name) });
    }
    for (const name of ['site.west', 'north', 'nobody', 'site.north.x', 'SITE.NORTH'])
      await refused({ authority, pair: authority.issue(name) });
    await refused({ authority, pair: authority.issue('more', '/O=plant/CN=site.north') });
  });

  test('a site does all that it has to with its own certificate, a centre and an archiver with theirs', async (t) => {
    const connect = (who: string, name: string) => {
      const { cert: certificate, key } = pairs.get(who) as Pair;
      return connectBus(t, { url: server.url, name, files: { authority: authority.ca, certificate, key } });
    };
    const [site, archiving, centre] = [
      await connect('site north', 'north'),
      await connect('archiver a', 'a'),
      await connect('centre c', 'c'),
    ];
    const archiver = new Archiver({
      bus: archiving,
      store: new HeldStore(),
      onFault: (error) => assert.fail(String(error)),
    });
    archiver.start();
    await archiving.flushed();
    const store = new BusStore({ bus: site });
    assert.equal((await store.claim('north')).epoch, 1);
    assert.equal((await store.send('north', 1, 1, parcelBytes({ epoch: 1, seq: 1 }))).seq, 1);

    const clock = systemClock;
    const common = { bus: site, clock, site: 'north', run: 'run1' };
    const outcomes = await OutcomeLog.open(temporaryFolder(t));
    cleanupOf(t).defer(() => outcomes.close());
    const plant = plantBench();
    plant.measurements.put({ name: 'level', datatype: 'd' });
    const exchanges = new SiteExchanges({
      ...common,
      epoch: () => 1,
      outcomes,
      handle: ({ answer }) => answer({ status: 204, headers: {} }, true),
    });
    const publisher = new LivePublisher({ bus: site, clock, site: 'north', ...plant });
    const beats = new SiteBeats({ ...common, version: '1', facts: () => ({ name: 'North', epoch: 1, uplink: null }) });
    const sites = new Sites({ bus: centre, clock });
    const forwarder = new Forwarder({ bus: centre, clock, sites, centre: 'c1' });
    const mirror = new LiveSite({ bus: centre, clock, sites, site: 'north' });
    for (const part of [beats, sites, forwarder, mirror, publisher, exchanges]) {
      part.start();
      cleanupOf(t).defer(() => part.stop());
    }
    await until('the site is mirrored', () => mirror.state.isLive && mirror.measurements.find('level') >= 0);
    const { answer } = forwarder.forward(
      'north',
      { method: 'PUT', path: '/a', headers: {}, caller: {} },
      { isEnd: true },
    );
    assert.equal((await answer).status, 204);
    assert.deepEqual(
      [site.state.refused, archiving.state.refused, centre.state.refused],
      [undefined, undefined, undefined],
    );
  });

  test('whoever is taken out is cut off, and does not come back', async (t) => {
    const { cert: certificate, key } = pairs.get('site south') as Pair;
    const files = { authority: authority.ca, certificate, key };
    const bus = await connectBus(t, { url: server.url, name: 'south', files });
    await nats.configure(natsAuthorization(members.filter(({ name }) => name !== 'south')));
    await untilSaid(bus, /wrong credentials: .* does not let our certificate in/);
    await nats.configure(natsAuthorization([]));
    await refused({ authority, pair: pairs.get('site north') as Pair });
    await nats.configure(natsAuthorization(members));
  });

  test('a server takes the configuration that is made for it', (t) => {
    const folder = temporaryFolder(t);
    const [file, authorization] = [join(folder, 'nats.conf'), join(folder, 'members.conf')];
    const pair = authority.issue('server');
    const files = { authority: authority.ca, certificate: pair.cert, key: pair.key, pid: 'nats.pid' };
    writeFileSync(file, natsConfiguration({ listen: '127.0.0.1:4222', ...files, authorization: 'members.conf' }));
    const check = () => spawnSync('nats-server', ['-t', '-c', file], { encoding: 'utf8' });
    assert.notEqual(check().status, 0);
    writeFileSync(authorization, natsAuthorization(members));
    const { status, stderr } = check();
    assert.deepEqual([status, stderr.includes('is valid')], [0, true], stderr);
  });
});
