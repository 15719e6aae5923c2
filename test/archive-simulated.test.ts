// Forced values in history, at the real server: how they are archived, what leaves them out, and alarms that they raise;
// over HTTP, the channel, the client and the command line.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import { AlarmArchive, CommandArchive, MeasurementArchive } from '@telltale/schema';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { CheckedChannel } from './checked-channel.ts';
import { runCli } from './cli-process.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const archived = { archMode: 'change' };
let client: TelltaleClient;
const live = new LiveServer({
  begin: async () => {
    client = new TelltaleClient({ url: live.process.url });
    await live.apply([
      put('measurements', 'tank', { datatype: 'd', ...archived }),
      put('measurements', 'copy', { datatype: 'd', ...archived }),
      put('measurements', 'mixed', { datatype: 'd', ...archived }),
      put('measurements', 'note', { datatype: 's', ...archived }),
      put('commands', 'wish', { datatype: 'd', ...archived }),
      put('alarms', 'tank_high', {
        severity: 1,
        trgMeasurement: 'tank',
        trgOperator: 'gt',
        trgRefValue: '80',
        ...archived,
      }),
    ]);
  },
});
const { data } = live;

const ever = '-99999999999/99999999999';
type Row = [value: string, t: [number, number], quality: number, flags?: number];
const rows = async (name: string, query = '') =>
  (await live.read<Record<string, Row[]>>(`/archive/measurements/${name}/${ever}${query}`, MeasurementArchive))[name] ??
  [];
const shown = (records: readonly Row[]) => records.map(([value, , ...rest]) => [value, ...rest]);
const reading = async (path: string, accept: string) =>
  (await fetch(`${live.process.url}/data${path}`, { headers: { accept } })).text();
const simulatedAt = (name: string, count: number) =>
  until(`${name} is archived`, async () => (await rows(name)).length >= count);

describe('a forced value', () => {
  test('that is good is archived as good with local override, others with their low byte; flags say that it was forced', async () => {
    await data.done('PUT', '/measurements/tank?value=d1');
    await data.done('PUT', '/measurements/tank?value=d2&quality=64');
    await data.done('PUT', '/measurements/tank?value=d90&quality=192');
    await simulatedAt('tank', 3);
    assert.deepEqual(shown(await rows('tank')), [
      ['d1', 0xd8],
      ['d2', 0x40],
      ['d90', 0xd8],
    ]);
    assert.deepEqual(shown(await rows('tank', '?flags=1')), [
      ['d1', 0xd8, 1],
      ['d2', 0x40, 1],
      ['d90', 0xd8, 1],
    ]);
    assert.deepEqual(await rows('tank', '?simulated=exclude'), []);
    assert.equal((await rows('tank', '?simulated=only')).length, 3);
    assert.equal((await rows('tank', '?simulated=include')).length, 3);
    for (const query of ['simulated=maybe', 'simulated=', 'flags=maybe']) {
      await data.refused('invalid-query', 'GET', `/archive/measurements/tank/${ever}?${query}`);
    }
  });

  test('that raises an alarm is named by its authority: live, on the channel, and in its history', async (t) => {
    const alarm = await data.read<{ state: string; authority: string }>('/alarms/tank_high');
    assert.deepEqual([alarm.state, alarm.authority], ['ACT_UNACK', 'trigger, simulated']);
    const channel = await CheckedChannel.open(live.process.url);
    cleanupOf(t).defer(() => channel.close());
    const { alarms } = (await channel.done('ReadAlarms', { names: ['tank_high'] })) as unknown as {
      alarms: Record<string, typeof alarm>;
    };
    assert.equal(alarms.tank_high?.authority, 'trigger, simulated');
    await data.done('POST', '/alarms/tank_high/acknowledge?authority=anna');
    const history = async (query = '') =>
      (
        await live.read<Record<string, { state: string; authority: string; flags?: number }[]>>(
          `/archive/alarms/tank_high/${ever}${query}`,
          AlarmArchive,
        )
      ).tank_high?.map(({ state, authority, flags }) => [state, authority, flags]);
    await until('the acknowledgement is archived', async () => (await history())?.length === 2);
    const [raised, acknowledged] = [
      ['ACT_UNACK', 'trigger, simulated', 1],
      ['ACT_ACK', 'anna', 0],
    ];
    assert.deepEqual(await history('?flags=1'), [raised, acknowledged]);
    assert.deepEqual(await history('?flags=1&simulated=only'), [raised]);
    assert.deepEqual(await history('?flags=1&simulated=exclude'), [acknowledged]);
    assert.equal((await history('?simulated=only'))?.[0]?.[2], undefined);
    const csv = await reading(`/archive/alarms/tank_high/${ever}?flags=1`, 'text/csv');
    assert.match(
      csv,
      /^name,time,state,authority,description,flags\r\ntank_high,[^,]+,ACT_UNACK,"trigger, simulated",,1\r\n/,
    );
  });
});

