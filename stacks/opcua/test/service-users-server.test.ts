// Users of the service who sign in over OPC UA, with the whole server and a client in a process of its own: their rights, their names,
// the audit trail, and that whoever may no longer is out.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { AuditRecord, LiveAlarm } from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { closeServer, makeUser, type Person, password } from '../../../test/closed-server.ts';
import { put } from '../../../test/live-plant.ts';
import { type ServerProcess, startServer } from '../../../test/server-process.ts';
import { until } from '../../../test/until.ts';
import { UaClientProcess, type UaClientSession } from './ua-client.ts';

const cleanup = suiteCleanup();
const node = (address: string) => `ns=2;s=${address}`;
/** The method by its type, as clients call it. */
const acknowledge = 'i=9111';
const at = (name: string) => ({ providerAddresses: { panel: name } });

let server: ServerProcess;
let admin: Person;
let clients: UaClientProcess;
let port: number;

const open = (userName: string, given = password): Promise<UaClientSession> =>
  clients.open({ port, mode: 'SignAndEncrypt', userName, password: given });
const clientsOf = async () => (await admin.do<{ clients: number }>('GET', '/data/providers/panel')).clients;
const recordsOf = async (query: string) =>
  (await admin.do<{ records: AuditRecord[] }>('GET', `/audit?limit=100&${query}`)).records;

before(async () => {
  const data = temporaryFolder(cleanup);
  port = await freePort();
  server = await startServer(cleanup, { data, args: ['--no-demo'] });
  clients = await UaClientProcess.start();
  cleanup.defer(() => clients.stop());
  const trusted = join(data, 'stacks', 'provider-panel', 'trusted');
  mkdirSync(trusted, { recursive: true });
  cpSync(join(clients.folder, 'own', 'certificate.pem'), join(trusted, 'client.pem'));
  const answer = await server.send('POST', '/cfgdb/txn?render=1', {
    operations: [
      put('providers', 'panel', {
        stackName: 'opcua',
        vars: { port: String(port), users: 'service' },
        properties: { writes: 'speed, valve, high, low' },
      }),
      put('measurements', 'level', { datatype: 'd', area: 'north', ...at('Level') }),
      put('measurements', 'flow', { datatype: 'd', area: 'south', ...at('Flow') }),
      put('commands', 'speed', { datatype: 'i', area: 'north', ...at('Speed') }),
      put('commands', 'valve', { datatype: 'i', area: 'south', ...at('Valve') }),
      put('commands', 'unlisted', { datatype: 'i', area: 'north', ...at('Unlisted') }),
      put('alarms', 'high', {
        severity: 1,
        area: 'north',
        trgMeasurement: 'level',
        trgOperator: 'gt',
        trgRefValue: '9',
      }),
    ],
  });
  assert.equal(answer.status, 204, await answer.text());
  const isUp = async () => {
    const shown = await fetch(`${server.url}/data/providers/panel`);
    return shown.ok && ((await shown.json()) as { state: string }).state === 'up';
  };
  await until('the provider is up', isUp);
  await assert.rejects(open('anna'), /BadUserAccessDenied/, 'while there are no users, nobody signs in');
  admin = await closeServer(server, data);
  await makeUser(server, admin, 'anna', [{ role: 'operator', area: 'north' }]);
  await makeUser(server, admin, 'vic', [{ role: 'viewer' }]);
});

