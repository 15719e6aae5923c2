// Renames of the real server: the history, the state and everything that refers to an object follow; a kill at any moment leaves
// wholly the old name or wholly the new one. CRASH_RUNS says how many moments are tried.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { TelltaleClient, TelltaleProblem } from '@telltale/client';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { CheckedChannel } from './checked-channel.ts';
import { runCli } from './cli-process.ts';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const runs = Math.min(200, Number(process.env.CRASH_RUNS ?? 6));
const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);

const plant = [
  put('connectors', 'device', { stackName: 'simulator', wdtMeasurement: 'up' }),
  put('providers', 'panel', { stackName: 'simulator', properties: { writes: 'level, setpoint' } }),
  put('measurements', 'up', { datatype: 'b' }),
  put('measurements', 'level', { datatype: 'd', archMode: 'change', properties: { archRetention: '90y' } }),
  put('measurements', 'flow', { datatype: 'd', archMode: 'change', leader: 'level' }),
  put('commands', 'setpoint', { datatype: 'd', archMode: 'change' }),
  put('alarms', 'high', {
    severity: 1,
    trgMeasurement: 'level',
    trgOperator: 'gt',
    trgRefValue: '80',
    archMode: 'change',
  }),
  put('function-modules', 'control', {
    termToKill: 1,
    queryTimeout: 0,
    enabled: false,
    properties: { writes: 'setpoint, level x*' },
  }),
];
const past = [
  ['d1', [1_600_000_000, 0], 0xc0],
  ['d2', [1_600_000_001, 0], 0xc0],
] as [string, [number, number], number][];
const interval = { since: [1_600_000_000, 0], until: [1_600_001_000, 0] } as const;

const clientOf = ({ url }: ServerProcess) => new TelltaleClient({ url });
const recordsOf = (client: TelltaleClient, name: string) =>
  client.archive.read('measurements', name, { since: [...interval.since], until: [...interval.until] });
const isUnknown = (error: unknown) => error instanceof TelltaleProblem && error.status === 404;

async function begin(
  t: TestContext | AsyncDisposableStack,
  data: string,
): Promise<{ server: ServerProcess; client: TelltaleClient }> {
  const server = await startServer(t, { data });
  const client = clientOf(server);
  await client.configuration.transaction(plant, { render: true });
  await client.archive.backfill('measurements', 'level', past);
  await client.commands.write('setpoint', 'd42');
  await client.measurements.simulate('level', 'd90');
  await client.alarms.operate('high', 'acknowledge', { authority: 'ann' });
  return { server, client };
}

