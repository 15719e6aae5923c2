import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { Command, Connector, Measurement, Provider } from '@telltale/schema';
import { LineDevice } from '../../test/line-device.ts';
import { problemText, RuntimeBench } from '../../test/runtime-bench.ts';
import { allHeard } from '../../test/slow-disk.ts';

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.close();
});

async function setUp(...deviceValues: Record<string, number>[]) {
  const devices: LineDevice[] = [];
  for (const values of deviceValues) devices.push(await LineDevice.start(values));
  const bench = await RuntimeBench.start();
  running.push(...devices, bench);
  return { bench, devices: devices as [LineDevice, LineDevice] };
}

const line = (name: string, { port }: LineDevice, more: Partial<Connector> = {}): Connector => ({
  name,
  stackName: 'line_device',
  vars: { port },
  ...more,
});
const trial = (name: string, mode = 'good'): Connector => ({ name, stackName: 'trial', vars: { mode } });
const measurement = (name: string, connectorName: string, more: Partial<Measurement> = {}): Measurement => ({
  name,
  datatype: 'd',
  connectorName,
  address: name,
  ...more,
});
const command = (name: string, connectorName: string, address = name): Command => ({
  name,
  datatype: 'd',
  connectorName,
  address,
});

describe('the runtime', () => {
  test('runs what was rendered: values come, commands go, alarms see, what is disabled is not there', async () => {
    const { bench, devices } = await setUp({ level: 21.5, off: 1 });
    await bench.render({
      connectors: [line('c', devices[0])],
      measurements: [measurement('level', 'c'), measurement('off', 'c', { enabled: false })],
      commands: [command('valve', 'c'), { ...command('shut', 'c'), enabled: false }],
      alarms: [{ name: 'high', severity: 1, trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '30' }],
    });
    await bench.until(() => bench.isGood('level', 21.5));
    assert.deepEqual([bench.measurements.find('off'), bench.commands.find('shut')], [-1, -1]);
    await bench.commands.write('valve', 'd5');
    assert.equal(
      await problemText(bench.commands.write('valve', 'd101')).then((text) => text.split(':')[0]),
      'write-refused',
    );
    assert.deepEqual(bench.commands.valueOf(bench.commands.find('valve')), 5);
    devices[0].tell('level', 31);
    await bench.until(() => bench.isGood('level', 31));
    assert.equal(bench.alarms.stateOf(bench.alarms.find('high')).state, 'ACT_UNACK');
    assert.deepEqual(devices[0].heard, ['level?', 'write 1 valve=5', 'write 2 valve=101']);
  });

  test('leaves alone what did not change: no connection is made anew', async () => {
    const { bench, devices } = await setUp({ level: 1, flow: 2 }, { other: 3 });
    const [one, two] = devices;
    const connectors = [line('one', one), line('two', two)];
    const other = measurement('other', 'two');
    await bench.render({ connectors, measurements: [measurement('level', 'one'), other] });
    await bench.until(() => bench.isGood('level', 1) && bench.isGood('other', 3));
    const since = bench.measurements.timeOf(bench.measurements.find('other'));
    const watchdog: Measurement = { name: 'alive', datatype: 'b' };
    await bench.render({
      connectors: [line('one', one, { wdtMeasurement: 'alive' }), line('two', two)],
      measurements: [watchdog, measurement('level', 'one'), measurement('flow', 'one'), other],
    });
    await bench.until(() => bench.isGood('flow', 2));
    assert.ok(bench.isGood('alive', true) && bench.isGood('level', 1));
    assert.deepEqual([one.connections, two.connections, two.heard], [1, 1, ['other?']]);
    assert.equal(bench.measurements.timeOf(bench.measurements.find('other')), since);
    await bench.render({
      connectors: [line('one', one, { properties: { writeTimeout: '900' } }), line('two', two)],
      measurements: [measurement('level', 'one'), measurement('flow', 'one'), other],
    });
    await bench.until(() => one.connections === 2 && bench.isGood('level', 1));
    assert.equal(two.connections, 1);
  });

  test('moves points between connectors, and the old one says nothing about them any more', async () => {
    const { bench, devices } = await setUp({ level: 1 }, { level: 2 });
    const [one, two] = devices;
    const connectors = [line('one', one), line('two', two)];
    const anchors = [measurement('a', 'one'), measurement('b', 'two')];
    await bench.render({ connectors, measurements: [...anchors, measurement('level', 'one')] });
    await bench.until(() => bench.isGood('level', 1));
    await bench.render({ connectors, measurements: [...anchors, measurement('level', 'two')] });
    await bench.until(() => bench.isGood('level', 2));
    one.tell('level', 7);
    one.tell('a', 8);
    await bench.until(() => bench.isGood('a', 8));
    assert.ok(bench.isGood('level', 2));
    one.heard.length = 0;
    anchors.push(measurement('extra', 'one'));
    await bench.render({ connectors, measurements: [...anchors, measurement('level', 'two')] });
    await bench.until(() => bench.isGood('extra', 0));
    assert.deepEqual(one.heard, ['a?', 'extra?'], 'it is not asked for it either');
    assert.deepEqual([one.connections, two.connections], [1, 1]);
  });

  test('removes points and connectors, and a connector that is gone hangs up', async () => {
    const { bench, devices } = await setUp({ level: 1 }, { level: 2 });
    const [one, two] = devices;
    await bench.render({
      connectors: [line('one', one), line('two', two)],
      measurements: [measurement('level', 'one'), measurement('more', 'two')],
      commands: [command('valve', 'two')],
    });
    await bench.until(() => bench.isGood('level', 1) && bench.isGood('more', 0));
    await bench.render({ connectors: [line('one', one)], measurements: [measurement('level', 'one')] });
    assert.deepEqual([bench.valueOf('more'), bench.commands.find('valve')], ['none', -1]);
    await bench.until(() => two.sockets.size === 0);
    assert.deepEqual(
      bench.host.status().map(({ name }) => name),
      ['one'],
    );
    assert.ok(bench.isGood('level', 1));
    await bench.render({});
    assert.deepEqual([bench.measurements.size, bench.commands.size, bench.host.status()], [0, 0, []]);
  });

  test('turns points bad when their device is lost', async () => {
    const { bench, devices } = await setUp({ level: 1 });
    await bench.render({ connectors: [line('c', devices[0])], measurements: [measurement('level', 'c')] });
    await bench.until(() => bench.isGood('level', 1));
    for (const socket of devices[0].sockets) socket.destroy();
    await bench.until(() => bench.qualityOf('level') === 0x18);
    assert.equal(bench.valueOf('level'), 1);
    await bench.until(() => bench.isGood('level', 1));
  });

  test('gives a new thread of the stacks the points that the one that died had', async () => {
    const { bench } = await setUp();
    await bench.render({
      connectors: [trial('good'), trial('deadly')],
      measurements: [measurement('p', 'good', { address: 'good' }), measurement('q', 'deadly', { address: 'good' })],
      commands: [command('set', 'good', 'good'), command('kill', 'deadly', 'exit')],
    });
    await bench.until(() => bench.isGood('p', 1) && bench.isGood('q', 1));
    await bench.commands.write('set', 'd5');
    await bench.until(() => bench.isGood('p', 5));
    assert.match(await problemText(bench.commands.write('kill', 'd1')), /^connector-down/);
    assert.deepEqual([bench.valueOf('p'), bench.qualityOf('p'), bench.qualityOf('q')], [5, 0x18, 0x18]);
    await bench.until(() => bench.isGood('p', 1) && bench.isGood('q', 1));
    const given = bench.lines.filter(({ connector, msg }) => connector === 'good' && msg.startsWith('points'));
    assert.match(given.at(-1)?.msg ?? '', /^points \d+ set=5$/, 'with what was written last');
    await bench.commands.write('set', 'd6');
    await bench.until(() => bench.isGood('p', 6));
  });

  test('gives it no point of a rendering that is yet to be applied', async () => {
    const { bench, devices } = await setUp({ level: 1, more: 2 });
    const connectors = [line('c', devices[0])];
    await bench.render({ connectors, measurements: [measurement('level', 'c')] });
    await bench.until(() => bench.isGood('level', 1));
    bench.runtime.restarted();
    await bench.render({ connectors, measurements: [measurement('level', 'c'), measurement('more', 'c')] });
    await bench.until(() => bench.isGood('more', 2));
    assert.deepEqual(devices[0].heard, ['level?', 'level?', 'level?', 'more?']);
  });

  test('feeds providers with every value, and takes what their clients write', async () => {
    const { bench } = await setUp();
    const vars = { bus: 'loop', scanPeriodMs: '20' };
    const provider: Provider = { name: 'out', stackName: 'simulator', vars: { bus: 'loop' } };
    const served = { providerAddresses: { out: 'src.value' } };
    const source: Measurement = { name: 'src', datatype: 'd', ...served };
    await bench.render({
      connectors: [{ name: 'in', stackName: 'simulator', vars }],
      providers: [provider],
      measurements: [source, measurement('copy', 'in', { address: 'bus(src.value)' })],
      commands: [
        { name: 'target', datatype: 'd', euRangeHi: '10', providerAddresses: { out: 'target.value' } },
        command('remote', 'in', 'bus(target.value)'),
      ],
    });
    const request = { quality: undefined, validForS: undefined, by: 'tester' };
    await bench.measurements.simulate('src', { value: 'd7', ...request });
    await bench.until(() => bench.valueOf('copy') === 7);
    await bench.measurements.simulate('src', { value: 'd8', ...request });
    await bench.until(() => bench.valueOf('copy') === 8);
    await bench.commands.write('remote', 'd3');
    assert.equal(bench.commands.valueOf(bench.commands.find('target')), 3);
    assert.match(await problemText(bench.commands.write('remote', 'd11')), /^write-refused.*outside the eu-range/s);
  });

  test('refuses what a client of a provider may not write, in words for the client', async () => {
    const { bench } = await setUp();
    await bench.render({
      providers: [{ name: 'out', stackName: 'trial' }],
      commands: [{ name: 'flag', datatype: 'b' }],
    });
    const id = 2 ** 31 + bench.commands.find('flag');
    await bench.runtime.providerWrite('out', id, true);
    assert.equal(bench.commands.valueOf(bench.commands.find('flag')), 1);
    assert.match(await problemText(bench.runtime.providerWrite('out', id, 0.5)), /^invalid-value/);
    await bench.render({ providers: [{ name: 'out', stackName: 'trial' }] });
    assert.match(await problemText(bench.runtime.providerWrite('out', id, true)), /^unknown-object/);
    assert.match(await problemText(bench.runtime.providerWrite('out', 7, true)), /^unknown-object/);
  });

  test('forgets what was kept of objects that the first rendering does not have', async () => {
    const { bench } = await setUp();
    const simulation = { value: 'd1', quality: 0x80c0, sinceUs: 1, untilUs: undefined, by: 'tester' };
    for (const name of ['stays', 'gone']) {
      bench.disk.commands.set(name, { name, value: 'd1', timeUs: 1 });
      bench.disk.simulations.set(name, { name, ...simulation });
      bench.alarmsOnDisk.set(name, { name, state: 'ACT_ACK', timeUs: 1, authority: 'tester' });
    }
    bench.measurements.restore(bench.disk.simulations.values());
    bench.commands.restore(bench.disk.commands.values());
    bench.alarms.restore(bench.alarmsOnDisk.values());
    await bench.render({
      measurements: [{ name: 'stays', datatype: 'd' }],
      commands: [{ name: 'stays', datatype: 'd' }],
      alarms: [{ name: 'stays', severity: 1 }],
    });
    await allHeard();
    const { disk, alarmsOnDisk } = bench;
    for (const kept of [disk.commands, disk.simulations, alarmsOnDisk]) assert.deepEqual([...kept.keys()], ['stays']);
    assert.deepEqual([bench.valueOf('stays'), bench.qualityOf('stays')], [1, 0x80c0]);
    assert.equal(bench.commands.valueOf(bench.commands.find('stays')), 1);
  });

  test('applies renderings one at a time, in order, though many are asked for at once', async () => {
    const { bench } = await setUp();
    const many = (count: number) => ({
      measurements: Array.from({ length: count }, (_, at): Measurement => ({ name: `p${at}`, datatype: 'd' })),
    });
    await Promise.all([2000, 10, 1500, 3].map((count) => bench.render(many(count))));
    assert.equal(bench.measurements.size, 3);
  });
});
