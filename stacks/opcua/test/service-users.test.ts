// Clients that sign in as users of the service, in a process of their own: what they see of the address space, as whom they write, and
// when their sessions end.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { quality } from '@telltale/schema';
import { type ProviderUser, Refused, type UserCredentials } from '@telltale/stack-kit';
import { until } from '@telltale/stack-kit/testing';
import stack from '../src/stack.ts';
import { point, Served } from './served.ts';
import { UaClientProcess, type UaClientSession, type Who } from './ua-client.ts';

const node = (address: string) => `ns=2;s=${address}`;
/** The method by its type, as clients call it. */
const acknowledge = 'i=9111';
const nobody = { userName: '', password: '', readerName: '', readerPassword: '' };
const measurements = [
  { ...point(1, 'level', 'd', { folder: 'Site/North' }), area: 'north', isArchived: true },
  { ...point(2, 'flow', 'd', { folder: 'Site/South/Pumps' }), area: 'south', isArchived: true, eu: 'm' },
];
const commands = [
  { ...point(3, 'speed', 'i', { folder: 'Site/North' }), area: 'north' },
  { ...point(4, 'valve', 'i', { folder: 'Site/South/Pumps' }), area: 'south' },
];
const alarms = [
  { id: 0, name: 'level_high', description: '', severity: 1, measurement: 1, area: 'north' },
  { id: 1, name: 'level_low', description: '', severity: 1, measurement: 1, area: 'south' },
  { id: 2, name: 'flow_high', description: '', severity: 1, measurement: 2, area: 'north' },
];

/** Signs everybody in whose password is right: nora sees the area north, sam the area south, root everything. */
class Service {
  readonly asked: UserCredentials[] = [];
  readonly signedOut: string[] = [];
  /** Does not come in any more. */
  barred = '';
  readonly sessions: { readonly name: string; readonly end: AbortController }[] = [];

  signIn = async (given: UserCredentials): Promise<ProviderUser> => {
    this.asked.push(given);
    const area = { nora: 'north', sam: 'south', root: undefined }[given.user];
    if (given.password !== 'right' || !['nora', 'sam', 'root'].includes(given.user) || given.user === this.barred) {
      throw new Refused('it is wrong');
    }
    const end = new AbortController();
    this.sessions.push({ name: given.user, end });
    return {
      name: given.user,
      seesEverything: area === undefined,
      maySee: (object) => area === undefined || object.area === area,
      ended: end.signal,
      signOut: () => void this.signedOut.push(given.user),
    };
  };
}

