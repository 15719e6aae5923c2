// The real server while the time of day of its machine is set, by libfaketime; the monotonic clock goes on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { CheckedChannel } from './checked-channel.ts';
import { put } from './live-plant.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');
const skip = library === undefined && 'faketime is not installed';

interface Connector {
  readonly state: string;
  readonly since: readonly [number, number];
}

test('clients and links stay when the time of day is set', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const offset = join(folder, 'offset');
  const setTimeOfDay = (seconds: string) => writeFileSync(offset, `${seconds}\n`);
  setTimeOfDay('+0');
  const server = await startServer(t, {
    data: join(folder, 'data'),
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: offset,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
  const operations = [
    put('connectors', 'plant', { stackName: 'simulator' }),
    put('measurements', 'wave', { datatype: 'd', connectorName: 'plant', address: 'sine()' }),
  ];
  assert.equal((await server.send('POST', '/cfgdb/txn?render=1', { operations })).status, 204);
  const read = async <Body>(path: string) => (await (await fetch(`${server.url}/data${path}`)).json()) as Body;
  const connector = () => read<Connector>('/connectors/plant');
  const timeOfDay = async () => (await read<{ vtq: [unknown, [number, number]] }>('/measurements/wave')).vtq[1][0];
  const { since } = await until('the link is up', async () => {
    const found = await connector();
    return found.state === 'up' && found;
  });
  const { socket } = await CheckedChannel.open(server.url);
  for (const [by, leastS, mostS] of [
    ['+35', 30, 40],
    ['-3600', -3700, -3500],
  ] as const) {
    setTimeOfDay(by);
    await until('readings have the new time', async () => {
      const ahead = (await timeOfDay()) - Date.now() / 1000;
      return ahead > leastS && ahead < mostS;
    });
    const outcome = Promise.race([
      once(socket, 'ping').then(() => 'asked'),
      once(socket, 'close').then(() => 'cut off'),
    ]);
    assert.equal(await outcome, 'asked', by);
    assert.deepEqual([(await connector()).state, (await connector()).since], ['up', since]);
  }
  socket.close();
});
