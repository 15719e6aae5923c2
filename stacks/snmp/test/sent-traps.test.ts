// Traps and informs of the provider, received by snmptrapd, and by the connector.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { StackAlarm, StackAlarmState } from '@telltale/stack-kit';
import { freePort, missingPeers, PeerProcess, until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { decodeMessage } from '../src/message.ts';
import { RunningConnector } from './running-connector.ts';
import { base, RunningProvider } from './running-provider.ts';

const skip = missingPeers('snmptrapd') ?? false;
const accounts = [
  'old: version=1 community=secret',
  'joe: user=joe authKey="first key" privKey="second key" context=plant',
].join('\n');
const alarm: StackAlarm = { id: 1, name: 'level_high', description: 'Tank 1 is full', severity: 2, measurement: 0 };

function state(isActive: boolean, isAcknowledged: boolean, authority = 'trigger'): StackAlarmState {
  return { id: 1, isActive, isAcknowledged, timeUs: 1_700_000_000_000_000, authority };
}

/** A trap of version 3 is of its sender's engine, which the receiver has to know. */
const engineId = '80001f8805010203040506';

async function provider(t: TestContext, vars: Readonly<Record<string, string>>): Promise<RunningProvider> {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'snmp-engine.json'), JSON.stringify({ engineId, boots: 3 }));
  const points = [{ address: '7.1', datatype: 'd' }] as const;
  const running = await RunningProvider.start({ community: 'secret', accounts, ...vars }, points, [], { folder });
  cleanupOf(t).defer(() => running.stop());
  return running;
}

/** Raised, acknowledged, and over; what changes nothing is no trap. */
function transitions({ provider }: RunningProvider): void {
  provider.setAlarms?.([alarm]);
  provider.publishAlarms?.([state(false, true)]);
  provider.publishAlarms?.([state(true, false)]);
  provider.publishAlarms?.([state(true, true, 'joe')]);
  provider.publishAlarms?.([state(true, true, 'joe')]);
  provider.publishAlarms?.([state(false, true)]);
}

