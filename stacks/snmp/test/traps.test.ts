// Traps and informs of the tools of net-snmp.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { describe, type TestContext, test } from 'node:test';
import { quality } from '@telltale/schema';
import { freePort, missingPeers } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { RunningConnector, type Sample } from './running-connector.ts';
import { operator as keys, tool, operatorFlags as v3 } from './running-provider.ts';

const skip = missingPeers('snmptrap') ?? false;
const withoutIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1')
  ? false
  : 'this machine has no IPv6';
const linkDown = '1.3.6.1.6.3.1.1.5.3';
const operStatus = (row: number) => `1.3.6.1.2.1.2.2.1.8.${row}`;

const points: readonly Sample[] = [
  { name: 'status', address: 'trap:ifOperStatus.3', datatype: 'i' },
  { name: 'count', address: 'trap:linkDown', datatype: 'l' },
  { name: 'text', address: 'trap:linkDown', datatype: 's' },
  { name: 'of agent', address: 'trap:here/linkDown', datatype: 'i' },
  { name: 'of other', address: 'trap:elsewhere/linkDown', datatype: 'i' },
];

async function listening(
  t: TestContext,
  more: Readonly<Record<string, string>> = { community: 'secret' },
): Promise<{ running: RunningConnector; place: string }> {
  const port = await freePort();
  const folder = temporaryFolder(t);
  const hosts = 'here=127.0.0.1:9, elsewhere=192.0.2.7';
  const running = new RunningConnector({ hosts, trapPort: `${port}`, ...more }, { folder });
  cleanupOf(t).defer(() => running.stop());
  running.setPoints(points);
  await running.start();
  return { running, place: `127.0.0.1:${port}` };
}

const down = (row: number, status: number) => ['', linkDown, operStatus(row), 'i', `${status}`];

