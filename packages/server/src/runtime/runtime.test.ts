import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Measurement, type Provider, quality } from '@telltale/schema';
import { problemText } from '../../test/runtime-bench.ts';
import { command, line, measurement, setUp, setUpThreads, trial } from '../../test/runtime-plant.ts';
import { allHeard } from '../../test/slow-disk.ts';

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
    devices[0].send('level', 31);
    await bench.until(() => bench.isGood('level', 31));
    assert.equal(bench.alarms.stateOf(bench.alarms.find('high')).state, 'ACT_UNACK');
    assert.deepEqual(devices[0].heard, ['level?', 'write 1 valve=5', 'write 2 valve=101']);
  });

  test('shows function modules that are disabled too, until they are not configured any more', async () => {
    const { bench } = await setUp();
    const loop = { name: 'loop', termToKill: 0, queryTimeout: 0 };
    await bench.render({ 'function-modules': [loop, { ...loop, name: 'off', enabled: false }] });
    assert.deepEqual([...bench.modules.names()], ['loop', 'off']);
    assert.deepEqual([bench.modules.live('off').enabled, bench.modules.live('off').state], [false, 'STOP']);
    await bench.render({ 'function-modules': [{ ...loop, enabled: false }] });
    assert.deepEqual([...bench.modules.names()], ['loop']);
    assert.equal(bench.modules.live('loop').enabled, false);
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
    one.send('level', 7);
    one.send('a', 8);
    await bench.until(() => bench.isGood('a', 8));
    assert.ok(bench.isGood('level', 2));
    one.heard.length = 0;
    anchors.push(measurement('extra', 'one'));
    await bench.render({ connectors, measurements: [...anchors, measurement('level', 'two')] });
    await bench.until(() => bench.isGood('extra', 0));
    assert.deepEqual(one.heard, ['a?', 'extra?'], 'it is not asked for it either');
    assert.deepEqual([one.connections, two.connections], [1, 1]);
  });

  test('nothing that was read where a point lay before is told of it where it lies now; the others are told on', async () => {
    const { bench } = await setUp();
    const connectors = [trial('c', 'busy')];
    const steady = measurement('steady', 'c');
    const at = (address: string) => ({ connectors, measurements: [steady, measurement('moving', 'c', { address })] });
    const reported = new Set<unknown>();
    bench.measurements.onChanges(({ handles, count }) => {
      const handle = bench.measurements.find('moving');
      if (handles.subarray(0, count).includes(handle) && bench.qualityOf('moving') === 192) {
        reported.add(bench.valueOf('moving'));
      }
    });
    await bench.render(at('x'));
    await bench.until(() => bench.isGood('steady', 6));
    for (let length = 2; length <= 50; length++) {
      await bench.until(() => bench.isGood('moving', length - 1));
      await bench.render(at('x'.repeat(length)));
      assert.ok(bench.isGood('steady', 6));
      assert.equal(bench.qualityOf('moving'), quality.bad.notConnected);
      reported.clear();
      await bench.until(() => reported.size > 0);
      assert.deepEqual([...reported], [length]);
    }
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

  test('a command that was never written is good at no provider; an initial value counts as written', async () => {
    const { bench } = await setUp();
    const render = (initialValue?: string) =>
      bench.render({
        connectors: [{ name: 'in', stackName: 'simulator', vars: { bus: 'fresh', scanPeriodMs: '20' } }],
        providers: [{ name: 'out', stackName: 'simulator', vars: { bus: 'fresh' } }],
        measurements: [measurement('seen', 'in', { address: 'bus(target.value)' })],
        commands: [
          {
            name: 'target',
            datatype: 'd',
            providerAddresses: { out: 'target.value' },
            ...(initialValue !== undefined && { initialValue }),
          },
        ],
      });
    await render('0');
    await bench.until(() => bench.isGood('seen', 0));
    await render();
    await bench.until(() => bench.qualityOf('seen') === quality.bad.notConnected);
    await bench.commands.write('target', 'd0');
    await bench.until(() => bench.isGood('seen', 0));
  });

  test('tells a provider of the alarms of what it serves, as they are configured and as they change', async () => {
    const { bench } = await setUp();
    const atFirst = 'alarm high false true '; // once or twice: when it has its points, and when it comes up
    const isReported = (msg: string) => msg.startsWith('alarm') && msg !== atFirst;
    const reported = (from = 0) =>
      bench.lines.flatMap(({ provider, msg }) => (provider === 'out' && isReported(msg) ? [msg] : [])).slice(from);
    const out: Provider = { name: 'out', stackName: 'trial' };
    const served: Measurement = { name: 'level', datatype: 'd', providerAddresses: { out: 'good' } };
    const elsewhere: Measurement = { name: 'flow', datatype: 'd' };
    const high = { name: 'high', severity: 1, trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '5' } as const;
    const foreign = { ...high, name: 'foreign', trgMeasurement: 'flow' };
    const simulate = (value: string) =>
      bench.measurements.simulate('level', { value, quality: undefined, validForS: undefined, by: 'tester' });
    await bench.render({ providers: [out], measurements: [served, elsewhere], alarms: [high, foreign] });
    await bench.until(() => bench.host.statusOf('provider', 'out')?.state === 'up');
    await bench.until(() => bench.lines.some(({ msg }) => msg === atFirst));
    await simulate('d6');
    await bench.until(() => reported().length === 2);
    await bench.alarms.operate('high', 'acknowledge', 'anna');
    await bench.until(() => reported().length === 3);
    assert.deepEqual(reported(), [
      'alarms high ',
      'alarm high true false trigger, simulated',
      'alarm high true true anna',
    ]);

    bench.runtime.link('provider', 'out', true, '', 1);
    await bench.until(() => reported().length === 4);
    assert.equal(reported().pop(), 'alarm high true true anna', 'one that comes up is told all');
    bench.lines.length = 0;

    const described = { ...high, description: 'too high' };
    await bench.render({ providers: [out], measurements: [served, elsewhere], alarms: [described, foreign] });
    await bench.until(() => reported().length === 2);
    assert.deepEqual(reported(), ['alarms high too high', 'alarm high true true anna']);

    const both = { ...elsewhere, providerAddresses: { out: 'good' } };
    await bench.render({ providers: [out], measurements: [both], alarms: [described, foreign] });
    await bench.until(() => reported().length === 4);
    assert.deepEqual(reported(2), ['alarms foreign ', 'alarm foreign false true ']);

    await bench.render({ providers: [out], measurements: [both] });
    await bench.until(() => reported().length === 5);
    assert.deepEqual(reported(4), ['alarms ']);
  });

  test('a client of a provider acknowledges an alarm that it serves, by its name, and no other', async () => {
    const { bench } = await setUp();
    const out: Provider = { name: 'out', stackName: 'trial', vars: { mode: 'acknowledge' } };
    const high = { name: 'high', severity: 1, trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '5' } as const;
    await bench.render({
      providers: [out, { name: 'other', stackName: 'trial' }],
      measurements: [{ name: 'level', datatype: 'd', providerAddresses: { out: 'good' } }],
      alarms: [high],
    });
    await bench.measurements.simulate('level', { value: 'd6', quality: undefined, validForS: undefined, by: 'tester' });
    await bench.until(() => bench.alarmsOnDisk.get('high')?.state === 'ACT_ACK');
    assert.equal(bench.alarms.stateOf(bench.alarms.find('high')).authority, 'a client');
    for (const [provider, alarm] of [
      ['other', 'high'],
      ['out', 'low'],
      ['nobody', 'high'],
    ] as const) {
      assert.match(await problemText(bench.runtime.providerAcknowledge(provider, alarm, 'x')), /^unknown-object/);
    }
  });

  test('a provider whose thread died is told of its alarms again', async () => {
    const { bench } = await setUpThreads(1);
    const high = { name: 'high', severity: 1, trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '5' } as const;
    await bench.render({
      connectors: [trial('beside')],
      providers: [{ name: 'out', stackName: 'trial' }],
      measurements: [{ name: 'level', datatype: 'd', providerAddresses: { out: 'good' } }],
      commands: [command('kill', 'beside', 'exit')],
      alarms: [high],
    });
    const reported = () =>
      bench.lines.filter(({ provider, msg }) => provider === 'out' && msg === 'alarms high ').length;
    await bench.until(() => reported() === 1 && bench.host.status().every(({ state }) => state === 'up'));
    await problemText(bench.commands.write('kill', 'd1'));
    await bench.until(() => reported() === 2);
  });

  test('a connector and a provider of the simulator meet on a bus though they are in different threads', async () => {
    const { bench } = await setUpThreads(2);
    await bench.render({
      connectors: [{ name: 'in', stackName: 'simulator', vars: { bus: 'apart', scanPeriodMs: '20' } }],
      providers: [{ name: 'out', stackName: 'simulator', vars: { bus: 'apart' } }],
      measurements: [
        { name: 'src', datatype: 'd', providerAddresses: { out: 'src.value' } },
        measurement('copy', 'in', { address: 'bus(src.value)' }),
      ],
    });
    assert.equal(new Set(bench.host.status().map(({ thread }) => thread)).size, 2);
    await bench.measurements.simulate('src', { value: 'd7', quality: undefined, validForS: undefined, by: 'tester' });
    await bench.until(() => bench.valueOf('copy') === 7);
  });

  test('refuses what a client of a provider may not write, in words for the client', async () => {
    const { bench } = await setUp();
    await bench.render({
      providers: [{ name: 'out', stackName: 'trial' }],
      commands: [{ name: 'flag', datatype: 'b', providerAddresses: { out: 'flag' } }],
    });
    const id = 0; // the first that is given
    await bench.runtime.providerWrite('out', id, true);
    assert.equal(bench.commands.valueOf(bench.commands.find('flag')), 1);
    assert.match(await problemText(bench.runtime.providerWrite('out', id, 0.5)), /^invalid-value/);
    await bench.render({ providers: [{ name: 'out', stackName: 'trial' }] });
    assert.match(await problemText(bench.runtime.providerWrite('out', id, true)), /^unknown-object/);
    assert.match(await problemText(bench.runtime.providerWrite('out', 7, true)), /^unknown-object/);
  });

  test('where there are users, clients of a provider do what its list names, as the provider', async () => {
    const { bench } = await setUp();
    const out = (writes: string): Provider => ({ name: 'out', stackName: 'trial', properties: { writes } });
    const commands = ['flag', 'other'].map(
      (name) => ({ name, datatype: 'b', providerAddresses: { out: name } }) as const,
    );
    const measurements = [{ name: 'level', datatype: 'd', providerAddresses: { out: 'good' } } as const];
    const alarms = [
      { name: 'high', severity: 1, trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '5' } as const,
    ];
    await bench.render({ providers: [out('flag')], commands, measurements, alarms });
    bench.isOpen = false;
    const [flag, other] = [1, 2]; // given after the measurement's
    await bench.runtime.providerWrite('out', flag, true);
    assert.equal(bench.commands.valueOf(bench.commands.find('flag')), 1);
    assert.match(await problemText(bench.runtime.providerWrite('out', other, true)), /^not-allowed.*"other"/);
    assert.equal(bench.commands.valueOf(bench.commands.find('other')), 0);
    assert.match(await problemText(bench.runtime.providerAcknowledge('out', 'high', 'anna')), /^not-allowed.*"high"/);

    await bench.render({ providers: [out('other, high')], commands, measurements, alarms });
    assert.match(await problemText(bench.runtime.providerWrite('out', flag, false)), /^not-allowed/);
    await bench.runtime.providerWrite('out', other, true);
    await bench.measurements.simulate('level', { value: 'd6', quality: undefined, validForS: undefined, by: 'tester' });
    await bench.runtime.providerAcknowledge('out', 'high', 'anna');
    assert.equal(bench.alarms.stateOf(bench.alarms.find('high')).authority, 'provider/out');
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
    for (const stored of [disk.commands, disk.simulations, alarmsOnDisk])
      assert.deepEqual([...stored.keys()], ['stays']);
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
