// What the contract says of the archive where clients were surprised: the epoch as the beginning, and the mode none.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MeasurementRecord } from '@telltale/schema';
import { CheckedChannel } from './checked-channel.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const live = new LiveServer({
  begin: () =>
    live.apply([
      put('measurements', 'old', { datatype: 'd', archMode: 'change' }),
      put('measurements', 'none', { datatype: 'd', archMode: 'none', archPeriod: 1, leader: 'old' }),
      put('measurements', 'periodic', { datatype: 'd', archPeriod: 1 }),
      put('measurements', 'led', { datatype: 'd', leader: 'old' }),
      put('commands', 'none', { datatype: 'd', initialValue: '1', archMode: 'none', archPeriod: 1, leader: 'old' }),
    ]),
});
const { data } = live;

const records = async (kind: string, name: string, interval: string) =>
  (await data.read<Record<string, MeasurementRecord[]>>(`/archive/${kind}/${name}/${interval}`))[name] ?? [];

describe('t_since 0', () => {
  const past: MeasurementRecord[] = [
    ['d1', [0, 0], 192],
    ['d2', [1_600_000_000, 0], 192],
  ];
  const store = () => data.done('POST', '/archive/measurements/old', { body: { old: past } });
  const now = () => (Date.now() / 1000).toFixed(3);

  test('is the epoch, and t_until 0 is now', async () => {
    await store();
    for (const ends of [`0/${now()}`, '0/0', '-0/0', `0.0/${now()}`]) {
      assert.deepEqual(await records('measurements', 'old', ends), past, ends);
    }
    const several = await data.read('/archive/measurements/?names=old&t_since=0');
    assert.deepEqual(several, { old: past });
  });

  test('is the epoch on the channel too', async () => {
    await store();
    const channel = await CheckedChannel.open(live.process.url);
    const asked = { archive: 'measurements', name: 'old', t_since: 0, t_until: 0 } as const;
    const { records: found } = await channel.done('ReadArchive', asked);
    assert.deepEqual(found, past);
    await channel.close();
  });

  test('erases everything', async () => {
    await store();
    await data.done('DELETE', `/archive/measurements/old/0/${now()}`);
    assert.deepEqual(await records('measurements', 'old', '0/99999999999'), []);
  });
});

describe('archMode none', () => {
  test('archives nothing, whatever archPeriod and leader say; without a mode they count', async () => {
    for (const name of ['none', 'periodic', 'led', 'old']) await data.done('PUT', `/measurements/${name}?value=d5`);
    await until('the others are archived', async () => {
      const found = await Promise.all(
        ['periodic', 'led'].map((name) => records('measurements', name, '0/99999999999')),
      );
      return found.every(({ length }) => length > 0);
    });
    assert.deepEqual(await records('measurements', 'none', '0/99999999999'), []);
    assert.deepEqual(await records('commands', 'none', '0/99999999999'), []);
  });
});