describe('traps', { skip }, () => {
  test('of version 2c bring values and are counted, by who sent them', async (t) => {
    const { running, place } = await listening(t);
    for (const { name } of points) {
      assert.equal((await running.until(name, () => true)).quality, quality.bad.notConnected, name);
    }
    await tool('snmptrap', ['-v2c', '-c', 'secret', place, ...down(3, 2)]);
    const status = await running.until('status', ({ value }) => value === 2);
    assert.equal(status.quality, quality.good);
    assert.ok(Math.abs(status.timeUs / 1000 - Date.now()) < 60_000);
    await running.until('count', ({ value }) => value === 1n);
    await running.until('of agent', ({ value }) => value === 1);
    assert.match(String(running.readings.get('text')?.value), /^linkDown sysUpTime\.0=[0-9]+ ifOperStatus\.3=2$/);
    assert.equal(running.readings.get('of other')?.quality, quality.bad.notConnected);
    const trace = running.connector.explain?.(running.point('status'));
    assert.deepEqual([trace?.raw, trace?.value, trace?.request], ['INTEGER 02', 2, 'trap linkDown from 127.0.0.1']);
    running.setPoints(points);
    await tool('snmptrap', ['-v2c', '-c', 'secret', place, ...down(4, 2)]);
    await running.until('count', ({ value }) => value === 2n);
    assert.equal(running.readings.get('status')?.value, 2);
  });

  test('of version 1 are counted by what version 2c calls them, of the agent that they name', async (t) => {
    const { running, place } = await listening(t);
    const v1 = (generic: number, specific: number, agent: string) =>
      tool('snmptrap', [
        ...['-v1', '-c', 'secret', place, '1.3.6.1.4.1.8072.4', agent, `${generic}`, `${specific}`, '77'],
        ...[operStatus(3), 'i', `${generic}`],
      ]);
    await v1(2, 0, '192.0.2.7');
    await running.until('count', ({ value }) => value === 1n);
    const text =
      'linkDown sysUpTime.0=77 ifOperStatus.3=2 1.3.6.1.6.3.18.1.3.0=192.0.2.7 1.3.6.1.6.3.1.1.4.3.0=1.3.6.1.4.1.8072.4';
    assert.equal(running.readings.get('text')?.value, text);
    assert.deepEqual([running.readings.get('status')?.value, running.readings.get('of other')?.value], [2, 1]);
    running.setPoints([{ name: 'own', address: 'trap:1.3.6.1.4.1.8072.4.0.9', datatype: 'i' }]);
    await v1(6, 9, '0.0.0.0');
    await running.until('own', ({ value }) => value === 1);
  });

  test('of several communities and users are taken, each with its own keys', async (t) => {
    const accounts = 'plc: community=other; joe: user=operator authKey="first key" privKey="second key"';
    const { running, place } = await listening(t, { community: 'secret', accounts });
    const engine = ['-e', '0x80001f8805010203040506'];
    await tool('snmptrap', ['-v2c', '-c', 'secret', place, ...down(3, 1)]);
    await running.until('count', ({ value }) => value === 1n);
    await tool('snmptrap', ['-v2c', '-c', 'other', place, ...down(3, 2)]);
    await running.until('count', ({ value }) => value === 2n);
    await tool('snmptrap', [...v3, ...engine, place, ...down(3, 3)]);
    await running.until('count', ({ value }) => value === 3n);
    await tool('snmptrap', ['-v3', '-u', 'joe', ...v3.slice(3), ...engine, place, ...down(3, 4)]);
    await tool('snmptrap', ['-v2c', '-c', 'other', place, ...down(3, 5)]);
    await running.until('count', ({ value }) => value === 4n);
  });

  test('with another community, or with version 3 where there is no user, are not taken', async (t) => {
    const { running, place } = await listening(t);
    await tool('snmptrap', ['-v2c', '-c', 'wrong', place, ...down(3, 1)]);
    await tool('snmptrap', ['-v3', '-l', 'noAuthNoPriv', '-u', 'x', '-e', '0x8000000001020304', place, ...down(3, 1)]);
    await tool('snmptrap', ['-v1', '-c', 'wrong', place, '1.3.6.1.4.1.9', '', '2', '0', '', operStatus(3), 'i', '1']);
    await tool('snmptrap', ['-v2c', '-c', 'secret', place, ...down(3, 5)]);
    await running.until('count', ({ value }) => value !== undefined);
    assert.deepEqual([running.readings.get('count')?.value, running.readings.get('status')?.value], [1n, 5]);
  });

  test('that ask for it are confirmed, and count once though they come again', async (t) => {
    const { running, place } = await listening(t);
    await tool('snmpinform', ['-v2c', '-c', 'secret', '-t', '2', '-r', '0', place, ...down(3, 2)]);
    assert.equal(running.readings.get('count')?.value, 1n);
    await assert.rejects(
      tool('snmpinform', ['-v2c', '-c', 'wrong', '-t', '1', '-r', '0', place, ...down(3, 2)]),
      /Timeout/,
    );
    assert.equal(running.readings.get('count')?.value, 1n);
  });

  test('of an agent are known by its address, however that is written', { skip: withoutIpv6 }, async (t) => {
    const port = await freePort();
    const hosts = 'here=[0:0:0:0:0:0:0:1]:9, other=192.0.2.7';
    const running = new RunningConnector({ hosts, trapPort: `${port}`, trapHost: '::1', community: 'secret' });
    t.after(() => running.stop());
    running.setPoints([{ name: 'count', address: 'trap:here/linkDown', datatype: 'l' }]);
    await running.start();
    await tool('snmptrap', ['-v2c', '-c', 'secret', `udp6:[::1]:${port}`, ...down(3, 2)]);
    await running.until('count', ({ value }) => value === 1n);
  });

  test('of version 3 are taken from the user alone, signed and encrypted as is set', async (t) => {
    const { running, place } = await listening(t, { version: '3', ...keys });
    const engine = ['-e', '0x80001f8805010203040506'];
    await tool('snmptrap', [...v3, ...engine, place, ...down(3, 6)]);
    await running.until('status', ({ value }) => value === 6);
    const wrongKey = v3.map((word) => (word === 'first key' ? 'wrong key' : word));
    await tool('snmptrap', [...wrongKey, ...engine, place, ...down(3, 7)]);
    const unencrypted = v3.map((word) => (word === 'authPriv' ? 'authNoPriv' : word));
    await tool('snmptrap', [...unencrypted, ...engine, place, ...down(3, 7)]);
    await tool('snmptrap', ['-v2c', '-c', 'secret', place, ...down(3, 7)]);
    await tool('snmpinform', [...v3, '-t', '2', '-r', '0', place, ...down(3, 4)]);
    await running.until('status', ({ value }) => value === 4);
    assert.equal(running.readings.get('count')?.value, 2n);
  });

  test('of version 3 that somebody plays back are not taken again', async (t) => {
    const { running, place } = await listening(t, { version: '3', ...keys });
    const wire = createSocket('udp4').bind(0, '127.0.0.1');
    t.after(() => wire.close());
    await once(wire, 'listening');
    const heard = once(wire, 'message');
    const engine = ['-e', '0x80001f8805010203040507'];
    await tool('snmptrap', [...v3, ...engine, `127.0.0.1:${wire.address().port}`, ...down(3, 6)]);
    const [trap] = (await heard) as [Buffer];
    const port = Number(place.split(':')[1]);
    wire.send(trap, port, '127.0.0.1');
    await running.until('status', ({ value }) => value === 6);
    await tool('snmptrap', [...v3, ...engine, place, ...down(3, 2)]);
    await running.until('status', ({ value }) => value === 2);
    wire.send(trap, port, '127.0.0.1');
    await tool('snmpinform', [...v3, '-t', '2', '-r', '0', place, ...down(4, 1)]);
    await running.until('count', ({ value }) => value === 3n);
    assert.equal(running.readings.get('status')?.value, 2);
  });

  test('that were known before the link was made again are the last usable ones', async (t) => {
    const { running, place } = await listening(t);
    await tool('snmptrap', ['-v2c', '-c', 'secret', place, ...down(3, 2)]);
    await running.until('status', ({ value }) => value === 2);
    await running.stop();
    const again = new AbortController();
    await running.connector.connect(again.signal);
    const run = running.connector.run(again.signal);
    await running.until('status', (reading) => reading.quality === quality.uncertain.lastUsableValue);
    again.abort();
    await run;
  });
});

test('garbage at the port of the traps harms nobody', { skip }, async (t) => {
  const { running, place } = await listening(t, { community: 'secret', ...keys });
  const port = Number(place.split(':')[1]);
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  for (let round = 0; round < 500; round++) {
    const bytes = Buffer.alloc(round * 3, round);
    for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 31 + round * 17) & 0xff;
    bytes[0] = 0x30;
    socket.send(bytes, port, '127.0.0.1');
  }
  await tool('snmpinform', ['-v2c', '-c', 'secret', '-t', '2', '-r', '2', place, ...down(3, 2)]);
  await running.until('status', ({ value }) => value === 2);
});
