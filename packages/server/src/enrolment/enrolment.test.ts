// What is promised of a code: it brings one server to the bus, once and within its time; whoever is revoked is cut off.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { BusMemberRole } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Authority } from '../../../../test/engines/authority.ts';
import { engineFolder } from '../../../../test/engines/engine-folder.ts';
import { Nats, withoutNats } from '../../../../test/engines/nats.ts';
import { connectBus, untilSaid } from '../../test/bus-peers.ts';
import { BusError, commonNameOf, natsAuthorization } from '../bus/index.ts';
import { makeSelfSigned } from '../tls/self-signed.ts';
import type { BusFilePaths } from './files/index.ts';
import { BadCode, codeText, Enrolment, enrol, NotEnrolled, NotInvited, readCode, TitleTaken } from './index.ts';

interface Centre {
  readonly enrolment: Enrolment;
  readonly folder: string;
  readonly clock: ManualClock;
  /** What was asked of it: bodies. */
  readonly asked: string[];
  readonly counts: { readonly reloads: number };
  code(title?: string, validMs?: number, role?: BusMemberRole): Promise<string>;
}

async function centreOf(t: TestContext, folder = temporaryFolder(t)): Promise<Centre> {
  const clock = new ManualClock();
  const asked: string[] = [];
  const counts = { reloads: 0 };
  const enrolment = await Enrolment.open({
    folder,
    publicFolder: folder,
    clock,
    authorizationOf: natsAuthorization,
    commonNameOf,
    reload: async () => {
      counts.reloads++;
    },
  });
  const pair = makeSelfSigned({ title: 'centre', hosts: ['127.0.0.1'], nowMs: Date.UTC(2026, 0, 1) });
  const server = createServer({ cert: pair.certificate, key: pair.key }, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    asked.push(body);
    try {
      const { member, ...made } = await enrolment.enrol(JSON.parse(body));
      const { title: name, role: of } = member;
      response.end(JSON.stringify({ ...made, bus: 'tls://bus.example', name, role: of }));
    } catch (error) {
      if (!(error instanceof NotInvited)) throw error;
      response.writeHead(403).end(JSON.stringify({ detail: error.message }));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanupOf(t).defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { fingerprint256 } = new X509Certificate(pair.certificate);
  const fingerprint = Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/join`;
  const centre: Centre = {
    enrolment,
    folder,
    clock,
    asked,
    counts,
    async code(title = 'North', validMs?: number, role: BusMemberRole = 'site') {
      const { id, secret } = await enrolment.invite({ role, title, by: 'ann' }, validMs);
      return codeText({ url, fingerprint, invitation: id, secret });
    },
  };
  return centre;
}

/** What a server of the bus in a test is given: files that it can read. */
function servedBy(t: TestContext, enrolment: Enrolment): Authority {
  const folder = engineFolder(t);
  const pair = enrolment.makeServerPair(['127.0.0.1', 'localhost']);
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const files = { cert: write('nats.pem', pair.certificate), key: write('nats-key.pem', pair.key) };
  return { ca: write('authority.pem', enrolment.authority), issue: () => files } as unknown as Authority;
}

const north = (t: TestContext) => ({ id: 'north', data: temporaryFolder(t) });

describe('a code', () => {
  test('brings a server to the bus: with a key of its own, a certificate of the authority, and the rights of its role', async (t) => {
    const centre = await centreOf(t);
    const code = await centre.code();
    const { files, ...enrolled } = await enrol(code, north(t));
    const certificate = new X509Certificate(readFileSync(files.certificate));
    const authority = new X509Certificate(readFileSync(files.authority));
    assert.ok(certificate.checkIssued(authority) && certificate.verify(authority.publicKey));
    assert.deepEqual([certificate.ca, authority.ca], [false, true]);
    assert.match(certificate.subject, /^CN=site\.north\.[0-9a-f]{16}$/);
    assert.equal(statSync(files.key).mode & 0o077, 0);
    assert.ok(!centre.asked[0]?.includes('PRIVATE'));
    assert.deepEqual([enrolled.name, enrolled.role, enrolled.bus], ['North', 'site', 'tls://bus.example']);
    assert.deepEqual(JSON.parse(readFileSync(enrolled.settings ?? '', 'utf8')), {
      bus: 'tls://bus.example',
      'bus-role': 'site',
      'bus-ca': 'bus/member/authority.pem',
      'bus-cert': 'bus/member/certificate.pem',
      'bus-key': 'bus/member/key.pem',
      site: 'North',
    });
    const [member] = centre.enrolment.members;
    assert.deepEqual([member?.role, member?.name, member?.title, member?.by], ['site', 'north', 'North', 'ann']);
    assert.equal(centre.counts.reloads, 2);
    const rights = readFileSync(join(centre.folder, 'authorization.conf'), 'utf8');
    assert.match(rights, new RegExp(`user: "${certificate.subject}".*"up\\.north\\.\\*"`));
  });

  test('is good once, within its time, and for nobody who has not all of it', async (t) => {
    const centre = await centreOf(t);
    const refused = (code: string) =>
      assert.rejects(enrol(code, north(t)), { name: 'NotEnrolled', message: /ask for another one/ });
    const code = await centre.code();
    const known = readCode(code);
    await refused(codeText({ ...known, secret: `${known.secret.slice(0, -1)}-` }));
    await refused(codeText({ ...known, secret: '' }));
    await refused(codeText({ ...known, invitation: 'other' }));
    await enrol(code, north(t));
    await refused(code);
    const late = await centre.code('North', 1000);
    centre.clock.advance(1000);
    await refused(late);
    const together = await centre.code('South');
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => enrol(together, { ...north(t), id: 'south' })));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.deepEqual(centre.enrolment.members.map(({ name }) => name).sort(), ['north', 'south']);
  });

  test('is kept nowhere as it is, and outlives a restart of the centre', async (t) => {
    const centre = await centreOf(t);
    const code = await centre.code();
    const { secret } = readCode(code);
    assert.ok(!readFileSync(join(centre.folder, 'members.json'), 'utf8').includes(secret));
    const again = await centreOf(t, centre.folder);
    assert.equal(again.enrolment.authority, centre.enrolment.authority);
    const { url, fingerprint } = readCode(await again.code());
    await enrol(codeText({ ...readCode(code), url, fingerprint }), north(t));
  });

  test('tells its secret to nobody but the centre that it is of, and to nobody without TLS', async (t) => {
    const [centre, other] = [await centreOf(t), await centreOf(t)];
    const code = readCode(await centre.code());
    const { url } = readCode(await other.code());
    await assert.rejects(enrol(codeText({ ...code, url }), north(t)), /is not the centre of the code/);
    await assert.rejects(
      enrol(codeText({ ...code, fingerprint: '' }), north(t)),
      /cannot reach the centre.*self-signed/,
    );
    await assert.rejects(
      enrol(codeText({ ...code, url: url.replace('https', 'http') }), north(t)),
      /does not speak TLS/,
    );
    assert.deepEqual([centre.asked, other.asked], [[], []]);
    const data = temporaryFolder(t);
    await assert.rejects(enrol(codeText({ ...code, url }), { ...north(t), data }), NotEnrolled);
    assert.deepEqual(readdirSync(data), []);
  });

  test('that is none says so', () => {
    for (const text of ['', 'x', 'telltale-bus-1.', 'telltale-bus-1.e30', `telltale-bus-1.${'A'.repeat(5000)}`]) {
      assert.throws(() => readCode(text), BadCode);
    }
    const code = { url: 'https://centre:8443/join', fingerprint: 'ab', invitation: 'c', secret: 'd' };
    assert.deepEqual(readCode(` ${codeText(code)}\n`), code);
  });
});

describe('an enrolment', () => {
  test('takes no key that was not shown to be there, nor one of another kind, nor a name that is none', async (t) => {
    const { enrolment } = await centreOf(t);
    const { id: invitation, secret } = await enrolment.invite({ role: 'site', title: '', by: 'ann' });
    const other = makeSelfSigned({ title: 'x', hosts: [], nowMs: 0 });
    const publicKey = new X509Certificate(other.certificate).publicKey.export({
      type: 'spki',
      format: 'pem',
    }) as string;
    const request = { invitation, secret, id: 'north', 'public-key': publicKey, proof: '' };
    await assert.rejects(enrolment.enrol(request), NotInvited);
    await assert.rejects(enrolment.enrol({ ...request, 'public-key': other.key }), NotInvited);
    await assert.rejects(enrolment.enrol({ ...request, 'public-key': 'x'.repeat(5000) }), NotInvited);
    for (const id of ['', '*', '>', 'a.b', 'x'.repeat(41)])
      await assert.rejects(enrolment.enrol({ ...request, id }), NotInvited);
    assert.deepEqual(enrolment.members, []);
    assert.deepEqual(enrolment.counts, { enrolled: 0, refused: 8 });
  });

  test('gives nobody the place of somebody else, nor two members one name', async (t) => {
    const centre = await centreOf(t);
    const south = (): ReturnType<typeof north> => ({ ...north(t), id: 'south' });
    await enrol(await centre.code('North'), north(t));
    await enrol(await centre.code('South'), south());
    const members = structuredClone(centre.enrolment.members);
    await assert.rejects(enrol(await centre.code('South'), north(t)), /this server is North on the bus already/);
    await assert.rejects(enrol(await centre.code('New'), north(t)), /this server is North on the bus already/);
    await assert.rejects(
      enrol(await centre.code('North'), { ...north(t), id: 'new' }),
      /North is another server.*north/,
    );
    await assert.rejects(centre.code('North', undefined, 'centre'), TitleTaken);
    assert.deepEqual(centre.enrolment.members, members);
    await enrol(await centre.code('North'), north(t));
    assert.deepEqual(
      centre.enrolment.members.map(({ title }) => title),
      ['South', 'North'],
    );
    assert.notEqual(centre.enrolment.members[1]?.key, members[0]?.key);
  });

  test('gives the id of whoever was revoked to nobody but one who is invited as it, also after a restart', async (t) => {
    const before = await centreOf(t);
    await enrol(await before.code('North'), north(t));
    assert.equal(await before.enrolment.revoke('north'), true);
    const centre = await centreOf(t, before.folder);
    const refused = /the id north is that of North, a site that was revoked/;
    await assert.rejects(enrol(await centre.code('South'), north(t)), refused);
    await assert.rejects(enrol(await centre.code('North', undefined, 'reader'), north(t)), refused);
    await enrol(await centre.code('South'), { ...north(t), id: 'south' });
    // A site that is invited anew goes on with its folder, and may be revoked again.
    await enrol(await centre.code('North'), north(t));
    assert.equal(await centre.enrolment.revoke('north'), true);
    await assert.rejects(enrol(await centre.code('East'), north(t)), refused);
    // Another machine takes its place, with an id of its own.
    await enrol(await centre.code('North'), { ...north(t), id: 'new' });
    assert.deepEqual(centre.enrolment.members.map(({ name }) => name).sort(), ['new', 'south']);
  });

  test('reads a list of before, which says nothing of those who were revoked', async (t) => {
    const before = await centreOf(t);
    await enrol(await before.code('North'), north(t));
    const path = join(before.folder, 'members.json');
    const { former, ...list } = JSON.parse(readFileSync(path, 'utf8'));
    assert.deepEqual(former, []);
    writeFileSync(path, JSON.stringify(list));
    const centre = await centreOf(t, before.folder);
    assert.deepEqual(centre.enrolment.members, before.enrolment.members);
    assert.equal(await centre.enrolment.revoke('north'), true);
    await assert.rejects(enrol(await centre.code('South'), north(t)), /that was revoked/);
  });

  test('takes back invitations: one by its id, and all for a member with that member', async (t) => {
    const centre = await centreOf(t);
    const { enrolment } = centre;
    const [first, second] = [await centre.code(), await centre.code()];
    assert.equal(await enrolment.revoke(readCode(first).invitation), true);
    await assert.rejects(enrol(first, north(t)), /ask for another one/);
    await enrol(second, north(t));
    const third = await centre.code();
    assert.equal(await enrolment.revoke('north'), true);
    await assert.rejects(enrol(third, north(t)), /ask for another one/);
    assert.deepEqual([enrolment.members, enrolment.invitations], [[], []]);
  });

  test('is refused in the folder of a centre that has a bus of its own', async (t) => {
    const [centre, other] = [await centreOf(t), await centreOf(t, join(temporaryFolder(t), 'bus'))];
    const code = await centre.code();
    await assert.rejects(
      enrol(code, { id: 'north', data: dirname(other.folder) }),
      /of a centre with a bus of its own/,
    );
    assert.deepEqual(centre.asked, []);
  });

  test('does not begin where the list of members cannot be read', async (t) => {
    const centre = await centreOf(t);
    writeFileSync(join(centre.folder, 'members.json'), '{"members":[{}],"invitations":[]}');
    await assert.rejects(centreOf(t, centre.folder), /is no list of members/);
  });

  test('lets a server connect, and cuts off whoever is revoked, or has another key since', {
    skip: withoutNats,
  }, async (t) => {
    const centre = await centreOf(t);
    const { enrolment, folder } = centre;
    const authority = servedBy(t, enrolment);
    const rights = () => readFileSync(join(folder, 'authorization.conf'), 'utf8');
    const nats = await Nats.start(t, { authority, tls: 'verify_and_map: true', configuration: rights() });
    const connect = (files: BusFilePaths) => connectBus(t, { url: nats.urls[0] ?? '', name: 'north', files });

    const { files: first } = await enrol(await centre.code(), north(t));
    await nats.configure(rights());
    const bus = await connect(first);
    await assert.rejects(
      bus.request('up.north.claim', '', 1000),
      (error) => error instanceof BusError && error.failure === 'nobody',
    );
    await assert.rejects(
      bus.request('up.south.claim', '', 1000),
      (error) => error instanceof BusError && error.failure === 'not-permitted',
    );

    const { files: second } = await enrol(await centre.code(), north(t));
    await nats.configure(rights());
    await untilSaid(bus, /wrong credentials/);
    const again = await connect(second);
    assert.equal(await enrolment.revoke('nobody'), false);
    assert.equal(await enrolment.revoke('north'), true);
    await nats.configure(rights());
    await untilSaid(again, /wrong credentials/);
    assert.deepEqual(enrolment.members, []);
  });
});
