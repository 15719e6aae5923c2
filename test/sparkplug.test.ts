// The whole server between two ends of Sparkplug B: types of typicals served as templates, and read again as a host application.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type Heard, Mosquitto, withoutMosquitto } from '../stacks/mqtt/test/mosquitto.ts';
import { decodeRaw } from '../stacks/mqtt/test/sparkplug-decoder.ts';
import { ConfigClient } from './config-client.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const pump = {
  name: 'pump',
  parameters: { pump: {}, well: {} },
  objects: {
    measurements: {
      '{pump}_speed': {
        datatype: 'd',
        eu: '1/min',
        euRangeLo: '0',
        euRangeHi: '1500',
        connectorName: 'plant',
        address: 'sine(low=7, high=7)',
        properties: { template: 'Pump' },
        providerAddresses: { edge: '{well}#{pump}/Speed' },
      },
    },
    commands: {
      '{pump}_limit': {
        datatype: 'i',
        initialValue: '5',
        properties: { template: 'Pump' },
        providerAddresses: { edge: '{well}#{pump}/Limit' },
      },
    },
  },
};

describe('Sparkplug B through the whole server', { skip: withoutMosquitto }, () => {
  const cleanup = suiteCleanup();
  let server: ServerProcess;
  let broker: Mosquitto;
  let heard: Heard;
  const config = new ConfigClient(() => server);
  const data = new ConfigClient(() => server, '/data');
  const of = (kind: string) => heard.messages.filter(({ topic }) => topic.includes(`/${kind}/`));
  const shownOf = async (name: string) => {
    const { text } = await data.ask('GET', `/measurements/${name}`);
    const { vtq = [] } = JSON.parse(text)[name] ?? JSON.parse(text);
    return `${vtq[0]} ${vtq[2]}`;
  };

  before(async () => {
    broker = await Mosquitto.start();
    cleanup.defer(() => broker.stop());
    heard = await broker.sub('spBv1.0/Works/#');
    cleanup.defer(() => heard.stop());
    server = await startServer(cleanup, { data: join(temporaryFolder(cleanup), 'data') });
    const vars = { port: `${broker.port}` };
    const edge = { ...vars, format: 'sparkplug', group: 'Works', node: 'Telltale' };
    const objects = [
      ['connectors', { name: 'plant', stackName: 'simulator' }],
      ['connectors', { name: 'host', stackName: 'mqtt', vars: { ...vars, hostId: 'scada' } }],
      ['providers', { name: 'edge', stackName: 'mqtt', vars: edge }],
      [
        'measurements',
        { name: 'far', datatype: 'd', connectorName: 'host', address: 'spBv1.0/Works/Telltale/Well 1#p1/Speed' },
      ],
      [
        'measurements',
        {
          name: 'far_high',
          datatype: 'd',
          connectorName: 'host',
          address: 'spBv1.0/Works/Telltale/Well 1#p1/Speed@engHigh',
        },
      ],
      [
        'commands',
        { name: 'far_limit', datatype: 'i', connectorName: 'host', address: 'spBv1.0/Works/Telltale/Well 1#p1/Limit' },
      ],
    ] as const;
    const operations = objects.map(([family, object]) => ({ operation: 'put', family, name: object.name, object }));
    assert.equal((await config.ask('POST', '/cfgdb/txn', { body: { operations } })).status, 204);
    const instances = [
      { pump: 'p1', well: 'Well 1' },
      { pump: 'p2', well: 'Well 2' },
    ];
    const { status, text } = await config.ask('POST', '/typicals/generate?render=1', {
      body: { type: pump, instances },
    });
    assert.equal(status, 200, text);
  });

  test('a type is a template: its definition and instances, with units and ranges; a member is read and written again', async () => {
    await until('the member is read', async () => (await shownOf('far')) === 'd7 192');
    const definition = decodeRaw(of('NBIRTH').at(-1)?.payload ?? Buffer.alloc(0)).metrics?.find(
      ({ name }) => name === 'Pump',
    );
    assert.deepEqual(
      definition?.templateValue?.metrics?.map(({ name, datatype }) => [name, datatype]),
      [
        ['Speed', 10],
        ['Limit', 3],
      ],
    );
    const [instance] = decodeRaw(of('DBIRTH').at(-1)?.payload ?? Buffer.alloc(0)).metrics ?? [];
    assert.equal(instance?.templateValue?.templateRef, 'Pump');
    const { keys, values } = instance?.templateValue?.metrics?.[0]?.properties ?? {};
    assert.deepEqual(
      ['engUnit', 'engLow', 'engHigh'].map((key) => {
        const value = values?.[keys?.indexOf(key) ?? -1];
        return value?.stringValue || value?.doubleValue;
      }),
      ['1/min', 0, 1500],
    );
    assert.equal(await shownOf('far_high'), 'd1500 192');
    const { status, text } = await data.ask('PUT', '/commands/far_limit?value=i9');
    assert.equal(status, 204, text);
    await until('it is written', async () => {
      const answer = await data.ask('GET', '/commands/p1_limit');
      return answer.text.includes('"i9"');
    });
  });

  test('what is behind a device goes out of service: it dies, and is born when it is back', async () => {
    await until('the member is read', async () => (await shownOf('far')) === 'd7 192');
    const [deaths, births] = [of('DDEATH').length, of('DBIRTH').length];
    assert.equal((await data.ask('POST', '/connectors/plant/disable')).status, 204);
    await until('both wells are dead', () => of('DDEATH').length === deaths + 2);
    await until('the host knows', async () => (await shownOf('far')) === 'd7 24');
    assert.equal((await data.ask('POST', '/connectors/plant/enable')).status, 204);
    await until('both are born', () => of('DBIRTH').length >= births + 2);
    await until('the host reads again', async () => (await shownOf('far')) === 'd7 192');
  });
});