describe('a user of the service who signs in over OPC UA', () => {
  test('sees what the user may view, and writes what both the user and the provider may', async () => {
    const [anna, vic] = [await open('anna'), await open('vic')];
    assert.equal((await vic.read(node('Flow'))).status, 'BadWaitingForInitialData');
    for (const hidden of ['Flow', 'Valve']) {
      assert.equal((await anna.read(node(hidden))).status, 'BadNodeIdUnknown');
    }
    assert.match(await anna.write(node('Speed'), 'Int32', 7), /^Good/);
    assert.match(await anna.write(node('Valve'), 'Int32', 7), /^BadNodeIdUnknown/);
    assert.match(await anna.write(node('Unlisted'), 'Int32', 7), /^BadUserAccessDenied/);
    assert.match(await vic.write(node('Speed'), 'Int32', 8), /^BadUserAccessDenied/);
    const { vt } = await admin.do<{ vt: [string] }>('GET', '/data/commands/speed');
    assert.equal(vt[0], 'i7');
    const records = await recordsOf('operation=writeCommand');
    assert.deepEqual(
      records.map(({ who, kind, session, object, result }) => [who, kind, session, object, result]).reverse(),
      [
        ['anna', 'user', 'provider/panel', 'speed', 'done'],
        ['anna', 'user', 'provider/panel', 'unlisted', 'not-allowed'],
        ['vic', 'user', 'provider/panel', 'speed', 'not-allowed'],
      ],
    );
    for (const each of [anna, vic]) await each.close();
  });

  test('is the authority of the alarms that it acknowledges', async () => {
    const engineer = await makeUser(server, admin, 'erik', [{ role: 'engineer' }]);
    const anna = await open('anna');
    await anna.order({ kind: 'events', node: 'i=2253' });
    await engineer.do('PUT', '/data/measurements/level?value=d10');
    await until('it is heard of', async () => (await anna.seen()).events.length > 0);
    const call = { kind: 'call', node: `${node('Level')}-high`, value: acknowledge };
    assert.match(String(await anna.order(call)), /^Good/);
    const { state, authority } = await admin.do<LiveAlarm>('GET', '/data/alarms/high');
    assert.deepEqual([state, authority], ['ACT_ACK', 'anna']);
    await anna.close();
  });

  test('is recorded when it signs in, and when it is not let in; a second factor has no place there', async () => {
    await assert.rejects(open('anna', 'wrong password 1'), /BadUserAccessDenied/);
    await admin.do('PUT', '/access/roles/careful', { permissions: ['view'], secondFactor: true });
    await admin.do('PUT', '/access/users/carla', { grants: [{ role: 'careful' }] });
    await admin.do('PUT', '/access/users/carla/password', { password });
    await assert.rejects(open('carla'), /BadUserAccessDenied/);
    await (await open('vic')).close();
    const records = (await recordsOf('operation=signIn')).filter(({ session }) => session === 'provider/panel');
    const shown = records.map(({ who, object, result, source }) => [
      who,
      object,
      result,
      /127\.0\.0\.1$/.test(source ?? ''),
    ]);
    assert.deepEqual(shown.slice(0, 3), [
      ['vic', 'vic', 'done', true],
      ['nobody', 'carla', 'sign-in-refused', true],
      ['nobody', 'anna', 'wrong-credentials', true],
    ]);
    const { text } = await admin.ask('GET', '/audit?limit=1000');
    assert.ok(!`${text}${server.log}`.includes('wrong password 1'));
  });

  for (const [what, name, ...change] of [
    ['is disabled', 'mia', 'PUT', '', { grants: [{ role: 'viewer' }], disabled: true }],
    ['may do something else', 'max', 'PUT', '', { grants: [{ role: 'viewer', area: 'south' }] }],
    ['has another password', 'mona', 'PUT', '/password', { password: `${password} anew` }],
    ['is deleted', 'moritz', 'DELETE', '', undefined],
  ] as const) {
    test(`is out as soon as the user ${what}`, async () => {
      await makeUser(server, admin, name, [{ role: 'viewer' }]);
      await until('those of before are counted no more', async () => (await clientsOf()) === 0);
      const session = await open(name);
      assert.equal((await session.read(node('Flow'))).status, 'BadWaitingForInitialData');
      await until('it is counted', async () => (await clientsOf()) === 1);
      const [method, path, body] = change;
      await admin.do(method, `/access/users/${name}${path}`, body);
      await until('its session has ended', async () => (await clientsOf()) === 0);
    });
  }
});
