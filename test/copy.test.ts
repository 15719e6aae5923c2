// Copies over HTTP and the command line against the real server: an object, and a connector with its points and their alarms.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, beforeEach, describe, test } from 'node:test';
import { type CopyResult, familyNames } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { clearConfiguration } from './clear-configuration.ts';
import { runCli } from './cli-process.ts';
import { ConfigClient } from './config-client.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
let server: ServerProcess;
const client = new ConfigClient(() => server);

before(async () => {
  server = await startServer(cleanup, { data: join(temporaryFolder(cleanup), 'data') });
});

const put = (family: string, name: string, fields: object) =>
  client.done('PUT', `/${family}/${name}`, { body: { name, ...fields } });

beforeEach(async () => {
  await clearConfiguration(client);
  await put('connectors', 'plc', {
    stackName: 'simulator',
    vars: { host: '10.0.0.1', port: '502' },
    wdtMeasurement: 'plc_up',
  });
  await put('measurements', 'plc_up', { datatype: 'b' });
  await put('measurements', 'skid1_level', {
    datatype: 'd',
    connectorName: 'plc',
    address: '1/hr10',
    leader: 'skid1_start',
    providerAddresses: { panel: '1/hr10', other: 'level' },
  });
  await put('measurements', 'skid1_flow', {
    datatype: 'd',
    connectorName: 'plc',
    address: '9/hr1',
    leader: 'tank_level',
  });
  await put('commands', 'skid1_start', { datatype: 'b', connectorName: 'plc', address: '1/c3' });
  await put('alarms', 'skid1_high', {
    severity: 1,
    trgMeasurement: 'skid1_level',
    trgOperator: 'gt',
    trgRefValue: '5',
  });
  await put('alarms', 'skid1_trip', { severity: 1, connectorName: 'plc', address: '1/trip' });
  await put('measurements', 'tank_level', { datatype: 'd', connectorName: 'plc2' });
  await put('alarms', 'tank_high', { severity: 1, trgMeasurement: 'tank_level' });
});

const whole = async () =>
  Object.fromEntries(await Promise.all(familyNames.map(async (family) => [family, await client.read(`/${family}`)])));

async function copy(body: object, query = ''): Promise<CopyResult> {
  const { status, text } = await client.ask('POST', `/cfgdb/copy${query}`, { body });
  assert.equal(status, 200, text);
  return JSON.parse(text) as CopyResult;
}

const skid = {
  family: 'connectors',
  name: 'plc',
  to: 'plc3',
  set: { 'vars.host': '10.0.0.3', 'vars.port': '', 'properties.note': 'new' },
  names: [
    { from: 'skid1_*', to: 'skid3_*' },
    { from: 'plc_*', to: 'plc3_*' },
  ],
  addresses: [{ from: '1/*', to: '3/*' }],
};