describe('flags', () => {
  test('go out and come back: CSV, rows and columns of another name are the same', async () => {
    const csv = await reading(`/archive/measurements/tank/${ever}?flags=1`, 'text/csv');
    assert.match(csv, /^name,time,value,quality,flags\r\ntank,[^,]+Z,1,216,1\r\n/);
    const path = `${live.process.url}/data/archive/measurements/copy`;
    const post = (body: string, type: string) =>
      fetch(path, { method: 'POST', body, headers: { 'content-type': type } });
    const copied = await post(csv.replaceAll('\r\ntank,', '\r\ncopy,'), 'text/csv');
    assert.equal(copied.status, 204, await copied.text());
    const all = await rows('tank', '?flags=1');
    assert.deepEqual(await rows('copy', '?flags=1'), all);
    await data.done('DELETE', `/archive/measurements/copy/${ever}`);
    await client.archive.backfill('measurements', 'copy', all);
    assert.deepEqual(await rows('copy', '?flags=1'), all);
    const columns = await Array.fromAsync(
      client.archive.columns('measurements', { names: ['copy'], since: [0, 1], flags: true }),
    );
    assert.deepEqual(
      columns.map(({ qualities, flags }) => [[...qualities], [...(flags ?? [])]]),
      [
        [
          [0xd8, 0x40, 0xd8],
          [1, 1, 1],
        ],
      ],
    );
    const [plain] = await Array.fromAsync(
      client.archive.columns('measurements', { names: ['copy'], since: [0, 1], simulated: 'only' }),
    );
    assert.deepEqual([plain?.times.length, plain?.flags], [3, undefined]);
    for (const [body, type] of [
      ['time,value,quality,flags\n1,2,192,2\n', 'text/csv'],
      ['time,value,flags,flags\n1,2,1,1\n', 'text/csv'],
      ['[["d1",[1,0],192,2]]', 'application/json'],
      ['[["d1",[1,0],192,1,1]]', 'application/json'],
    ] as const) {
      assert.equal((await post(body, type)).status, 400, body);
    }
  });

  test('are there of commands and texts as well: a command is never simulated', async () => {
    await data.done('PUT', '/commands/wish?value=d4');
    await data.done('PUT', '/measurements/note?value=shello');
    await simulatedAt('note', 1);
    assert.deepEqual(shown(await rows('note', '?flags=1')), [['shello', 0xd8, 1]]);
    const wish = async (query: string) =>
      (await live.read<Record<string, unknown[][]>>(`/archive/commands/wish/${ever}${query}`, CommandArchive)).wish;
    await until('the command is archived', async () => (await wish(''))?.length === 1);
    const [[, , flags] = []] = (await wish('?flags=1')) ?? [];
    assert.equal(flags, 0);
    assert.deepEqual([(await wish('?simulated=only'))?.length, (await wish('?simulated=exclude'))?.length], [0, 1]);
  });
});

