import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemText } from '../../test/runtime-bench.ts';
import { command, line, measurement, setUp, setUpThreads, trial } from '../../test/runtime-plant.ts';

describe('after a thread of the stacks has died, the runtime', () => {
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

  test('a thread that dies leaves the points of other threads alone, and gets its own again', async () => {
    const { bench } = await setUpThreads(2);
    const point = (name: string, connector: string) => measurement(name, connector, { address: 'good' });
    await bench.render({
      connectors: [trial('good'), trial('deadly'), trial('beside_good')],
      measurements: [point('p', 'good'), point('q', 'deadly'), point('r', 'beside_good')],
      commands: [command('set', 'good', 'good'), command('kill', 'deadly', 'exit')],
    });
    await bench.until(() => ['p', 'q', 'r'].every((name) => bench.isGood(name, 1)));
    const threads = bench.host.status().map(({ name, thread }) => `${name} ${thread}`);
    assert.deepEqual(threads, ['good 1', 'deadly 2', 'beside_good 1']);
    const since = bench.measurements.timeOf(bench.measurements.find('p'));
    assert.match(await problemText(bench.commands.write('kill', 'd1')), /^connector-down/);
    assert.deepEqual([bench.qualityOf('p'), bench.qualityOf('q'), bench.qualityOf('r')], [0xc0, 0x18, 0xc0]);
    await bench.commands.write('set', 'd7');
    await bench.until(() => bench.isGood('p', 7) && bench.isGood('q', 1));
    assert.ok(bench.isGood('r', 1));
    assert.notEqual(bench.measurements.timeOf(bench.measurements.find('p')), since);
    const given = bench.lines.filter(({ msg }) => msg.startsWith('points'));
    assert.deepEqual(
      ['good', 'deadly', 'beside_good'].map((name) => given.filter(({ connector }) => connector === name).length),
      [1, 2, 1],
    );
  });

  test('gives it the points that run by then, where a rendering takes effect meanwhile', async () => {
    const { bench, devices } = await setUp({ level: 1, more: 2 });
    const connectors = [line('c', devices[0])];
    await bench.render({ connectors, measurements: [measurement('level', 'c')] });
    await bench.until(() => bench.isGood('level', 1));
    bench.runtime.restarted([{ role: 'connector', name: 'c' }]);
    await bench.render({ connectors, measurements: [measurement('level', 'c'), measurement('more', 'c')] });
    await bench.until(() => devices[0].heard.length === 5);
    assert.deepEqual(devices[0].heard, ['level?', 'level?', 'more?', 'level?', 'more?']);
  });

  test('makes a rendering ready though points are to be given again: the configuration waits for it', async () => {
    const { bench, devices } = await setUp({ level: 1, more: 2 });
    const connectors = [line('c', devices[0])];
    await bench.render({ connectors, measurements: [measurement('level', 'c')] });
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.configurationIsFree = promise;
    bench.runtime.restarted([{ role: 'connector', name: 'c' }]);
    await bench.render({ connectors, measurements: [measurement('more', 'c')] });
    devices[0].heard.length = 0;
    resolve();
    await bench.until(() => devices[0].heard.length > 0);
    assert.ok(devices[0].heard.every((line) => line === 'more?'));
  });
});
