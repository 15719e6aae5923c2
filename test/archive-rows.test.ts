// Several aggregates of each bucket, as rows: the same over HTTP, on the channel and in the client, with flags where they
// are asked for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import { type AggregateRow, MeasurementArchive } from '@telltale/schema';
import { CheckedChannel } from './checked-channel.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';

const startS = 1_600_000_000;
let client: TelltaleClient;
let channel: CheckedChannel;
const live = new LiveServer({
  begin: async () => {
    client = new TelltaleClient({ url: live.process.url });
    channel = await CheckedChannel.open(live.process.url);
    await live.apply([put('measurements', 'mixed', { datatype: 'd', archMode: 'change' })]);
    // A minute, each second a value: good, then forced, then bad.
    const minute = Array.from({ length: 60 }, (_, at) => {
      const isForced = at >= 20 && at < 40;
      const quality = at >= 40 ? 0x18 : isForced ? 0xd8 : 0xc0;
      return [`d${at}`, [startS + at, 0], quality, isForced ? 1 : 0] as [string, [number, number], number, number];
    });
    await client.archive.backfill('measurements', 'mixed', minute);
  },
  end: () => channel.close(),
});

const overHttp = async (query: string) => {
  const path = `/archive/measurements/mixed/${startS}/${startS + 60}?resample=20&${query}`;
  return (await live.read<Record<string, AggregateRow[]>>(path, MeasurementArchive)).mixed;
};
const overChannel = async (fields: { aggregate: string; flags?: boolean }) => {
  const asked = {
    archive: 'measurements',
    name: 'mixed',
    t_since: startS,
    t_until: startS + 60,
    resample: 20,
  } as const;
  return (await channel.done('ReadArchive', { ...asked, ...fields })).records;
};
const ofClient = (aggregates: readonly ['avg', ...('max' | 'count' | 'percent-good')[]], flags?: boolean) =>
  client.archive.rows('measurements', 'mixed', {
    since: startS,
    until: startS + 60,
    resampleS: 20,
    aggregates,
    ...(flags && { flags }),
  });

const at = (seconds: number) => [startS + seconds, 0];

test('rows have the time, the quality and each aggregate, and are the same everywhere', async () => {
  const rows = await overHttp('aggregate=avg,max,count,percent-good');
  assert.deepEqual(rows, [
    { t: at(0), q: 192, avg: 'd9.5', max: 'd19', count: 'l20', 'percent-good': 'd100' },
    { t: at(20), q: 192, avg: 'd29.5', max: 'd39', count: 'l20', 'percent-good': 'd100' },
    { t: at(40), q: 24, avg: null, max: null, count: 'l0', 'percent-good': 'd0' },
  ]);
  assert.deepEqual(await overChannel({ aggregate: 'avg,max,count,percent-good' }), rows);
  assert.deepEqual(await ofClient(['avg', 'max', 'count', 'percent-good']), rows);
});

test('rows have flags where they are asked for: whether anything in the bucket was simulated', async () => {
  const rows = await overHttp('aggregate=avg,max&flags=1');
  assert.deepEqual(rows, [
    { t: at(0), q: 192, flags: 0, avg: 'd9.5', max: 'd19' },
    { t: at(20), q: 192, flags: 1, avg: 'd29.5', max: 'd39' },
    { t: at(40), q: 24, flags: 0, avg: null, max: null },
  ]);
  assert.deepEqual(await overChannel({ aggregate: 'avg,max', flags: true }), rows);
  assert.deepEqual(await ofClient(['avg', 'max'], true), rows);
});

test('rows of one aggregate are in the client as those of several: without a value where there is none', async () => {
  assert.deepEqual(await ofClient(['avg']), [
    { t: at(0), q: 192, avg: 'd9.5' },
    { t: at(20), q: 192, avg: 'd29.5' },
    { t: at(40), q: 24, avg: null },
  ]);
  assert.deepEqual((await ofClient(['avg'], true)).at(1), { t: at(20), q: 192, flags: 1, avg: 'd29.5' });
  const counts = await client.archive.rows('measurements', 'mixed', {
    since: startS,
    until: startS + 60,
    resampleS: 60,
    aggregates: ['count'],
  });
  assert.deepEqual(counts, [{ t: at(0), q: counts[0]?.q, count: 'l40' }]);
});
