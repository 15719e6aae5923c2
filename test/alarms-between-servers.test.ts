// Alarms of one server followed by another over OPC UA: a plant, whose own alarms and those of its device are conditions, and a
// centre that finds them by browsing. Acknowledged from both ends, through an outage.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { BrowsedItem, BrowsedItems, LiveAlarm, Operation } from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ConfigClient } from './config-client.ts';
import { put } from './live-plant.ts';
import { rackArgs } from './rack-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();

class Site {
  readonly data = new ConfigClient(() => this.process, '/data');
  readonly config = new ConfigClient(() => this.process);
  readonly #folder = join(temporaryFolder(cleanup), 'data');
  #process: ServerProcess | undefined;

  get process(): ServerProcess {
    if (this.#process === undefined) throw new Error('it has not been started');
    return this.#process;
  }

  async start(): Promise<void> {
    this.#process = await startServer(cleanup, { data: this.#folder, args: rackArgs });
  }

  async apply(...operations: Operation[]): Promise<void> {
    await this.config.done('POST', '/cfgdb/txn?render=1', { body: { operations } });
  }

  /** Its state, who, and what it says. */
  async shown(name: string): Promise<string> {
    const { state, authority, description } = await this.data.read<LiveAlarm>(`/alarms/${name}`);
    return `${state} by ${authority}: ${description}`;
  }

  becomes(name: string, text: string): Promise<unknown> {
    return until(`${name} is ${text}`, async () => (await this.shown(name)) === text);
  }

  isUp(kind: 'connectors' | 'providers', name: string): Promise<unknown> {
    const look = async () => (await this.data.read<{ state: string }>(`/${kind}/${name}`)).state === 'up';
    return until(`${name} is up`, look);
  }
}

const plant = new Site();
const centre = new Site();
const level = (value: number) => plant.data.done('PUT', `/measurements/level?value=d${value}`);
const press = (name: string) => plant.data.done('PUT', `/commands/${name}?value=b1`);
const acknowledge = (name: string, authority: string) => `/alarms/${name}/acknowledge?authority=${authority}`;

const bells = ['door', 'deaf', 'frail'];

before(async () => {
  const port = String(await freePort());
  await Promise.all([plant.start(), centre.start()]);
  const user = { userName: 'centre', password: 'secret' };
  await plant.apply(
    put('providers', 'ua', { stackName: 'opcua', vars: { port, unsecured: 'true', ...user } }),
    put('connectors', 'bells', { stackName: 'bell' }),
    put('measurements', 'level', { datatype: 'd', providerAddresses: { ua: 'Level' } }),
    put('alarms', 'high', {
      severity: 2,
      description: 'The basin is full',
      trgMeasurement: 'level',
      trgOperator: 'gt',
      trgRefValue: '80',
    }),
    ...bells.map((name) =>
      put('alarms', name, { severity: 1, connectorName: 'bells', address: name, trgMeasurement: 'level' }),
    ),
    ...bells.map((name) =>
      put('commands', `ring_${name}`, { datatype: 'b', connectorName: 'bells', address: `ring ${name}` }),
    ),
  );
  await plant.isUp('providers', 'ua');
  const vars = {
    endpointUrl: `opc.tcp://127.0.0.1:${port}`,
    securityMode: 'None',
    dangerouslyTrustAnyServer: 'true',
    publishingIntervalMs: '50',
    ...user,
  };
  await centre.apply(put('connectors', 'plant', { stackName: 'opcua', vars }));
  await centre.isUp('connectors', 'plant');
});

async function browse(path?: string): Promise<readonly BrowsedItem[]> {
  const { status, text } = await centre.data.ask('POST', '/connectors/plant/browse', { body: path ? { path } : {} });
  assert.equal(status, 200, text);
  return (JSON.parse(text) as BrowsedItems).items;
}

describe('the alarms of another server', () => {
  test('are found by browsing, and followed as they were offered', async () => {
    const offered = await until('all are there', async () => {
      let items = await browse();
      for (const place of ['ua', 'level']) {
        const { path } = items.find(({ title }) => title === place) ?? assert.fail(`there is no ${place}`);
        items = await browse(path ?? undefined);
      }
      const found = items.flatMap(({ alarm }) => alarm?.object ?? []);
      return found.length > bells.length && found;
    });
    assert.deepEqual(offered.map(({ name, severity }) => [name, severity]).sort(), [
      ['deaf', 1],
      ['door', 1],
      ['frail', 1],
      ['high', 2],
    ]);
    await centre.apply(...offered.map((alarm) => put('alarms', alarm.name, alarm)));
    await level(90);
    await plant.becomes('high', 'ACT_UNACK by trigger, simulated: The basin is full');
    await centre.becomes('high', 'ACT_UNACK by connector/plant: The basin is full (trigger, simulated)');
  });

  test('are acknowledged there from here', async () => {
    await centre.data.done('POST', acknowledge('high', 'anna'));
    assert.match(await centre.shown('high'), /^ACT_ACK by anna: /);
    await plant.becomes('high', 'ACT_ACK by centre: The basin is full');
    await level(10);
    await centre.becomes('high', 'INACT_ACK by connector/plant: The basin is full (trigger, simulated)');
  });

  test('are acknowledged here by who did it there', async () => {
    await level(90);
    await centre.becomes('high', 'ACT_UNACK by connector/plant: The basin is full (trigger, simulated)');
    await level(10);
    await centre.becomes('high', 'INACT_UNACK by connector/plant: The basin is full (trigger, simulated)');
    await plant.data.done('POST', acknowledge('high', 'olga'));
    await centre.becomes('high', 'INACT_ACK by olga: The basin is full (olga)');
  });

  test('that come from a device of that one are acknowledged at the device, or as it answers', async () => {
    for (const name of bells) {
      await press(`ring_${name}`);
      await centre.becomes(name, `ACT_UNACK by connector/plant: ${name} rings (connector/bells)`);
    }
    await centre.data.done('POST', acknowledge('door', 'anna'));
    await plant.becomes('door', 'ACT_ACK by centre: door rings');
    assert.match(await centre.shown('door'), /^ACT_ACK by anna: /);
    const refused = await centre.data.refused('acknowledge-refused', 'POST', acknowledge('deaf', 'anna'));
    assert.equal(refused.status, 502);
    const unknown = await centre.data.refused('acknowledge-timeout', 'POST', acknowledge('frail', 'anna'));
    assert.equal(unknown.status, 504);
    for (const name of ['deaf', 'frail']) {
      assert.equal(await plant.shown(name), `ACT_UNACK by connector/bells: ${name} rings`);
      assert.equal(await centre.shown(name), `ACT_UNACK by connector/plant: ${name} rings (connector/bells)`);
    }
  });

  test('keep their states through an outage, and are then what they have become', async () => {
    await level(90);
    await centre.becomes('high', 'ACT_UNACK by connector/plant: The basin is full (trigger, simulated)');
    await plant.process.end('SIGKILL');
    await until('the loss is known', async () => {
      return (await centre.data.read<{ state: string }>('/connectors/plant')).state !== 'up';
    });
    const down = await centre.data.refused('connector-down', 'POST', acknowledge('high', 'anna'));
    assert.equal(down.status, 503);
    assert.match(await centre.shown('high'), /^ACT_UNACK by connector\/plant: /);
    await plant.start();
    await plant.data.done('POST', acknowledge('high', 'olga'));
    await centre.isUp('connectors', 'plant');
    await until('the centre knows', async () => /^ACT_ACK by /.test(await centre.shown('high')));
    await level(10);
    await until('it is over', async () => /^INACT_ACK by /.test(await centre.shown('high')));
  });
});
