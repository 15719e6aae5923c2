// Connectors and providers that are taken out of service, of the real server and with a real Modbus device: who did it,
// when and why is shown wherever they are missed, and they stay so until they are enabled.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import {
  type Explanation,
  LiveConnector,
  type LiveMeasurement,
  LiveProvider,
  type MeasurementRecord,
  quality,
} from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { registersScript, ScriptedDevice } from '../stacks/modbus/test/scripted-device.ts';
import { CheckedChannel } from './checked-channel.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();
let device: ScriptedDevice;
let providerPort: number;

const archived = { archMode: 'change' };
const live = new LiveServer({
  begin: async () => {
    device = await ScriptedDevice.start(registersScript(() => undefined));
    cleanup.defer(() => device.stop());
    providerPort = await freePort();
    const vars = { host: '127.0.0.1', port: String(device.port), scanPeriodMs: '20' };
    await live.apply([
      put('connectors', 'plc', { stackName: 'modbus', vars, wdtMeasurement: 'plc_link' }),
      put('providers', 'panel', { stackName: 'modbus', vars: { port: String(providerPort) } }),
      put('measurements', 'plc_link', { datatype: 'b' }),
      put('measurements', 'plc_level', {
        datatype: 'i',
        connectorName: 'plc',
        address: 'hr7:uint16',
        providerAddresses: { panel: 'ir0:int32' },
        ...archived,
      }),
      put('measurements', 'plc_forced', { datatype: 'i', connectorName: 'plc', address: 'hr8:uint16' }),
      put('commands', 'plc_setpoint', { datatype: 'i', connectorName: 'plc', address: 'hr9:uint16' }),
      put('alarms', 'plc_high', { severity: 1, trgMeasurement: 'plc_level', trgOperator: 'gt', trgRefValue: '5' }),
    ]);
  },
});
const { data } = live;
const { outOfService } = quality.bad;

const connector = () => live.read<LiveConnector>('/connectors/plc', LiveConnector);
const qualityOf = async (name: string) => (await data.read<LiveMeasurement>(`/measurements/${name}`)).vtq[2];
const isRead = () => until('it is read', async () => (await qualityOf('plc_level')) === quality.good);

/** Enabled, and read. */
async function inService(): Promise<void> {
  await data.done('POST', '/connectors/plc/enable');
  await isRead();
}

async function refusedWith(words: RegExp, ...request: Parameters<typeof data.refused>): Promise<void> {
  assert.match((await data.refused(...request)).detail, words);
}

async function channelFor(t: TestContext): Promise<CheckedChannel> {
  const channel = await CheckedChannel.open(live.process.url);
  t.after(() => channel.close());
  return channel;
}