describe('what is left out is not there', () => {
  /** A minute of a device, each second a value; from 20 to 40 it was forced. */
  const startS = 1_600_000_000;
  const minute = Array.from({ length: 60 }, (_, at): Row => {
    const isForced = at >= 20 && at < 40;
    return [`d${isForced ? 1000 : at}`, [startS + at, 0], isForced ? 0xd8 : 0xc0, isForced ? 1 : 0];
  });
  const asked = async (query: string, since = startS) =>
    (
      await live.read<Record<string, Row[]>>(
        `/archive/measurements/mixed/${since}/${startS + 60}?${query}`,
        MeasurementArchive,
      )
    ).mixed?.map(([value]) => value);

  test('for the record in force, for resampled and thinned reads, and for aggregates', async () => {
    await client.archive.backfill('measurements', 'mixed', minute);
    assert.deepEqual(await asked('warp_head=1&limit=1&simulated=exclude', startS + 30), ['d19']);
    assert.deepEqual(await asked('warp_head=1&limit=1&simulated=only', startS + 50), ['d1000']);
    assert.deepEqual(await asked('warp_head=1&limit=1&simulated=only', startS + 10), ['d1000']);
    assert.deepEqual(await asked('resample=15&simulated=exclude'), ['d0', 'd15', 'd19', 'd45']);
    assert.deepEqual(await asked('resample=60&aggregate=max&simulated=exclude'), ['d59']);
    assert.deepEqual(await asked('resample=60&aggregate=max'), ['d1000']);
    assert.deepEqual(await asked('resample=60&aggregate=count&simulated=only'), ['l20']);
    assert.ok(!(await asked('max-points=8&simulated=exclude'))?.includes('d1000'));
    const { mixed } = await live.read<Record<string, Row[]>>(
      `/archive/measurements/mixed/${startS}/${startS + 60}?resample=20&aggregate=max&flags=1`,
      MeasurementArchive,
    );
    assert.deepEqual(
      mixed?.map(([value, , , flags]) => [value, flags]),
      [
        ['d19', 0],
        ['d1000', 1],
        ['d59', 0],
      ],
    );
  });

  test('on the channel, in the client and on the command line', async (t) => {
    const channel = await CheckedChannel.open(live.process.url);
    cleanupOf(t).defer(() => channel.close());
    const interval = { archive: 'measurements', name: 'mixed', t_since: startS, t_until: startS + 60 } as const;
    const read = async (more: { simulated?: 'exclude' | 'only'; flags?: boolean }) =>
      ((await channel.done('ReadArchive', { ...interval, ...more })) as unknown as { records: Row[] }).records;
    assert.equal((await read({ simulated: 'exclude' })).length, 40);
    assert.deepEqual((await read({ simulated: 'only', flags: true })).at(0), minute[20]);
    assert.equal((await read({})).at(0)?.length, 3);
    const options = { since: startS, until: startS + 60 };
    assert.deepEqual(await client.archive.read('measurements', 'mixed', { ...options, flags: true }), minute);
    const many = await client.archive.readMany('measurements', { ...options, names: ['mixed'], simulated: 'only' });
    assert.equal(many.mixed?.length, 20);
    const cli = async (args: string) => {
      const { code, stdout, stderr } = await runCli(args.split(' '), { url: live.process.url });
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const times = '--since 2020-09-13T12:26:40Z --until 2020-09-13T12:27:40Z';
    assert.equal((await cli(`history mixed ${times} --simulated exclude --csv`)).split('\r\n').length, 42);
    assert.deepEqual(JSON.parse(await cli(`history mixed ${times} --flags --json`)).mixed, minute);
    const exported = await cli(`archive export --names mixed ${times} --simulated only --flags`);
    assert.match(exported, /^name,time,value,quality,flags\r\nmixed,[^\r]*,1000,216,1\r\n/);
    const { code, stderr } = await runCli(['history', 'mixed', '--simulated', 'some'], { url: live.process.url });
    assert.deepEqual([code, /include, exclude/.test(stderr)], [2, true], stderr);
  });

  test('after a restart and compacting, from blocks', async () => {
    const before = await rows('mixed', '?flags=1');
    await live.restart();
    client = new TelltaleClient({ url: live.process.url });
    for await (const _ of client.archive.compact());
    assert.deepEqual(await rows('mixed', '?flags=1'), before);
    assert.equal((await rows('mixed', '?simulated=only')).length, 20);
    assert.deepEqual(shown(await rows('tank', '?flags=1')).slice(0, 3), [
      ['d1', 0xd8, 1],
      ['d2', 0x40, 1],
      ['d90', 0xd8, 1],
    ]);
  });
});
