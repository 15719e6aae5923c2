// Promises of the overview, against the real server: what a header shows of the plant and the service, of what its reader may
// view alone.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { TelltaleClient, TelltaleProblem } from '@telltale/client';
import type { Overview } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { CheckedChannel } from './checked-channel.ts';
import { makeTokens } from './granted-server.ts';
import { put } from './live-plant.ts';
import { scopedPlant } from './scopes-plant.ts';
import { runServer, type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
let tokens: Awaited<ReturnType<typeof makeTokens<'north' | 'shift' | 'stranger'>>>;

before(async () => {
  const open = await startServer(cleanup, { data: folder });
  const client = new TelltaleClient({ url: open.url });
  await client.configuration.transaction(
    [
      ...(await scopedPlant()),
      put('alarms', 'n_low', { severity: 7, area: 'north' }),
      put('alarms', 's_gone', { severity: 7, area: 'south' }),
    ],
    { render: true, comment: 'first' },
  );
  await open.end();
  tokens = await makeTokens(folder, {
    north: [{ role: 'all', area: 'north' }],
    shift: [{ role: 'operator' }],
    stranger: [],
  });
  server = await startServer(cleanup, { data: folder, args: ['--time-zone', 'europe/vienna'] });
});

const clientOf = (name: keyof typeof tokens) => new TelltaleClient({ url: server.url, token: tokens[name] });

/** What it is when a second has passed. */
const whenSo = (name: keyof typeof tokens, isSo: (found: Overview) => boolean) =>
  until(`the overview of ${name}`, async () => {
    const found = await clientOf(name).service.overview();
    return isSo(found) && found;
  });

describe('the overview', () => {
  test('counts what its reader may view, and nothing else', async () => {
    const chief = clientOf('chief');
    await chief.measurements.simulate('n_level', 'd4');
    await chief.measurements.simulate('s_level', 'd4', { quality: 0 });
    const all = await whenSo('chief', ({ measurements, connectors }) => {
      return measurements.simulated === 2 && connectors.up === 2;
    });
    const { good, uncertain, bad } = all.measurements;
    assert.deepEqual([good + uncertain + bad, all.commands], [5, 2]);
    assert.ok(bad >= 1);
    assert.deepEqual(all.connectors, { connecting: 0, up: 2, down: 0, failed: 0, disabled: 0 });
    assert.equal(all.providers.up + all.providers.connecting, 2);
    assert.deepEqual(all['function-modules'], { STOP: 2, INIT: 0, RUN: 0, FAIL: 0 });
    const north = await whenSo('north', ({ measurements, connectors }) => {
      return measurements.simulated === 1 && connectors.up === 1;
    });
    const seen = north.measurements;
    assert.deepEqual([seen.good + seen.uncertain + seen.bad, north.commands], [2, 1]);
    assert.deepEqual(north['function-modules'], { STOP: 1, INIT: 0, RUN: 0, FAIL: 0 });
    assert.equal(north.plant, null);
  });

  test('has the alarms that wait by severity, and the gravest that nobody has acknowledged', async () => {
    const chief = clientOf('chief');
    assert.equal((await whenSo('chief', () => true)).alarms['most-urgent'], null);
    await chief.alarms.activate('n_low');
    await chief.alarms.activate('s_gone');
    await chief.alarms.deactivate('s_gone');
    const first = await whenSo('chief', ({ alarms }) => alarms.INACT_UNACK === 1);
    assert.equal(first.alarms['most-urgent']?.name, 's_gone'); // the newest of the gravest
    await chief.alarms.activate('n_high');
    await chief.alarms.activate('s_high');
    await chief.alarms.acknowledge('s_high');
    const { alarms } = await whenSo('chief', (found) => found.alarms.ACT_ACK === 1);
    assert.deepEqual(
      { ...alarms, 'most-urgent': alarms['most-urgent']?.name },
      {
        ...{ INACT_ACK: 0, ACT_UNACK: 2, ACT_ACK: 1, INACT_UNACK: 1 },
        severities: [
          { severity: 1, ACT_UNACK: 1, ACT_ACK: 1, INACT_UNACK: 0 },
          { severity: 7, ACT_UNACK: 1, ACT_ACK: 0, INACT_UNACK: 1 },
        ],
        'most-urgent': 'n_high',
      },
    );
    assert.deepEqual(alarms['most-urgent'], await chief.alarms.get('n_high'));
    const north = await whenSo('north', (found) => found.alarms.ACT_UNACK === 2);
    assert.equal(JSON.stringify(north).includes('s_'), false);
  });

  test('says which revision runs and how much is edited, to whoever may read the configuration', async () => {
    const chief = clientOf('chief');
    const before = (await whenSo('chief', () => true)).configuration;
    const [revision] = await chief.configuration.revisions();
    assert.deepEqual(before?.revision, { id: revision?.id, time: revision?.time, author: revision?.author });
    assert.deepEqual([before?.['up-to-date'], before?.edits, before?.objects?.measurements], [true, 0, 5]);
    await chief.configuration.put('alarms', 'n_low', { name: 'n_low', severity: 6, area: 'north' });
    await chief.configuration.put('alarms', 's_gone', { name: 's_gone', severity: 6, area: 'south' });
    assert.equal((await chief.service.overview()).configuration?.edits, 2);
    const { configuration } = await clientOf('north').service.overview();
    assert.deepEqual([configuration?.['up-to-date'], configuration?.edits, configuration?.objects], [false, 1, null]);
    assert.equal((await clientOf('shift').service.overview()).configuration, null);
    await chief.configuration.render();
    const after = (await chief.service.overview()).configuration;
    assert.deepEqual([after?.edits, after?.revision?.id], [0, (revision?.id ?? 0) + 1]);
  });

  test('has the time zone of the plant, rates, clients and the disk', async () => {
    const channel = await CheckedChannel.open(server.url, { headers: { authorization: `Bearer ${tokens.shift}` } });
    const found = await whenSo('shift', ({ plant }) => (plant?.['values-per-second'] ?? 0) > 0);
    assert.equal(found['time-zone'], 'Europe/Vienna');
    assert.equal(found['not-ready'], null);
    assert.match(found.service.version, /^\d+\.\d+\.\d+/);
    assert.ok(found.service.started[0] <= found.t[0]);
    assert.equal(found.plant?.['channel-clients'], 1);
    assert.ok((found.plant?.['disk-free-bytes'] ?? 0) > 0);
    const { overview } = await channel.ask('ReadOverview', {});
    assert.deepEqual(Object.keys(overview as Overview), Object.keys(found));
    await channel.close();
  });

  test('is refused to whoever may view nothing', async () => {
    await assert.rejects(clientOf('stranger').service.overview(), (error: unknown) => {
      return error instanceof TelltaleProblem && error.status === 403;
    });
  });
});

test('a time zone that is none keeps the server from starting, and says so', async () => {
  const { code, stderr } = await runServer(['--data', folder, '--time-zone', 'Europe/Nowhere']);
  assert.equal(code, 1);
  assert.match(stderr, /--time-zone "Europe\/Nowhere" must be a time zone such as Europe\/Vienna or UTC/);
});