describe('a copy', () => {
  test('of an object has its fields, but those that are set, and not its addresses at providers', async () => {
    const body = {
      family: 'measurements',
      name: 'skid1_level',
      to: 'x',
      set: { address: '4/hr1', enabled: 'false', leader: '' },
    };
    assert.deepEqual(await copy(body), {
      copied: [
        {
          family: 'measurements',
          from: 'skid1_level',
          to: 'x',
          omitted: ['providerAddresses.other', 'providerAddresses.panel'],
        },
      ],
    });
    assert.deepEqual(await client.read('/measurements/x'), {
      name: 'x',
      address: '4/hr1',
      datatype: 'd',
      connectorName: 'plc',
      enabled: false,
    });
  });

  test('of a connector has its points and their alarms by the rules, and refers to the copies', async () => {
    const before = await whole();
    const { copied } = await copy(skid);
    assert.deepEqual(
      copied.map(({ family, from, to }) => `${family} ${from} ${to}`),
      [
        'connectors plc plc3',
        'measurements plc_up plc3_up',
        'measurements skid1_flow skid3_flow',
        'measurements skid1_level skid3_level',
        'commands skid1_start skid3_start',
        'alarms skid1_high skid3_high',
        'alarms skid1_trip skid3_trip',
      ],
    );
    assert.deepEqual(await client.read('/connectors/plc3'), {
      name: 'plc3',
      stackName: 'simulator',
      wdtMeasurement: 'plc3_up',
      vars: { host: '10.0.0.3' },
      properties: { note: 'new' },
    });
    assert.deepEqual(await client.read('/measurements/skid3_level'), {
      name: 'skid3_level',
      address: '3/hr10',
      datatype: 'd',
      connectorName: 'plc3',
      providerAddresses: { panel: '3/hr10' },
      leader: 'skid3_start',
    });
    const { address, leader } = await client.read<Record<string, string>>('/measurements/skid3_flow');
    assert.deepEqual([address, leader], ['9/hr1', 'tank_level']);
    assert.equal((await client.read<Record<string, string>>('/alarms/skid3_high')).trgMeasurement, 'skid3_level');
    assert.deepEqual(await client.read('/alarms/skid3_trip'), {
      name: 'skid3_trip',
      severity: 1,
      connectorName: 'plc3',
      address: '3/trip',
    });
    for (const { family, to } of copied) await client.done('DELETE', `/${family}/${to}`);
    assert.deepEqual(await whole(), before);
  });

  test('that is tried changes nothing', async () => {
    const before = await whole();
    assert.equal((await copy(skid, '?dry-run=1')).copied.length, 7);
    assert.deepEqual(await whole(), before);
  });

  test('is refused whole with every name that is taken, or that no rule gives', async () => {
    await put('commands', 'skid3_start', { datatype: 'b' });
    await put('alarms', 'skid3_high', { severity: 1 });
    const before = await whole();
    assert.deepEqual(await client.faulty('name-taken', 'POST', '/cfgdb/copy', { body: skid }), [
      '/commands/skid1_start',
      '/alarms/skid1_high',
    ]);
    const { names: _, ...without } = skid;
    assert.deepEqual(await client.faulty('invalid-body', 'POST', '/cfgdb/copy', { body: without }), [
      '/measurements/skid1_flow',
      '/measurements/skid1_level',
      '/commands/skid1_start',
      '/alarms/skid1_trip',
    ]);
    const wrong: [object, string][] = [
      [{ addresses: [{ from: '7/*', to: '8/*' }], names: [{ from: '*', to: 'n_*' }] }, '/addresses/0'],
      [{ names: [{ from: '*', to: 'x' }] }, '/names/0'],
      [
        {
          names: [
            { from: '*1_*', to: 'x*y*' },
            { from: '*', to: 'a b*' },
          ],
          addresses: undefined,
        },
        '/measurements/plc_up',
      ],
      [{ names: [{ from: '*', to: 'n_*' }], set: { stackname: 'x' }, addresses: undefined }, '/set/stackname'],
      [{ names: [], addresses: undefined }, ''],
      [{ family: 'alarms', name: 'skid1_high' }, '/names'],
    ];
    for (const [change, path] of wrong) {
      const [first] = await client.faulty('invalid-body', 'POST', '/cfgdb/copy', { body: { ...skid, ...change } });
      assert.equal(first, path);
    }
    await client.refused('unknown-object', 'POST', '/cfgdb/copy', {
      body: { family: 'alarms', name: '__proto__', to: 'x' },
    });
    await client.refused('render-refused', 'POST', '/cfgdb/copy?render=1', {
      body: { family: 'alarms', name: 'skid1_high', to: 'x', set: { trgMeasurement: 'nothing' } },
    });
    assert.deepEqual(await whole(), before);
  });
});

test('telltale config copy copies by rules, shows what it would make, and says how rules are written', async () => {
  const cli = (...args: string[]) => runCli(['config', 'copy', ...args], { url: server.url });
  const args = [
    'connectors',
    'plc',
    'plc3',
    'vars.host=10.0.0.3',
    '--rename',
    'skid1_*=skid3_*,plc_*=plc3_*',
    '--addresses',
    '1/*=3/*',
  ];
  const tried = await cli(...args, '--dry-run');
  assert.equal((JSON.parse(tried.stdout) as CopyResult).copied.length, 7, tried.stderr);
  assert.equal((await cli(...args)).code, 0);
  const { address } = await client.read<{ address: string }>('/commands/skid3_start');
  assert.equal(address, '3/c3');
  assert.match((await cli(...args)).stderr, /connectors has plc3 already, and 6 more; nothing was copied/);
  assert.match((await cli('connectors', 'plc', 'y', '--rename', 'a=b=c')).stderr, /is not FROM=TO/);
  await put('measurements', 'tag', { datatype: 'd', connectorName: 'opc', address: 'ns=2;s=A.x' });
  await put('connectors', 'opc', { stackName: 'opcua' });
  const made = await cli('connectors', 'opc', 'opc2', '--rename', 'tag=tag2', '--addresses', 'ns=2;s=A.*=ns=2;s=B.*');
  assert.equal(made.code, 0, made.stderr);
  assert.equal((await client.read<{ address: string }>('/measurements/tag2')).address, 'ns=2;s=B.x');
});
