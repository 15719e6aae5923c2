import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Provider, quality } from '@telltale/schema';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { LinePanel } from '../../test/line-panel.ts';
import { problemText, type RuntimeBench } from '../../test/runtime-bench.ts';
import { command, line, measurement, setUp, trial } from '../../test/runtime-plant.ts';

const { outOfService, notConnected } = quality.bad;

/** Connector c with level, which is up. */
async function setUpUp() {
  const { bench, devices } = await setUp({ level: 21.5 }, { level: 7 });
  const rendering = {
    connectors: [line('c', devices[0])],
    measurements: [measurement('level', 'c', { archMode: 'change' })],
    commands: [command('valve', 'c')],
  };
  await bench.render(rendering);
  await bench.until(() => bench.isGood('level', 21.5));
  return { bench, devices, rendering };
}

const disable = (bench: RuntimeBench, name = 'c', reason?: string) =>
  bench.runtime.links.disable('connector', name, 'anna', reason);
const enable = (bench: RuntimeBench, name = 'c') => bench.runtime.links.enable('connector', name);
const stateOf = (bench: RuntimeBench, name = 'c') => bench.host.statusOf('connector', name)?.state;

describe('a connector that is disabled', () => {
  test('has left its device when that is answered, and says nothing to it any more; its points are out of service', async () => {
    const { bench, devices } = await setUpUp();
    const [device] = devices;
    await disable(bench, 'c', 'new pump');
    await bench.until(() => device.sockets.size === 0);
    const [heard, connections] = [device.heard.length, device.connections];
    assert.deepEqual([bench.valueOf('level'), bench.qualityOf('level')], [21.5, outOfService]);
    assert.match(
      await problemText(bench.commands.write('valve', 'd5')),
      /^connector-down: Connector c was disabled by anna at \d{4}-.*Z: new pump\. Nothing was sent: enable it first\.$/,
    );
    const { state, disabled, valuesPerSecond } = bench.host.statusOf('connector', 'c') ?? {};
    assert.deepEqual([state, disabled?.by, disabled?.reason, valuesPerSecond], ['disabled', 'anna', 'new pump', 0]);
    assert.deepEqual([device.heard.length, device.connections], [heard, connections]);
    assert.match(
      await problemText(bench.host.browse('c', { path: undefined, cursor: undefined, limit: 1 }, AbortSignal.abort())),
      /^connector-down: Connector c was disabled by anna/,
    );
  });

  test('is archived once, with that quality, and once when it is read again', async () => {
    const { bench } = await setUpUp();
    await disable(bench);
    await disable(bench);
    await enable(bench);
    await bench.until(() => bench.isGood('level', 21.5));
    const at = (index: number) => bench.records.qualities[index];
    const qualities = Array.from({ length: bench.records.count }, (_, index) => at(index));
    assert.deepEqual(qualities, [quality.good, outOfService, notConnected, quality.good]);
  });

  test('stays so whatever is rendered of it, and runs as it is configured by then when it is enabled', async () => {
    const { bench, devices, rendering } = await setUpUp();
    const [one, two] = devices;
    await disable(bench);
    const before = one.connections;
    const measurements = [measurement('level', 'c', { archMode: 'change' }), measurement('late', 'c')];
    await bench.render({ ...rendering, measurements });
    assert.equal(bench.qualityOf('late'), outOfService);
    await bench.render({ ...rendering, measurements, connectors: [line('c', two)] });
    assert.deepEqual([bench.qualityOf('level'), stateOf(bench)], [outOfService, 'disabled']);
    await bench.host.confirm([{ role: 'connector', name: 'c' }]);
    assert.deepEqual([one.connections, two.connections], [before, 0]);
    await enable(bench);
    await bench.until(() => bench.isGood('level', 7) && bench.isGood('late', 0));
    assert.deepEqual([one.connections, two.connections], [before, 1]);
    await bench.commands.write('valve', 'd5');
  });

  test('is in service again where it was removed from the configuration and comes back', async () => {
    const { bench, rendering } = await setUpUp();
    await disable(bench);
    assert.equal(bench.disk.disabledLinks.size, 1);
    await bench.render({});
    await bench.until(() => bench.disk.disabledLinks.size === 0);
    await bench.render(rendering);
    await bench.until(() => bench.isGood('level', 21.5));
  });

  test('is disabled again after a restart of the server; what is no longer configured is forgotten', async () => {
    const { bench, devices } = await setUp({ level: 1 });
    const stored = { by: 'anna', timeUs: 5_000_000 };
    for (const name of ['connector c', 'connector gone', 'provider c']) {
      bench.disk.disabledLinks.set(name, { name, ...stored });
    }
    bench.runtime.links.restore(bench.disk.disabledLinks.values());
    const level = measurement('level', 'c', { archMode: 'change' });
    await bench.render({ connectors: [line('c', devices[0])], measurements: [level] });
    assert.deepEqual([stateOf(bench), bench.qualityOf('level')], ['disabled', outOfService]);
    assert.equal(bench.records.count, 1, 'history says so, too');
    await bench.until(() => bench.disk.disabledLinks.size === 1);
    assert.deepEqual([...bench.disk.disabledLinks.keys()], ['connector c']);
    await bench.host.confirm([{ role: 'connector', name: 'c' }]);
    assert.equal(devices[0].connections, 0);
    await enable(bench);
    await bench.until(() => bench.isGood('level', 1));
  });

  test('may be one that has failed, that connects, or that does not end', async () => {
    const { bench } = await setUp();
    const names = ['fatal', 'stuck', 'unreachable'];
    await bench.render({
      connectors: [
        trial('fatal', 'fatal'),
        trial('stuck', 'stuck'),
        { name: 'unreachable', stackName: 'line_device', vars: { port: '1' } },
      ],
      measurements: names.map((name) => measurement(`of_${name}`, name)),
    });
    for (const name of names) {
      await disable(bench, name);
      assert.deepEqual([stateOf(bench, name), bench.qualityOf(`of_${name}`)], ['disabled', outOfService]);
    }
    for (const name of names) await enable(bench, name);
    await bench.until(() => stateOf(bench, 'fatal') === 'failed' && stateOf(bench, 'unreachable') === 'down');
    for (const name of ['fatal', 'unreachable']) assert.equal(bench.qualityOf(`of_${name}`), notConnected);
  });

  test('is left as it is by a second one, and enabling one that is enabled cuts no link', async () => {
    const { bench, devices } = await setUpUp();
    await enable(bench);
    assert.equal(devices[0].connections, 1);
    await disable(bench, 'c', 'first');
    await bench.runtime.links.disable('connector', 'c', 'bob', 'second');
    const { by, reason } = bench.runtime.links.find('connector', 'c') ?? {};
    assert.deepEqual([by, reason], ['anna', 'first']);
    await Promise.all([enable(bench), enable(bench)]);
    await bench.until(() => bench.isGood('level', 21.5));
    assert.equal(devices[0].connections, 2);
  });

  test('is not restarted, and one that does not exist is unknown', async () => {
    const { bench } = await setUpUp();
    await disable(bench);
    assert.match(
      await problemText(bench.runtime.links.restart('connector', 'c')),
      /^link-disabled: Connector c was disabled by anna at .*Z\. Enable it to let it connect\.$/,
    );
    for (const name of ['nobody', '__proto__']) {
      assert.match(await problemText(disable(bench, name)), /^unknown-object: /);
      assert.match(await problemText(enable(bench, name)), /^unknown-object: /);
      assert.match(await problemText(bench.runtime.links.restart('connector', name)), /^unknown-object: /);
    }
  });

  test('is so only when the disk has it: refused, all runs on; and it is not enabled before the disk has that', async () => {
    const { bench, devices } = await setUpUp();
    bench.disk.isFull = true;
    assert.match(await problemText(disable(bench)), /^storage-failed: /);
    assert.ok(bench.isGood('level', 21.5));
    bench.disk.isFull = false;
    await disable(bench);
    bench.disk.isFull = true;
    assert.match(await problemText(enable(bench)), /^storage-failed: /);
    assert.equal(stateOf(bench), 'disabled');
    assert.match(await problemText(disable(bench)), /^storage-failed: /, 'the disk may not have it any more');
    bench.disk.isFull = false;
    await disable(bench);
    assert.deepEqual([stateOf(bench), devices[0].connections], ['disabled', 1]);
  });

  test('and that is removed meanwhile is unknown, and leaves nothing on disk', async () => {
    const { bench } = await setUpUp();
    const release = bench.disk.stall();
    const disabling = problemText(disable(bench));
    await bench.render({});
    release();
    assert.match(await disabling, /^unknown-object: /);
    await bench.until(() => bench.disk.disabledLinks.size === 0);
  });

  test('stays so when its thread dies and another one takes over', async () => {
    const { bench, devices } = await setUpUp();
    const { host } = bench;
    await disable(bench);
    await bench.render({
      connectors: [line('c', devices[0]), trial('killer')],
      measurements: [measurement('level', 'c'), measurement('other', 'killer')],
      commands: [command('end', 'killer', 'exit')],
    });
    await bench.until(() => host.statusOf('connector', 'killer')?.state === 'up');
    await problemText(bench.commands.write('end', 'd1'));
    await bench.until(() => (host.statusOf('connector', 'killer')?.counters.connects ?? 0) > 1);
    await host.confirm([{ role: 'connector', name: 'c' }]);
    assert.deepEqual([stateOf(bench), bench.qualityOf('level'), devices[0].connections], ['disabled', outOfService, 1]);
    await enable(bench);
    await bench.until(() => bench.isGood('level', 21.5));
  });
});

