// Alarms that a device raises, over HTTP, the channel and the command line: found by browsing, followed, acknowledged at the
// device, or not; kept over restarts and renames. The device is a set of bells.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BrowsedItems, checker, LiveAlarm, type Operation } from '@telltale/schema';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { CheckedChannel } from './checked-channel.ts';
import { runCli } from './cli-process.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { rackArgs } from './rack-plant.ts';
import { until } from './until.ts';

const live = new LiveServer({ args: rackArgs, begin: () => begin() });
const { data, config } = live;
const answer = checker(BrowsedItems);

const bells = ['door', 'deaf', 'slow', 'frail'];
const alarm = (name: string, more: object = {}) =>
  put('alarms', name, { severity: 1, archMode: 'change', connectorName: 'bells', address: name, ...more });

async function begin(): Promise<void> {
  const presses = ['ring', 'hush', 'panel'].flatMap((what) =>
    [...bells, 'gate'].map((name) =>
      put('commands', `${what}_${name}`, { datatype: 'b', connectorName: 'bells', address: `${what} ${name}` }),
    ),
  );
  await live.apply([
    put('connectors', 'bells', { stackName: 'bell' }),
    put('connectors', 'others', { stackName: 'bell' }),
    ...presses,
    ...bells.map((name) => alarm(name)),
  ]);
  await isUp();
}

const isUp = (name = 'bells') =>
  until(`${name} is up`, async () => (await data.read<{ state: string }>(`/connectors/${name}`)).state === 'up');
const press = (what: string, name: string) => data.done('PUT', `/commands/${what}_${name}?value=b1`);
const acknowledge = (name: string, authority = 'anna') => `/alarms/${name}/acknowledge?authority=${authority}`;

async function shown(name: string): Promise<string> {
  const { state, authority, description } = await live.read<LiveAlarm>(`/alarms/${name}`, LiveAlarm);
  return `${state} by ${authority}: ${description}`;
}

const becomes = (name: string, text: string) => until(`${name} is ${text}`, async () => (await shown(name)) === text);

const stateOf = async (name: string) => (await shown(name)).split(' ')[0];

/** Active, and acknowledged by nobody, whatever it was before. */
async function ring(name: string): Promise<void> {
  await press('hush', name);
  await press('panel', name);
  await until(`${name} is quiet`, async () => (await stateOf(name)) === 'INACT_ACK');
  await press('ring', name);
  await becomes(name, `ACT_UNACK by connector/bells: ${name} rings`);
}

async function transitions(name: string): Promise<string[]> {
  const found = await data.read<Record<string, { state: string; authority: string }[]>>(`/archive/alarms/${name}/0/0`);
  return found[name]?.map(({ state, authority }) => `${state} by ${authority}`) ?? [];
}

describe('the acknowledgement of an alarm of a device', () => {
  test('is done when the device has accepted it: 204, once, by who did it', async () => {
    await ring('door');
    await data.done('POST', acknowledge('door'));
    assert.equal(await shown('door'), 'ACT_ACK by anna: door rings');
    await data.done('POST', acknowledge('door', 'bert'));
    await press('hush', 'door');
    await becomes('door', 'INACT_ACK by connector/bells: door rings');
    const last = ['ACT_UNACK by connector/bells', 'ACT_ACK by anna', 'INACT_ACK by connector/bells'].join();
    await until('it is archived', async () => (await transitions('door')).slice(-3).join() === last);
  });

  test('at the panel of the device is one here, by who did it there', async () => {
    await ring('door');
    await press('panel', 'door');
    await becomes('door', 'ACT_ACK by panel: door rings');
  });

  test('that the device refuses is 502, with its reason, and changes nothing', async () => {
    await ring('deaf');
    const { status, detail } = await data.refused('acknowledge-refused', 'POST', acknowledge('deaf'));
    assert.equal(status, 502);
    assert.match(detail, /bells.*it does not listen/);
    assert.equal(await shown('deaf'), 'ACT_UNACK by connector/bells: deaf rings');
  });

  test('of which nobody knows whether the device took it is 504, and says so', async () => {
    for (const name of ['slow', 'frail']) {
      await ring(name);
      const { status, detail } = await data.refused('acknowledge-timeout', 'POST', acknowledge(name));
      assert.equal(status, 504);
      assert.match(detail, /may have taken it/);
      assert.equal(await shown(name), `ACT_UNACK by connector/bells: ${name} rings`);
    }
    await press('panel', 'frail');
    await becomes('frail', 'ACT_ACK by panel: frail rings');
  });

  test('while there is no link is 503, and the alarm keeps its state', async () => {
    await ring('door');
    await data.done('POST', '/connectors/bells/disable');
    const { status, detail } = await data.refused('connector-down', 'POST', acknowledge('door'));
    assert.equal(status, 503);
    assert.match(detail, /bells/);
    assert.equal(await shown('door'), 'ACT_UNACK by connector/bells: door rings');
    await data.done('POST', '/connectors/bells/enable');
    await isUp();
  });

  test('is one of many over the channel, each with its own answer', async (t) => {
    await ring('door');
    await ring('deaf');
    const channel = await CheckedChannel.open(live.process.url);
    cleanupOf(t).defer(() => channel.close());
    const { results } = await channel.refused('acknowledge-refused', 'AckAlarms', {
      alarms: ['door', 'deaf'],
      authority: 'carl',
    });
    assert.deepEqual(
      (results as { name: string; result: boolean }[]).map(({ name, result }) => [name, result]),
      [
        ['door', true],
        ['deaf', false],
      ],
    );
    assert.equal(await shown('door'), 'ACT_ACK by carl: door rings');
  });
});