describe('a provider whose clients are users of the service', () => {
  let clients: UaClientProcess;
  before(async () => {
    clients = await UaClientProcess.start();
  });
  after(() => clients.stop());

  const start = async (t: TestContext, variables: Record<string, string> = {}) => {
    const service = new Service();
    const served = await Served.start(t, measurements, commands, { ...nobody, users: 'service', ...variables });
    served.signIn = service.signIn;
    cpSync(join(clients.folder, 'own', 'certificate.pem'), join(served.folder, 'trusted', 'client.pem'));
    served.provider.setAlarms?.(alarms);
    const states = alarms.map(({ id }) => ({ id, isActive: false, isAcknowledged: true, timeUs: 1e15, authority: '' }));
    served.provider.publishAlarms?.(states);
    served.publish((batch) => {
      batch.number(1, 4, quality.good, 1e15);
      batch.number(2, 5, quality.good, 1e15);
    });
    const open = (userName: string, more: Partial<Who> = {}) =>
      clients.open({ port: served.port, mode: 'SignAndEncrypt', userName, password: 'right', ...more });
    return { service, served, open };
  };
  const raise = (served: Served, id: number) =>
    served.provider.publishAlarms?.([
      { id, isActive: true, isAcknowledged: false, timeUs: 2e15, authority: 'trigger' },
    ]);

  test('lets in whom the service knows, over links that are secured, and says no more than that to others', async (t) => {
    const { service, served, open } = await start(t);
    for (const mode of ['Sign', 'SignAndEncrypt'] as const) await (await open('root', { mode })).close();
    const [first = assert.fail(), second] = service.asked;
    assert.match(first.source, /127\.0\.0\.1$/);
    assert.match(first.device ?? '', /^[0-9a-f]{64}$/);
    assert.equal(second?.device, first.device, 'the program is known again by its certificate');
    await until('both have signed out', () => service.signedOut.length === 2);
    await assert.rejects(open('root', { password: 'wrong' }), /BadUserAccessDenied/);
    await assert.rejects(open('eve'), /BadUserAccessDenied/);
    assert.ok(served.log.some((line) => /^"eve" of \S*127\.0\.0\.1 is not let in: it is wrong$/.test(line)));
    const { length } = service.asked;
    await assert.rejects(open('root', { mode: 'None' }), /BadSecurityModeInsufficient/);
    assert.equal(service.asked.length, length, 'the password is not even looked at');
    assert.equal(served.provider.detail?.().clients, 0);
  });

  test('shows each what it may see, and the rest is not there, whatever is asked for', async (t) => {
    const { served, open } = await start(t);
    const [root, nora] = [await open('root'), await open('nora')];
    const site = (await nora.browse('i=85')).find(({ name }) => name === 'site')?.nodeId ?? assert.fail();
    const all = await namesBelow(root, site);
    const north = ['Site', 'North', 'level', 'speed', 'level_high'];
    const others = ['South', 'Pumps', 'flow', 'valve', 'level_low', 'flow_high'];
    assert.deepEqual([...all.values()].sort(), [...north, ...others].sort());
    assert.deepEqual([...(await namesBelow(nora, site)).values()].sort(), north.sort());
    assert.equal((await nora.read(node('At.level'))).value, 4);
    const hidden = [
      `${node('At.level')}-level_low-AckedState`,
      ...(await root.browse(node('At.flow')))
        .filter(({ name }) => name === 'EngineeringUnits')
        .map(({ nodeId }) => nodeId),
      ...[...all].filter(([, name]) => others.includes(name)).map(([nodeId]) => nodeId),
    ];
    const unknown = node('At.unknown');
    for (const service of ['read', 'write', 'browse', 'monitor'] as const) {
      for (const nodes of [hidden, Array.from({ length: 60 }, () => node('At.flow'))]) {
        const expected = await nora.many(
          service,
          nodes.map(() => unknown),
        );
        assert.deepEqual(await nora.many(service, nodes), expected, `${service} ${nodes.length}`);
      }
    }
    const call = { kind: 'call', value: acknowledge };
    const expected = await nora.order({ ...call, node: unknown });
    assert.equal(await nora.order({ ...call, node: `${node('At.flow')}-flow_high` }), expected);
    const history = { raw: { start: 1e15, end: 2e15, count: 10 } };
    assert.deepEqual(await nora.history(node('At.flow'), history), await nora.history(unknown, history));
    // A path to it leads nowhere either.
    const path = (...names: string[]) => ['site', ...names].map((name) => `2:${name}`).join('/');
    const paths = [path('Site', 'North'), path('Site', 'South'), path('Site', 'South', 'Pumps', 'flow'), path('none')];
    assert.deepEqual(
      (await nora.many('translate', paths)).map((each) => String(each).replace(/^ns=2.*/, 'found')),
      ['found', 'BadNoMatch', 'BadNoMatch', 'BadNoMatch'],
    );
    assert.ok((await root.many('translate', paths.slice(0, 3))).every((each) => String(each).startsWith('ns=2')));
    assert.deepEqual(served.written, []);
    for (const each of [root, nora]) await each.close();
  });

  test('tells each of the alarms that it may see, and of no others', async (t) => {
    const { served, open } = await start(t);
    const [root, nora] = [await open('root'), await open('nora')];
    for (const each of [root, nora]) await each.order({ kind: 'events', node: 'i=2253' });
    for (const { id } of [...alarms].reverse()) raise(served, id);
    const heard = async (client: UaClientSession) => (await client.seen()).events.map(([name]) => name);
    await until('root has heard of all', async () => (await heard(root)).length === 3);
    await until('nora has heard of hers', async () => (await heard(nora)).includes('level_high'));
    assert.deepEqual(await heard(nora), ['level_high']);
    for (const each of [root, nora]) await each.close();
  });

  test('has everything carried out as the user, and tells whoever may not', async (t) => {
    const { served, open } = await start(t);
    const nora = await open('nora');
    assert.match(await nora.write(node('At.speed'), 'Int32', 7), /^Good/);
    assert.match(await nora.write(node('At.speed'), 'Int32', 12), /^BadUserAccessDenied/);
    await nora.order({ kind: 'events', node: 'i=2253' });
    raise(served, 0);
    await until('nora has heard of it', async () => (await nora.seen()).events.length === 1);
    const condition = `${node('At.level')}-level_high`;
    assert.match(String(await nora.order({ kind: 'call', node: condition, value: acknowledge })), /^Good/);
    assert.deepEqual(served.acknowledged, [['level_high', 'nora']]);
    assert.deepEqual(served.asUser, ['nora writes speed', 'nora writes speed', 'nora acknowledges level_high']);
    await nora.close();
  });

  test('ends the session of a user at once when the service says so, and that of nobody else', async (t) => {
    const { service, served, open } = await start(t);
    const [nora, sam] = [await open('nora'), await open('sam')];
    await nora.order({ kind: 'watch', node: node('At.level') });
    service.barred = 'nora';
    service.sessions.find(({ name }) => name === 'nora')?.end.abort();
    await until('one is left', () => served.provider.detail?.().clients === 1);
    assert.equal((await sam.read(node('At.flow'))).value, 5);
    assert.deepEqual(service.signedOut, ['nora']);
    await sam.close();
  });

  test('takes a point that goes to another area away from those who may not see it there', async (t) => {
    const { served, open } = await start(t);
    const nora = await open('nora');
    await nora.order({ kind: 'watch', node: node('At.level') });
    await until('the present value came', async () => (await nora.seen()).values.length > 0);
    const [level, flow] = measurements;
    if (level === undefined || flow === undefined) throw new Error('no points');
    served.provider.setPoints({ measurements: [{ ...level, area: 'south' }, flow], commands });
    await until('it is gone', async () => (await nora.read(node('At.level'))).status === 'BadNodeIdUnknown');
    served.publish((batch) => batch.number(1, 99, quality.good, 2e15));
    const root = await open('root');
    assert.equal((await root.read(node('At.level'))).value, 99);
    assert.ok((await nora.seen()).values.every(([value]) => value !== 99));
    for (const each of [root, nora]) await each.close();
  });

  test('names no users of its own', () => {
    const faultsOf = (variables: Record<string, string>) =>
      stack.provider?.readVariables({ users: 'service', ...variables }).faults.map(({ field }) => field);
    assert.deepEqual(faultsOf({}), []);
    assert.deepEqual(faultsOf({ userName: 'joe', password: 'secret' }), ['userName']);
    assert.deepEqual(faultsOf({ readerName: 'ann', readerPassword: 'look' }), ['readerName']);
  });
});

/** All have it: it belongs to nobody. */
const shared = ['HA Configuration', 'Stepped'];

/** Everything below a node, by its node id; what conditions are made of is left out. */
async function namesBelow(client: UaClientSession, from: string, found = new Map<string, string>()) {
  for (const { name, nodeId } of await client.browse(from)) {
    if (!nodeId.startsWith('ns=2') || found.has(nodeId)) continue;
    if (shared.includes(name) || /^[A-Z][a-z]+[A-Z]/.test(name)) continue;
    found.set(nodeId, name);
    if (!name.includes('_')) await namesBelow(client, nodeId, found);
  }
  return found;
}