describe('a provider that is disabled', () => {
  test('lets its clients go and serves nothing; enabled, it serves the present values', async (t) => {
    const { bench } = await setUp();
    const served: string[] = [];
    const panel = await LinePanel.start((message) => {
      if (message.kind === 'values') served.push(...message.values.map(({ name, text }) => `${name} ${text}`));
    });
    cleanupOf(t).defer(() => panel.close());
    const provider: Provider = { name: 'p', stackName: 'line_panel', vars: { port: panel.port } };
    const level = { name: 'level', datatype: 'd' as const, providerAddresses: { p: 'level' } };
    await bench.render({ providers: [provider], measurements: [level] });
    const simulate = (value: string) =>
      bench.measurements.simulate('level', { value, quality: undefined, validForS: undefined, by: 'tester' });
    await simulate('d1');
    await bench.until(() => served.some((text) => text.includes('d1')));
    await bench.runtime.links.disable('provider', 'p', 'anna', undefined);
    await bench.until(() => !panel.isServed);
    served.length = 0;
    await simulate('d2');
    await bench.host.confirm([{ role: 'provider', name: 'p' }]);
    assert.deepEqual([served, bench.host.statusOf('provider', 'p')?.state], [[], 'disabled']);
    await bench.runtime.links.enable('provider', 'p');
    await bench.until(() => served.some((text) => text.includes('d2')));
  });
});