describe('a renamed object', () => {
  let server: ServerProcess;
  let client: TelltaleClient;
  const data = join(folder, 'renamed');

  before(async () => {
    ({ server, client } = await begin(cleanup, data));
  });

  test('runs under its old name until it is rendered, and nothing is changed by a dry run', async () => {
    const would = await client.configuration.rename('measurements', 'level', 'basin', { dryRun: true });
    const referrers = [
      { family: 'alarms', name: 'high' },
      { family: 'measurements', name: 'flow' },
      { family: 'providers', name: 'panel' },
      { family: 'function-modules', name: 'control' },
    ];
    assert.deepEqual(would, { referrers });
    assert.equal(await client.configuration.isUpToDate(), true);
    assert.deepEqual(await client.configuration.rename('measurements', 'level', 'basin'), { referrers });
    assert.deepEqual((await client.configuration.names('measurements')).sort(), ['basin', 'flow', 'up']);
    assert.equal((await client.configuration.get('alarms', 'high')).trgMeasurement, 'basin');
    assert.equal((await client.configuration.get('measurements', 'flow')).leader, 'basin');
    assert.equal(
      (await client.configuration.get('function-modules', 'control')).properties?.writes,
      'setpoint, basin x*',
    );
    assert.equal((await client.configuration.get('providers', 'panel')).properties?.writes, 'basin, setpoint');
    assert.equal((await client.measurements.get('level')).vtq[0], 'd90');
    assert.deepEqual(await recordsOf(client, 'level'), past);
  });

  test('is not renamed to a name that another one has, or that is no name', async () => {
    const refused = (to: string, status: number) =>
      assert.rejects(client.configuration.rename('measurements', 'basin', to), { status });
    await refused('flow', 409);
    await refused('basin', 409);
    await refused('names', 400);
    await refused('a-b', 400);
    await assert.rejects(client.configuration.rename('measurements', 'nobody', 'x'), { status: 404 });
  });

  test('has its history, value and state under the new name once it is rendered, and watchers are told', async () => {
    const channel = await CheckedChannel.open(server.url);
    await channel.ask('WatchMeasurements', { measurements: 'all' });
    const events = () =>
      channel.messages.flatMap((message) =>
        'updates' in message
          ? (message.updates as { name: string; removed?: true }[]).map(({ name, removed }) =>
              removed ? `${name} removed` : name,
            )
          : [],
      );
    await client.configuration.rename('commands', 'setpoint', 'target');
    await client.configuration.rename('alarms', 'high', 'overflow');
    await client.configuration.render();
    await until('the watcher was told', async () => events().includes('level removed') && events().includes('basin'));
    channel.socket.close();
    await check(client);
  });

  async function check(client: TelltaleClient): Promise<void> {
    assert.deepEqual(await recordsOf(client, 'basin'), past);
    await assert.rejects(recordsOf(client, 'level'), isUnknown);
    assert.equal((await client.measurements.get('basin')).vtq[0], 'd90');
    assert.deepEqual(Object.keys(await client.measurements.simulations()), ['basin']);
    assert.equal((await client.commands.get('target')).vt[0], 'd42');
    const { state, authority } = await client.alarms.get('overflow');
    assert.deepEqual([state, authority], ['ACT_ACK', 'ann']);
    assert.deepEqual(await client.archive.names('commands'), ['target']);
    assert.deepEqual(await client.archive.names('alarms'), ['overflow']);
  }

  test('is the same after a restart, and new records go on in its history', async (t) => {
    await server.end();
    server = await startServer(t, { data });
    client = clientOf(server);
    await check(client);
    await client.measurements.simulate('basin', 'd70');
    await until('it is archived', async () => {
      const all = await client.archive.read('measurements', 'basin', { since: [1_600_000_000, 0] });
      return all.at(-1)?.[0] === 'd70' && all.length >= 4;
    });
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  });

  test('can have its old name again, which another one then can not', async (t) => {
    server = await startServer(t, { data });
    client = clientOf(server);
    await client.configuration.rename('measurements', 'basin', 'level');
    await client.configuration.rename('measurements', 'level', 'basin');
    assert.equal(await client.configuration.isUpToDate(), true);
    await client.configuration.rename('measurements', 'basin', 'level', { render: true });
    assert.deepEqual(await recordsOf(client, 'level'), past);
    const { stdout } = await runCli(['config', 'rename', 'measurements', 'level', 'tank', '--render'], {
      url: server.url,
    });
    assert.deepEqual(JSON.parse(stdout).renamed, { family: 'measurements', from: 'level', to: 'tank' });
    assert.deepEqual(await recordsOf(client, 'tank'), past);
  });
});

test(`a server killed at ${runs} moments of a rename has wholly the old name, or wholly the new one`, async (t) => {
  const data = join(folder, 'killed');
  const { server } = await begin(cleanup, data);
  await server.end();
  let [name, other] = ['level', 'basin'];
  for (let run = 0; run < runs; run++) {
    const dying = await startServer(t, { data });
    const rendered = clientOf(dying)
      .configuration.rename('measurements', name, other, { render: true })
      .then(
        () => true,
        () => false,
      );
    await wait((run * 7) % 40); // any moment will do
    await dying.end('SIGKILL');
    const wasAnswered = await rendered;
    const server = await startServer(t, { data });
    const client = clientOf(server);
    const names = Object.keys(await client.measurements.list());
    const isNew = names.includes(other);
    assert.equal(names.includes(name), !isNew);
    if (wasAnswered) assert.ok(isNew, 'what was answered is gone');
    const [has, hasNot] = isNew ? [other, name] : [name, other];
    assert.deepEqual(await recordsOf(client, has), past, `run ${run}`);
    await assert.rejects(recordsOf(client, hasNot), isUnknown);
    assert.equal((await client.measurements.get(has)).vtq[0], 'd90');
    assert.equal((await client.configuration.get('alarms', 'high')).trgMeasurement, has);
    assert.equal((await client.alarms.get('high')).state, 'ACT_ACK');
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    if (isNew) [name, other] = [other, name];
    await server.end();
  }
});