/** Whether somebody listens on the port of the provider. */
function isServed(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(providerPort, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

describe('a connector that is disabled', () => {
  test('asks its device nothing; its measurements are bad, out of service, live, in history and to watchers', async (t) => {
    await inService();
    const channel = await channelFor(t);
    await channel.done('WatchMeasurements', { measurements: ['plc_level', 'plc_link'] });
    await channel.done('WatchConnectors', { connectors: ['plc'] });
    await data.done('PUT', '/measurements/plc_forced?value=i1');
    await data.done('POST', '/connectors/plc/disable?reason=new%20pump&authority=anna');
    const asked = device.asked.length;
    const { state, since, disabled, points, counters } = await connector();
    assert.deepEqual([state, disabled], ['disabled', { by: 'anna', t: since, reason: 'new pump' }]);
    assert.deepEqual(points, { good: 0, uncertain: 0, bad: 2 });
    const { vtq } = await data.read<LiveMeasurement>('/measurements/plc_level');
    assert.deepEqual([vtq[0], vtq[2]], ['i7', outOfService]);
    assert.deepEqual((await data.read<LiveMeasurement>('/measurements/plc_link')).vtq[0], 'b0');
    assert.equal(await qualityOf('plc_forced'), quality.good | quality.simulated);
    assert.equal((await data.read<{ state: string }>('/alarms/plc_high')).state, 'ACT_UNACK', 'it holds its state');
    await until('watchers are told', async () => {
      const told = channel
        .reported<{ name: string; vtq: unknown[] }>('MeasurementUpdateNotification', 'plc_level')
        .at(-1);
      const link = channel.reported<LiveConnector>('ConnectorUpdateNotification', 'plc').at(-1);
      return told?.vtq[2] === outOfService && link?.disabled?.by === 'anna';
    });
    const record = await until('it is in history', async () => {
      const { plc_level: level = [] } = await data.read<Record<string, MeasurementRecord[]>>(
        '/archive/measurements/plc_level/0/0',
      );
      return level.at(-1)?.[2] === outOfService && level.at(-1);
    });
    assert.deepEqual(record, vtq);
    await data.done('DELETE', '/measurements/plc_forced');
    assert.equal(await qualityOf('plc_forced'), outOfService);
    assert.equal(device.asked.length, asked);
    assert.equal((await connector()).counters.requests, counters.requests);
    const metrics = await (await fetch(`${live.process.url}/metrics`)).text();
    assert.match(metrics, /telltale_stack_state\{role="connector",name="plc",state="disabled"\} 1/);
    const trail = await (await fetch(`${live.process.url}/audit`)).text();
    assert.match(trail, /"operation":"disableConnector","object":"plc"/);
  });

  test('refuses writes, browsing and restarts with who disabled it and when; explain begins with it', async () => {
    await inService();
    await data.done('POST', '/connectors/plc/disable?reason=new%20pump.&authority=anna');
    const who = /Connector plc was disabled by anna at \d{4}-\d\d-\d\dT[\d:.]+Z: new pump\./;
    await refusedWith(who, 'connector-down', 'PUT', '/commands/plc_setpoint?value=i5');
    await refusedWith(who, 'connector-down', 'POST', '/connectors/plc/browse', { body: {} });
    await refusedWith(who, 'link-disabled', 'POST', '/connectors/plc/restart');
    const { summary, connector: link, stages } = await data.read<Explanation>('/measurements/plc_level/explain');
    assert.match(summary, new RegExp(`^${who.source} It does not connect before it is enabled`));
    assert.deepEqual([link?.state, link?.disabled?.by], ['disabled', 'anna']);
    assert.match(stages.find(({ stage }) => stage === 'watchdog')?.text ?? '', /is disabled/);
    assert.match((await data.read<Explanation>('/commands/plc_setpoint/explain')).summary, who);
    await data.done('PUT', '/measurements/plc_forced?value=i1');
    const forced = await data.read<Explanation>('/measurements/plc_forced/explain');
    assert.match(forced.summary, /^It is forced by .*Connector plc was disabled by anna/);
    await data.done('DELETE', '/measurements/plc_forced');
  });

  test('is still disabled after a kill right behind the answer, and after a stop, until it is enabled', async () => {
    await inService();
    await data.done('POST', '/connectors/plc/disable?authority=anna');
    await live.restart('SIGKILL');
    assert.match(live.process.log, /"connector":"plc".*was disabled by anna at .* It stays so until it is enabled/);
    const { state, disabled } = await connector();
    assert.deepEqual([state, disabled?.by, disabled?.reason], ['disabled', 'anna', null]);
    const asked = device.asked.length;
    assert.equal(await qualityOf('plc_level'), outOfService);
    await live.restart();
    assert.deepEqual((await connector()).disabled, disabled);
    assert.equal(device.asked.length, asked);
    await data.done('POST', '/connectors/plc/enable');
    await live.restart('SIGKILL');
    await isRead();
    assert.equal((await connector()).disabled, null);
    await data.done('POST', '/connectors/plc/enable');
  });

  test('stays so when it is configured otherwise, and is in service when it was removed and comes back', async () => {
    await inService();
    await data.done('POST', '/connectors/plc/disable');
    const plc = await live.config.read<{ vars: object }>('/connectors/plc');
    await live.apply([put('connectors', 'plc', { ...plc, vars: { ...plc.vars, scanPeriodMs: '30' } })]);
    assert.equal((await connector()).state, 'disabled');
    const points = ['measurements/plc_level', 'measurements/plc_forced', 'commands/plc_setpoint'] as const;
    const objects = await Promise.all(points.map((path) => live.config.read<{ name: string }>(`/${path}`)));
    const families = points.map((path) => path.split('/')[0] as 'measurements' | 'commands');
    await live.apply([
      ...objects.map(({ name }, at) => ({ operation: 'delete' as const, family: families[at] as 'commands', name })),
      { operation: 'delete', family: 'alarms', name: 'plc_high' },
      { operation: 'delete', family: 'connectors', name: 'plc' },
    ]);
    await live.apply([
      put('connectors', 'plc', plc as unknown as Record<string, unknown>),
      ...objects.map((object, at) => put(families[at] as 'commands', object.name, { ...object })),
      put('alarms', 'plc_high', { severity: 1, trgMeasurement: 'plc_level', trgOperator: 'gt', trgRefValue: '5' }),
    ]);
    await isRead();
  });

  test('is asked for over the channel as well, each by itself', async (t) => {
    await inService();
    const channel = await channelFor(t);
    const operations = [
      { name: 'plc', opcode: 'disable' as const, reason: 'fire drill' },
      { name: 'nobody', opcode: 'disable' as const },
      { name: 'plc', opcode: 'restart' as const },
    ];
    const { results } = await channel.refused('unknown-object', 'OperateConnectors', { operations, authority: 'bob' });
    assert.deepEqual(
      results?.map(({ result, error }) => (result ? 'done' : error?.status)),
      ['done', 404, 409],
    );
    const { disabled } = await connector();
    assert.deepEqual([disabled?.by, disabled?.reason], ['bob', 'fire drill']);
    await channel.done('OperateConnectors', { operations: [{ name: 'plc', opcode: 'enable' }] });
    await isRead();
  });

  test('is not so for a reason that cannot be shown, is too long, or for one that does not exist', async () => {
    await inService();
    const wrong = [
      'reason=',
      `reason=${'x'.repeat(257)}`,
      'reason=a%0Ab',
      'reason=%E2%80%AEx',
      'authority=%00',
      'why=x',
    ];
    for (const query of wrong) await data.refused('invalid-query', 'POST', `/connectors/plc/disable?${query}`);
    for (const word of ['disable', 'enable', 'restart']) {
      await data.refused('unknown-object', 'POST', `/connectors/__proto__/${word}`);
      await data.refused('unknown-object', 'POST', `/providers/plc/${word}`);
      await data.refused('invalid-name', 'POST', `/connectors/no%20name/${word}`);
    }
    assert.equal((await connector()).state, 'up');
  });
});

describe('a provider that is disabled', () => {
  test('has closed its port when that is answered, also after a restart, and opens it when it is enabled', async () => {
    await until('it serves', isServed);
    await data.done('POST', '/providers/panel/disable?authority=anna');
    assert.equal(await isServed(), false);
    await live.restart('SIGKILL');
    const { state, disabled } = await live.read<LiveProvider>('/providers/panel', LiveProvider);
    assert.deepEqual([state, disabled?.by, await isServed()], ['disabled', 'anna', false]);
    await data.refused('link-disabled', 'POST', '/providers/panel/restart');
    await data.done('POST', '/providers/panel/enable');
    await until('it serves again', isServed);
  });
});
