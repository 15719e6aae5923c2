// Promises of what connectors and providers get when a rendering takes effect: points and values of one rendering;
// requests of their clients under the points of an earlier one are ignored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command, Connector, Measurement, Provider } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { LineDevice } from '../../test/line-device.ts';
import { LinePanel, type ToPanel } from '../../test/line-panel.ts';
import { problemText, RuntimeBench } from '../../test/runtime-bench.ts';

async function setUp(scope: Scope) {
  const bench = await RuntimeBench.start();
  cleanupOf(scope).defer(() => bench.close());
  return bench;
}

async function startDevice(scope: Scope): Promise<LineDevice> {
  const device = await LineDevice.start({}, () => undefined);
  cleanupOf(scope).defer(() => device.close());
  return device;
}

/** A provider, and all that its panel was told. */
async function startPanel(scope: Scope, name: string): Promise<{ provider: Provider; reported: ToPanel[] }> {
  const reported: ToPanel[] = [];
  const panel = await LinePanel.start((message) => reported.push(message));
  cleanupOf(scope).defer(() => panel.close());
  return { provider: { name, stackName: 'line_panel', vars: { port: panel.port } }, reported };
}

const valuesIn = (reported: readonly ToPanel[]) =>
  reported.flatMap((each) => (each.kind === 'values' ? each.values : []));
const pointsIn = (reported: readonly ToPanel[]) =>
  reported.flatMap((each) => (each.kind === 'points' ? each.points : []));

test('a provider is reported no value of another datatype under the id that a point had before', async (t) => {
  const bench = await setUp(t);
  const { provider, reported } = await startPanel(t, 'p');
  const plant = (datatype: 'l' | 'd') => ({
    providers: [provider],
    measurements: [{ name: 'level', datatype, providerAddresses: { p: 'a' } } as Measurement],
    commands: [{ name: 'valve', datatype, initialValue: '5', providerAddresses: { p: 'b' } } as Command],
  });
  await bench.render(plant('l'));
  await bench.until(() => valuesIn(reported).length >= 2);
  await bench.render(plant('d'));
  await bench.until(() => valuesIn(reported).some(({ text }) => text.startsWith('d5')));
  assert.deepEqual(
    valuesIn(reported).filter(({ text }) => !/^[ld]\d/.test(text)),
    [],
  );
});

test('a connector that gets another device with a rendering begins there with the points of that rendering', async (t) => {
  const bench = await setUp(t);
  const [one, two] = [await startDevice(t), await startDevice(t)];
  const plant = (port: string, address: string) => ({
    connectors: [{ name: 'c', stackName: 'line_device', vars: { port } } as Connector],
    commands: [{ name: 'valve', datatype: 'd', connectorName: 'c', address, initialValue: '5' } as Command],
    // The step takes a while.
    measurements: Array.from({ length: 3000 }, (_, at): Measurement => {
      return { name: `m${at}`, datatype: 'd', description: address };
    }),
  });
  await bench.render(plant(one.port, 'old'));
  await bench.until(() => one.lasts.has('old=5'));
  for (let turn = 0; turn < 10; turn++) {
    const [device, address] = turn % 2 === 0 ? [two, 'new'] : [one, 'old'];
    device.lasts.clear();
    await bench.render(plant(device.port, address));
    await bench.until(() => device.lasts.has(`${address}=5`));
    assert.deepEqual([...device.lasts], [`${address}=5`]);
  }
});

test('a connector that is started again begins with the initial value that a command has now', async (t) => {
  const bench = await setUp(t);
  const device = await startDevice(t);
  const plant = (initialValue: string, writeTimeout: string) => ({
    connectors: [{ name: 'c', stackName: 'line_device', vars: { port: device.port }, properties: { writeTimeout } }],
    commands: [{ name: 'valve', datatype: 'd', connectorName: 'c', address: 'a', initialValue } as Command],
  });
  await bench.render(plant('5', '1000'));
  await bench.until(() => device.lasts.has('a=5'));
  await bench.render(plant('6', '1000'));
  device.lasts.clear();
  await bench.render(plant('6', '2000'));
  await bench.until(() => device.lasts.size > 0);
  assert.deepEqual([...device.lasts], ['a=6']);
});

test('that a command without a value has another datatype is reported', async (t) => {
  const bench = await setUp(t);
  const reported: string[] = [];
  bench.commands.onChange((handle) => reported.push(bench.commands.datatypeOf(handle)));
  for (const datatype of ['i', 'd'] as const) await bench.render({ commands: [{ name: 'valve', datatype }] });
  assert.deepEqual(reported, ['i', 'd']);
});

test('a write through a provider that serves the command no more is refused, though another one does', async (t) => {
  const bench = await setUp(t);
  const [one, two] = [await startPanel(t, 'one'), await startPanel(t, 'two')];
  const providers = [one.provider, two.provider];
  const valve = (...names: string[]): Command => {
    const providerAddresses = Object.fromEntries(names.map((name) => [name, 'a']));
    return { name: 'valve', datatype: 'd', providerAddresses };
  };
  await bench.render({ providers, commands: [valve('one', 'two')] });
  await bench.until(() => pointsIn(one.reported).length > 0);
  const id = pointsIn(one.reported)[0]?.id as number;
  await bench.runtime.providerWrite('one', id, 5);
  await bench.render({ providers, commands: [valve('two')] });
  assert.match(await problemText(bench.runtime.providerWrite('one', id, 6)), /^unknown-object/);
  await bench.runtime.providerWrite('two', id, 7);
});

test('a thread that is replaced while renderings wait gets the points of the one that runs', async (t) => {
  const bench = await setUp(t);
  const plant = (version: number, address: string) => ({
    connectors: [{ name: 'c', stackName: 'trial', vars: { mode: 'busy' } } as Connector],
    measurements: [
      { name: 'length', datatype: 'd', connectorName: 'c', address } as Measurement,
      ...Array.from({ length: 5000 }, (_, at): Measurement => {
        return { name: `m${at}`, datatype: 'd', description: `${version}` };
      }),
      { name: `version${version}`, datatype: 'd' } as Measurement,
    ],
    commands: [{ name: 'kill', datatype: 'd', connectorName: 'c', address: 'exit' } as Command],
  });
  await bench.render(plant(1, 'x'));
  await bench.until(() => bench.isGood('length', 1));
  const renderings: Promise<void>[] = [];
  const restarted = bench.runtime.restarted.bind(bench.runtime);
  bench.runtime.restarted = (instances) => {
    renderings.push(bench.render(plant(2, 'x')));
    restarted(instances);
    renderings.push(bench.render(plant(3, 'xx')));
  };
  await problemText(bench.commands.write('kill', 'd1'));
  await bench.until(() => renderings.length > 0);
  while (bench.measurements.find('version3') < 0) {
    assert.ok(!bench.isGood('length', 2), 'it is read where it lies in the rendering to come');
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(renderings);
  await bench.until(() => bench.isGood('length', 2));
});
