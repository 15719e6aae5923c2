// The archive of the real server, from the outside: what is live becomes history, every form of an answer, backfill,
// erasing, over HTTP and the channel, across changes of the configuration and restarts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ArchiveColumns, TelltaleClient } from '@telltale/client';
import {
  AlarmArchive,
  ArchiveStats,
  CommandArchive,
  datatypes,
  MeasurementArchive,
  type MeasurementRecord,
} from '@telltale/schema';
import { CheckedChannel } from './checked-channel.ts';
import { runCli } from './cli-process.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const archived = { archMode: 'change' };
let archive: TelltaleClient['archive'];
const live = new LiveServer({
  begin: async () => {
    archive = new TelltaleClient({ url: live.process.url }).archive;
    await live.apply([
      ...datatypes.map((datatype) => put('measurements', `of_${datatype}`, { datatype, ...archived })),
      put('measurements', 'short_lived', { datatype: 'i', ...archived }),
      put('commands', 'wish', { datatype: 'd', ...archived }),
      put('alarms', 'leak', { severity: 1, description: 'It "drips",\nhere', ...archived }),
    ]);
  },
});
const { data } = live;

/** The extremes of each datatype, and what text may have in it. */
const extremes: Record<string, string[]> = {
  b: ['b0', 'b1'],
  q: ['q0', 'q1', 'q2', 'q3'],
  i: ['i-2147483648', 'i2147483647', 'i0'],
  l: ['l-9223372036854775808', 'l9223372036854775807', 'l9007199254740993'],
  f: ['f0.1', 'f-340282350000000000000000000000000000000', 'f0.000000000000000000000000000000000000000000001'],
  d: ['d0.1', 'd-0', `d17976931348623157${'0'.repeat(292)}`, `d0.${'0'.repeat(323)}5`],
  s: ['s', 'sa,b', 's"quoted"', 'sline\r\nbreak', 's💧', 's\u2028'],
};

const records = (datatype: string): MeasurementRecord[] =>
  (extremes[datatype] ?? []).map((value, at) => [value, [1_600_000_000 + at, 999_999], [192, 24, 88][at % 3] ?? 0]);