test('nobody here raises or clears an alarm of a device: 409', async () => {
  await ring('door');
  for (const operation of ['activate', 'deactivate']) {
    const { status, detail } = await data.refused('device-alarm', 'POST', `/alarms/door/${operation}`);
    assert.equal(status, 409);
    assert.match(detail, /door/);
  }
  assert.equal(await shown('door'), 'ACT_UNACK by connector/bells: door rings');
});

describe('the state of an alarm of a device', () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`is there after a restart, though the device does not say it again (${signal})`, async () => {
      await ring('door');
      await data.done('POST', acknowledge('door', signal));
      await live.restart(signal);
      await isUp();
      assert.equal(await shown('door'), `ACT_ACK by ${signal}: door rings`);
      await ring('door');
      await data.done('POST', acknowledge('door'));
      assert.equal(await shown('door'), 'ACT_ACK by anna: door rings');
    });
  }

  test('stays with it under another name, with its archive; and it is acknowledged under that', async () => {
    await ring('door');
    const records = (await transitions('door')).length;
    const { status, text } = await config.ask('POST', '/alarms/door/rename?to=portal');
    assert.equal(status, 200, text);
    await config.done('POST', '/cfgdb/render');
    assert.equal(await shown('portal'), 'ACT_UNACK by connector/bells: door rings');
    await data.refused('unknown-object', 'POST', acknowledge('door'));
    assert.ok((await transitions('portal')).length >= records);
    await data.done('POST', acknowledge('portal'));
    assert.equal(await shown('portal'), 'ACT_ACK by anna: door rings');
    await press('hush', 'door');
    await becomes('portal', 'INACT_ACK by connector/bells: door rings');
  });

  test('stays when its connector gets another name, and follows the device there', async () => {
    await ring('frail');
    await data.done('PUT', '/commands/panel_frail?value=b1');
    await becomes('frail', 'ACT_ACK by panel: frail rings');
    await live.apply([
      put('connectors', 'carillon', { stackName: 'bell' }),
      alarm('frail', { connectorName: 'carillon' }),
      put('commands', 'ring_frail', { datatype: 'b', connectorName: 'carillon', address: 'ring frail' }),
    ]);
    await isUp('carillon');
    assert.equal(await shown('frail'), 'ACT_ACK by panel: frail rings');
    await press('ring', 'frail');
    await becomes('frail', 'ACT_UNACK by connector/carillon: frail rings');
  });
});

describe('a browse', () => {
  const browse = async () => {
    const { status, text } = await data.ask('POST', '/connectors/others/browse', { body: {} });
    assert.equal(status, 200, text);
    const { items } = JSON.parse(text) as BrowsedItems;
    assert.deepEqual(answer.faults(JSON.parse(text)), []);
    return items;
  };
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(args, { url: live.process.url });
    assert.equal(code, 0, stderr);
    return { document: JSON.parse(stdout), stderr };
  };

  test('offers the alarms of the device, ready to be put; those that are followed are named', async () => {
    const objects = (await browse()).map(({ alarm: offer }) => offer?.object);
    assert.deepEqual(objects[1], {
      name: 'gate',
      address: 'gate',
      description: 'The gate',
      connectorName: 'others',
      severity: 2,
    });
    assert.deepEqual(
      objects.map((object) => object?.name),
      ['door', 'gate', 'deaf_2'],
      'names are free ones',
    );
    const { document } = await cli('browse', 'others');
    const names = (document.operations as Operation[]).map(({ family, name }) => `${family}/${name}`);
    assert.deepEqual(names, ['alarms/door', 'alarms/gate', 'alarms/deaf_2']);
    assert.deepEqual((await cli('browse', 'others', '--put')).document, {
      put: { measurements: [], commands: [], alarms: ['door', 'gate', 'deaf_2'] },
    });
    await config.done('POST', '/cfgdb/render');
    assert.deepEqual(
      (await browse()).map(({ alarm: offer }) => offer?.configured),
      ['door', 'gate', 'deaf_2'],
    );
    assert.match((await cli('browse', 'others', '--put')).stderr, /^3 are configured already\.$/m);
    await live.apply([put('commands', 'ring_other', { datatype: 'b', connectorName: 'others', address: 'ring gate' })]);
    await press('ring', 'other');
    await becomes('gate', 'ACT_UNACK by connector/others: The gate');
  });
});

test('everything that was answered stands in the reference', async () => {
  assert.deepEqual(await data.undocumented(), []);
});