async function receiver(t: TestContext, port?: number): Promise<PeerProcess & { readonly port: number }> {
  const folder = temporaryFolder(t);
  const chosen = port ?? (await freePort());
  const file = join(folder, 'snmptrapd.conf');
  const lines = [
    'authCommunity log secret',
    'createUser joe SHA-256 "first key" AES "second key"',
    `createUser -e 0x${engineId} joe SHA-256 "first key" AES "second key"`,
    'authUser log joe priv',
    'format1 v1 %N %w %q %v\\n',
    'format2 v2 %v\\n',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const process = await PeerProcess.start({
    command: 'snmptrapd',
    args: ['-f', '-Lo', '-On', '-C', '-c', file, `udp:127.0.0.1:${chosen}`],
    folder,
    env: { SNMP_PERSISTENT_DIR: folder, SNMPCONFPATH: folder, MIBS: '' },
    isReady: ({ said }) => said.includes('NET-SNMP version'),
  });
  cleanupOf(t).defer(() => process.stop());
  return Object.assign(process, { port: chosen });
}

/** What the receiver wrote down, one line a trap. */
function trapsIn({ said }: PeerProcess): string[] {
  return said.split('\n').filter((line) => /^v[12] /.test(line));
}

const described = (now: string, authority: string) =>
  [
    `.${base}.5.1.0 = STRING: "level_high"`,
    `.${base}.5.2.0 = STRING: "Tank 1 is full"`,
    `.${base}.5.3.0 = INTEGER: 2`,
    `.${base}.5.4.0 = STRING: "${now}"`,
    `.${base}.5.5.0 = STRING: "${authority}"`,
    `.${base}.5.6.0 = STRING: "2023-11-14T22:13:20.000000Z"`,
    `.${base}.1.7.1 = STRING: "21.5"`,
    `.${base}.2.7.1 = Gauge32: 192`,
  ].join('\t');
const trap = (number: number, now: string, authority: string) =>
  `.1.3.6.1.6.3.1.1.4.1.0 = OID: .${base}.0.${number}\t${described(now, authority)}`;
const all = [
  '.1.3.6.1.6.3.1.1.4.1.0 = OID: .1.3.6.1.6.3.1.1.5.1',
  trap(1, 'ACT_UNACK', 'trigger'),
  trap(3, 'ACT_ACK', 'joe'),
  trap(2, 'INACT_ACK', 'trigger'),
];

describe('before snmptrapd', { skip }, () => {
  for (const informs of ['false', 'true']) {
    for (const account of ['', 'joe@']) {
      const kind = informs === 'true' ? 'informs' : 'traps';
      const version = account === '' ? '2c' : '3';
      test(`alarms are ${kind} of version ${version}: raised, acknowledged, over`, async (t) => {
        const peer = await receiver(t);
        const running = await provider(t, { trapReceivers: `${account}127.0.0.1:${peer.port}`, informs });
        running.publish('7.1', 21.5);
        transitions(running);
        await until('all have come', () => trapsIn(peer).length === all.length);
        // Every one begins with the time since the start.
        const seen = trapsIn(peer).map((line) => line.replace(/^v2 \.1\.3\.6\.1\.2\.1\.1\.3\.0 = [^\t]*\t/, ''));
        assert.deepEqual(seen, all);
      });
    }
  }

  test('alarms are traps of version 1', async (t) => {
    const peer = await receiver(t);
    const running = await provider(t, { trapReceivers: `old@127.0.0.1:${peer.port}`, informs: 'true' });
    running.publish('7.1', 21.5);
    transitions(running);
    await until('all have come', () => trapsIn(peer).length === all.length);
    assert.deepEqual(trapsIn(peer).slice(1), [
      `v1 .${base} 6 .1 ${described('ACT_UNACK', 'trigger')}`,
      `v1 .${base} 6 .3 ${described('ACT_ACK', 'joe')}`,
      `v1 .${base} 6 .2 ${described('INACT_ACK', 'trigger')}`,
    ]);
    assert.match(trapsIn(peer)[0] ?? '', /^v1 \.1\.3\.6\.1\.6\.3\.1\.1\.5 0 0 /);
  });

  test('an inform that nobody confirms is repeated until somebody does, in order', async (t) => {
    const port = await freePort();
    const running = await provider(t, { trapReceivers: `127.0.0.1:${port}`, informs: 'true' });
    running.publish('7.1', 21.5);
    transitions(running);
    await until('it is known that nobody is there', () => running.logged.some((line) => line.includes('confirm')));
    const peer = await receiver(t, port);
    await until('all have come', () => trapsIn(peer).length === all.length);
    assert.deepEqual(
      trapsIn(peer).map((line) => / = OID: \S*\.(\d+)(?:\t|$)/.exec(line.slice(40))?.[1]),
      ['1', '1', '3', '2'],
    );
  });
});

test('an alarm that is active when the provider starts is sent, one that is not is not', async (t) => {
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  const heard: Buffer[] = [];
  socket.on('message', (bytes) => heard.push(bytes));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const vars = { trapReceivers: `127.0.0.1:${socket.address().port}` };
  const running = await provider(t, vars);
  const other = { ...alarm, id: 2, name: 'level_low', description: '' };
  running.provider.setAlarms?.([alarm, other]);
  running.provider.publishAlarms?.([state(true, true), { ...state(false, true), id: 2 }]);
  running.provider.publishAlarms?.([{ ...state(true, false), id: 2, message: 'Level is 3' }]);
  await until('three have come', () => heard.length === 3);
  const said = (field: number) =>
    heard.map((bytes) => {
      const message = decodeMessage(bytes);
      assert.ok(message.version === '2c');
      return message.pdu.varbinds.find(({ oid }) => oid === `${base}.5.${field}.0`)?.content.toString();
    });
  assert.deepEqual(said(1), [undefined, 'level_high', 'level_low']);
  assert.deepEqual(
    said(2),
    [undefined, 'Tank 1 is full', 'Level is 3'],
    'the message of a device where none is configured',
  );
});

test('the connector takes what the provider sends', async (t) => {
  const port = await freePort();
  const connector = new RunningConnector(
    {
      hosts: '127.0.0.1:9',
      trapPort: `${port}`,
      accounts: 'x: user=joe authKey="first key" privKey="second key"',
      community: 'other',
    },
    { folder: temporaryFolder(t) },
  );
  t.after(() => connector.stop());
  connector.setPoints([
    { name: 'value', address: `trap:${base}.1.7.1`, datatype: 'd' },
    { name: 'raised', address: `trap:${base}.0.1`, datatype: 'i' },
  ]);
  await connector.start();
  const running = await provider(t, { trapReceivers: `joe@127.0.0.1:${port}` });
  running.publish('7.1', 21.5);
  transitions(running);
  await connector.until('raised', ({ value }) => value === 1);
  await connector.until('value', ({ value }) => value === 21.5);
});