describe('the archive', () => {
  test('has what was live: values, commands and transitions, in order', async () => {
    for (const value of ['d1', 'd2', 'd3']) await data.done('PUT', `/measurements/of_d?value=${value}`);
    await data.done('DELETE', '/measurements/of_d');
    for (const value of ['d4', 'd5']) await data.done('PUT', `/commands/wish?value=${value}`);
    await data.done('POST', '/alarms/leak/activate?authority=anna');
    await data.done('POST', '/alarms/leak/acknowledge?authority=bob');
    const path = '/archive/alarms/leak/-60/99999999999';
    const readAlarms = () =>
      live.read<Record<string, { state: string; authority: string; description: string }[]>>(path, AlarmArchive);
    await until('the last of it is archived', async () => (await readAlarms()).leak?.at(-1)?.state === 'ACT_ACK');
    const { of_d: values } = await live.read<Record<string, MeasurementRecord[]>>(
      '/archive/measurements/of_d/-60/99999999999',
      MeasurementArchive,
    );
    assert.match(values?.map(([value]) => value).join() ?? '', /d1,d2,d3/);
    const commands = await live.read<Record<string, [string][]>>(
      '/archive/commands/wish/-60/99999999999',
      CommandArchive,
    );
    assert.deepEqual(
      commands.wish?.slice(-2).map(([value]) => value),
      ['d4', 'd5'],
    );
    const alarms = await readAlarms();
    assert.deepEqual(
      alarms.leak?.slice(-2).map(({ state, authority, description }) => [state, authority, description]),
      [
        ['ACT_UNACK', 'anna', 'It "drips",\nhere'],
        ['ACT_ACK', 'bob', 'It "drips",\nhere'],
      ],
    );
    const active = await live.read<typeof alarms>('/archive/alarms/leak/active/-60/99999999999', AlarmArchive);
    assert.ok(active.leak?.every(({ state }) => state.startsWith('ACT_')));
  });

  for (const datatype of datatypes) {
    test(`gives back every value of ${datatype} as it came, in every form`, async () => {
      const name = `of_${datatype}`;
      const sent = records(datatype);
      const interval = { since: [1_600_000_000, 0], until: [1_600_001_000, 0] } as const;
      await archive.backfill('measurements', name, sent.toReversed());
      assert.deepEqual(
        await archive.read('measurements', name, { since: [1_600_000_000, 0], until: [1_600_001_000, 0] }),
        sent,
      );
      const path = `/archive/measurements/${name}/1600000000/1600001000`;
      const { [name]: read } = await live.read<Record<string, MeasurementRecord[]>>(path, MeasurementArchive);
      assert.deepEqual(read, sent);
      const columns: ArchiveColumns[] = await Array.fromAsync(
        archive.columns('measurements', { names: [name], since: [...interval.since], until: [...interval.until] }),
      );
      assert.deepEqual(
        columns.flatMap(({ times }) => [...times]),
        sent.map(([, [s, us]]) => s * 1e6 + us),
      );
      assert.deepEqual(
        columns.flatMap(({ qualities }) => [...qualities]),
        sent.map(([, , q]) => q),
      );
      assert.ok(columns.every((each) => each.datatype === datatype && each.name === name));
      const values = columns.flatMap((each): (number | bigint | string)[] =>
        Array.from<number | bigint | string>(each.values),
      );
      const plain = sent.map(([value]) => value.slice(1));
      if (datatype === 's') assert.deepEqual(values, plain);
      else if (datatype === 'l') assert.deepEqual(values, plain.map(BigInt));
      else
        assert.deepEqual(
          values,
          plain.map((text) => (datatype === 'f' ? Math.fround(Number(text)) : Number(text))),
        );
    });
  }

  test('replaces what is at the same time, however often it is added', async () => {
    const at: [number, number] = [1_500_000_000, 1];
    for (const value of ['d1', 'd2', 'd2']) await archive.backfill('measurements', 'of_d', [[value, at, 192]]);
    assert.deepEqual(await archive.read('measurements', 'of_d', { since: at, until: [at[0], 2] }), [['d2', at, 192]]);
  });

  test('resamples, aggregates, thins out, limits, and begins with what was in force', async () => {
    const hour = Array.from({ length: 3600 }, (_, at): MeasurementRecord => [`d${at}`, [1_400_000_000 + at, 0], 192]);
    await archive.backfill('measurements', 'of_d', hour);
    const interval = { since: [1_400_000_000, 500_000], until: [1_400_003_600, 0] } satisfies {
      since: [number, number];
      until: [number, number];
    };
    const read = (options: object) => archive.read('measurements', 'of_d', { ...interval, ...options });
    assert.deepEqual(await read({ limit: 1 }), [hour[1]]);
    assert.deepEqual((await read({ warpHead: true, limit: 1 }))[0], ['d0', interval.since, 192]);
    const resampled = await read({ resampleS: 600 });
    assert.deepEqual(
      resampled.map(([value]) => value),
      ['d0', 'd600', 'd1200', 'd1800', 'd2400', 'd3000'],
    );
    const counts = await read({ resampleS: 600, aggregate: 'count' });
    assert.deepEqual(
      counts.map(([value]) => value),
      ['l600', 'l600', 'l600', 'l600', 'l600', 'l599'],
    );
    const averages = await read({ resampleS: 600, aggregate: 'avg', limit: 1 });
    assert.deepEqual(averages, [['d300', interval.since, 192]]);
    const thinned = await read({ maxPoints: 40 });
    assert.ok(thinned.length <= 40 && thinned.length >= 10, String(thinned.length));
    assert.deepEqual([thinned[0], thinned.at(-1)], [hour[1], hour.at(-1)]);
    await data.refused('invalid-query', 'GET', '/archive/measurements/of_s/1/2?resample=1&aggregate=avg');
  });

  test('has the records of the last time there is in whatever ends behind it, and lets go of them', async () => {
    const last: MeasurementRecord = ['i7', [9_007_199_254, 740_991], 192];
    await archive.backfill('measurements', 'short_lived', [last]);
    const path = '/archive/measurements/short_lived/9007199254/99999999999';
    const read = async (query = '') =>
      (await live.read<Record<string, MeasurementRecord[]>>(path + query, MeasurementArchive)).short_lived;
    for (const query of ['', '?max-points=10', '?warp_head=1']) assert.deepEqual(await read(query), [last]);
    assert.deepEqual(await read('?resample=1&aggregate=last'), [], 'nothing is known of times to come');
    const atLast = '/archive/measurements/short_lived/9007199254.740991/9007199254.740991?warp_head=1';
    for (const query of ['', '&resample=0.000001&aggregate=last']) {
      const { short_lived: found } = await live.read<Record<string, MeasurementRecord[]>>(
        atLast + query,
        MeasurementArchive,
      );
      assert.deepEqual(found, query === '' ? [last] : []);
    }
    const behind = '/archive/measurements/short_lived/99999999999/99999999999';
    await data.done('DELETE', behind);
    assert.deepEqual(await read(), [last]);
    for (const query of ['', '?resample=1', '?resample=1&aggregate=last&warp_head=1', '?max-points=10']) {
      const found = await live.read<Record<string, MeasurementRecord[]>>(behind + query, MeasurementArchive);
      assert.deepEqual(found, { short_lived: [] });
    }
    await data.done('DELETE', path);
    assert.deepEqual(await read(), []);
  });

  test('is read and erased over the channel as over HTTP', async () => {
    const channel = await CheckedChannel.open(live.process.url);
    const name = 'of_i';
    const interval = { archive: 'measurements', name, t_since: 1_600_000_000, t_until: 1_600_000_001 } as const;
    const { records: found } = await channel.done('ReadArchive', { ...interval, t_until: 1_600_001_000 });
    assert.deepEqual(found, records('i'));
    const { records: first } = await channel.done('ReadArchive', { ...interval, t_until: 1_600_001_000, limit: 1 });
    assert.deepEqual(first, records('i').slice(0, 1));
    await channel.done('EraseArchive', interval);
    assert.deepEqual(
      (await channel.done('ReadArchive', { ...interval, t_until: 1_600_001_000 })).records,
      records('i').slice(1),
    );
    await channel.refused('unknown-object', 'ReadArchive', { ...interval, name: 'nobody' });
    await channel.refused('invalid-interval', 'EraseArchive', { ...interval, t_until: 1 });
    await channel.close();
  });

  test('outlives the object, its datatype and the process', async () => {
    const at = (second: number): [number, number] => [1_600_000_000 + second, 0];
    await archive.backfill('measurements', 'short_lived', [['i1', at(1), 192]]);
    await live.apply([put('measurements', 'short_lived', { datatype: 'd', ...archived })]);
    await archive.backfill('measurements', 'short_lived', [['d2.5', at(2), 192]]);
    await live.apply([{ operation: 'delete', family: 'measurements', name: 'short_lived' }]);
    const stored = [
      ['i1', at(1), 192],
      ['d2.5', at(2), 192],
    ];
    const all = { since: [1_500_000_000, 0], until: [1_700_000_000, 0] } satisfies {
      since: [number, number];
      until: [number, number];
    };
    assert.deepEqual(await archive.read('measurements', 'short_lived', all), stored);
    await live.restart('SIGKILL');
    archive = new TelltaleClient({ url: live.process.url }).archive;
    assert.deepEqual(await archive.read('measurements', 'short_lived', all), stored);
    await archive.backfill('measurements', 'short_lived', [['d3', at(3), 192]]);
    assert.ok((await archive.names('measurements')).includes('short_lived'));
    await archive.erase('measurements', 'short_lived', all);
    assert.deepEqual(await archive.read('measurements', 'short_lived', all), []);
    await data.refused('unknown-object', 'GET', '/archive/measurements/nobody/1/2');
  });

  test('exports at the command line what it imports', async () => {
    const url = live.process.url;
    const exported = await runCli(
      ['archive', 'export', '--names', 'of_s,of_l', '--since', '1600000000', '--until', '1600001000'],
      { url },
    );
    assert.equal(exported.code, 0, exported.stderr);
    for (const name of ['of_s', 'of_l'])
      await archive.erase('measurements', name, { since: 1_600_000_000, until: 1_600_001_000 });
    const imported = await runCli(['archive', 'import', '-'], { url, input: exported.stdout });
    assert.deepEqual([imported.code, imported.stderr], [0, '']);
    for (const datatype of ['s', 'l']) {
      const found = await archive.read('measurements', `of_${datatype}`, {
        since: 1_600_000_000,
        until: 1_600_001_000,
      });
      assert.deepEqual(found, records(datatype));
    }
  });

  test('reports its figures, is checked and compacted', async () => {
    const stats = await live.read<{ records: number; damages: unknown[] }>('/archive/stats', ArchiveStats);
    assert.ok(stats.records > 3600);
    assert.deepEqual(stats.damages, []);
    for (const care of [archive.check(), archive.compact()]) {
      const steps = await Array.fromAsync(care);
      assert.equal(steps.at(-1)?.done, true);
      assert.deepEqual(steps.at(-1)?.damages ?? [], []);
    }
  });

  test('answers as its document says', async () => {
    assert.deepEqual(await data.undocumented(), []);
  });
});
