// What the doctor finds of a bus; and that nobody on it hears anything that counts.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { Authority, type Pair, withoutOpenssl } from '../../../../test/engines/authority.ts';
import { Nats, withoutNats } from '../../../../test/engines/nats.ts';
import { connectBus } from '../../test/bus-peers.ts';
import { HeldStore } from '../../test/held-store.ts';
import { parseBusAddress } from './connection/bus-address.ts';
import type { BusFiles } from './connection/bus-files.ts';
import { type ExamineBus, examineBus } from './examine.ts';
import { natsAuthorization } from './roles/nats-configuration.ts';
import { type BusMember, commonNameOf } from './roles/roles.ts';
import { SiteBeats } from './sites/site-beats.ts';
import { Archiver } from './uplink/archiver.ts';

const members: readonly BusMember[] = [
  { role: 'site', name: 'north' },
  { role: 'centre', name: 'c' },
];

async function found(url: string, asked: Partial<ExamineBus> = {}): Promise<string[]> {
  const findings = await examineBus({
    address: parseBusAddress(url),
    files: {},
    role: 'site',
    id: 'north',
    clock: systemClock,
    ...asked,
  });
  for (const { level, fix } of findings) assert.equal(fix === null, level === 'ok');
  return findings.map(({ level, text }) => `${level}: ${text.replaceAll(/127\.0\.0\.1:\d+/g, 'HERE')}`);
}

async function secured(t: TestContext) {
  const authority = new Authority(t);
  const nats = await Nats.start(t, {
    authority,
    tls: 'verify_and_map: true',
    configuration: natsAuthorization(members),
  });
  const filesOf = ({ cert: certificate, key }: Pair): BusFiles => ({ authority: authority.ca, certificate, key });
  const pairs = members.map((member) => filesOf(authority.issue(commonNameOf(member))));
  return { authority, url: nats.urls[0] ?? '', filesOf, pairs: pairs as [site: BusFiles, centre: BusFiles] };
}

describe('the doctor of a bus', { skip: withoutNats || withoutOpenssl }, () => {
  test('says what a site may do there, and whether somebody takes what it archives', async (t) => {
    const { url, pairs } = await secured(t);
    const [files, ofCentre] = pairs;
    const [login, written, nobody, ...more] = await found(url, { files });
    assert.match(login ?? '', /^ok: HERE lets us in: NATS server 2\.\d+\.\d+, over TLS; it answers in \d+ ms\.$/);
    assert.equal(written, 'ok: A message was written to HERE below each subject of north, and the answer read.');
    assert.match(nobody ?? '', /^note: Nobody on the bus takes what this site archives/);
    assert.deepEqual(more, []);
    const bus = await connectBus(t, { url, name: 'c', files: ofCentre });
    const heard: string[] = [];
    for (const subject of ['live.*.*', 'from.*.*.*']) bus.subscribe(subject, (message) => heard.push(message.subject));
    const store = new HeldStore();
    const archiver = new Archiver({ bus, store, onFault: (error) => assert.fail(String(error)) });
    archiver.start();
    await bus.flushed();
    const all = await found(url, { files });
    assert.equal(all.at(-1), 'ok: A centre is there, and takes what this site archives.');
    assert.deepEqual(
      heard.filter((subject) => !subject.includes('doctor-nobody')),
      [],
    );
    const [, other] = await found(url, { files, id: 'south' });
    assert.match(
      other ?? '',
      /^wrong: HERE does not let this server hear inbox\.south\.>.*say live\.south\.\*.*no member with the id south\.$/,
    );
  });

  test('says what a centre may do there, and how many sites are heard', async (t) => {
    const { url, pairs } = await secured(t);
    const [ofSite, files] = pairs;
    const asked = { files, role: 'centre', id: 'c' } as const;
    assert.match(
      (await found(url, asked)).slice(1).join(),
      /^ok: HERE lets this server say and hear .*note: No site is heard/,
    );
    const bus = await connectBus(t, { url, name: 'north', files: ofSite });
    const facts = () => ({ name: 'North', epoch: 1, uplink: null });
    const beats = new SiteBeats({ bus, clock: systemClock, site: 'north', run: 'r', version: '1', facts });
    beats.start();
    cleanupOf(t).defer(() => beats.stop());
    assert.equal((await found(url, asked)).at(-1), 'ok: 1 site is heard there.');
    const [, refused] = await found(url, { ...asked, files: ofSite });
    assert.match(refused ?? '', /^wrong: HERE does not let this server hear live\.\*\.\*.*it is no centre there\.$/);
  });

  test('says why it is not let in: no certificate, a foreign one, one of nobody, or servers that are not trusted', async (t) => {
    const { authority, url, filesOf } = await secured(t);
    const foreign = new Authority(t, 'another');
    const only = async (files: BusFiles, at = url) => {
      const all = await found(at, { files });
      assert.equal(all.length, 1, all.join('\n'));
      return all[0] ?? '';
    };
    assert.match(await only({ authority: authority.ca }), /^wrong: HERE wants a certificate of ours/);
    const strange = foreign.issue(commonNameOf(members[0] as BusMember));
    assert.match(await only({ ...filesOf(strange) }), /^wrong: HERE does not take our certificate/);
    assert.match(
      await only(filesOf(authority.issue('site.revoked'))),
      /^wrong: Wrong credentials: HERE does not let our certificate in/,
    );
    assert.match(await only({ authority: foreign.ca }), /^wrong: The certificate of HERE is not trusted/);
    assert.match(await only({}, url.replace('tls', 'nats')), /^wrong: HERE speaks TLS: write tls/);
    assert.match(
      await only({}, `nats://127.0.0.1:${await freePort()}`),
      /^wrong: Cannot reach HERE: nobody listens there\.$/,
    );
    assert.match(
      (await found('nats://no.such.invalid')).at(-1) ?? '',
      /^wrong: Cannot reach no\.such\.invalid:4222: .*name/,
    );
  });

  test('says that a bus without rights lets everybody speak for everybody', async (t) => {
    const nats = await Nats.start(t);
    const all = await found(nats.urls[0] ?? '');
    assert.ok(
      all.includes('note: HERE lets this server speak for every other site: it knows no rights of members.'),
      all.join('\n'),
    );
    assert.ok(all.some((each) => /not encrypted/.test(each)));
  });
});
