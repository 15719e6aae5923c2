// Promises of the new points of a rendering: they are prepared before it takes effect, invisible, and appear all
// together or not at all.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Command, Connector, Measurement } from '@telltale/schema';
import { LineDevice } from '../../test/line-device.ts';
import { RuntimeBench } from '../../test/runtime-bench.ts';

let device: LineDevice;
let bench: RuntimeBench;
let connectors: Connector[];

beforeEach(async () => {
  device = await LineDevice.start({ a: 1, b: 2 }, () => undefined);
  bench = await RuntimeBench.start();
  connectors = [{ name: 'c', stackName: 'line_device', vars: { port: device.port } }];
  await bench.render({ connectors });
});
afterEach(async () => {
  await bench.close();
  await device.close();
});

const level = (more: Partial<Measurement> = {}): Measurement => ({
  name: 'level',
  datatype: 'd',
  connectorName: 'c',
  address: 'a',
  archMode: 'change',
  ...more,
});

const valve: Command = { name: 'valve', datatype: 'd', connectorName: 'c', address: 'b', archMode: 'change' };

const recorded = () =>
  Array.from({ length: bench.records.count }, (_, at) => bench.sources[bench.records.points[at] as number]?.name);

test('what is prepared is not there, in no way in which it can be asked for', async () => {
  const { measurements, commands } = bench;
  const others = Array.from({ length: 3000 }, (_, at): Measurement => ({ name: `other${at}`, datatype: 'd' }));
  let turns = 0;
  let isOver = false;
  const rendering = bench.render({ connectors, measurements: [level(), ...others], commands: [valve] }).then(() => {
    isOver = true;
  });
  for (; !isOver; turns++) {
    assert.deepEqual([measurements.find('level'), measurements.size, [...measurements.all()]], [-1, 0, []]);
    assert.deepEqual([commands.find('valve'), commands.size], [-1, 0]);
    assert.equal(String(measurements.wire.collection().bytes), '{}');
    assert.deepEqual(Object.fromEntries(measurements.countQualities()), { c: { good: 0, uncertain: 0, bad: 0 } });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await rendering;
  assert.ok(turns > 2, `there were ${turns} turns meanwhile`);
  assert.deepEqual([measurements.size, commands.size], [3001, 1]);
  await bench.until(() => bench.isGood('level', 1));
});

test('what was prepared and does not come leaves nothing, and can come later', async () => {
  const { measurements, commands } = bench;
  await assert.rejects(bench.renderDamaged({ connectors, measurements: [level()], commands: [valve] }), SyntaxError);
  await bench.render({ connectors, measurements: [level({ name: 'pump', archMode: 'none' })] });
  await bench.until(() => bench.isGood('pump', 1));
  assert.deepEqual([measurements.find('level'), measurements.size, commands.find('valve')], [-1, 1, -1]);
  // As something else: nothing is left of what it was to be.
  await bench.render({ connectors, measurements: [level({ datatype: 's', rawDatatype: 'd', archMode: 'none' })] });
  await bench.until(() => bench.isGood('level', '1'));
  assert.deepEqual(recorded(), []);
  await bench.render({ connectors, measurements: [level({ name: 'flow', address: 'b' })], commands: [valve] });
  await bench.until(() => bench.isGood('flow', 2));
  await bench.commands.write('valve', 'd3');
  assert.deepEqual([...device.writes.keys()], ['b=3']);
  assert.deepEqual([...new Set(recorded())].sort(), ['flow', 'valve']);
});

test('a new one leads those that follow it from the same rendering on, new or changed', async () => {
  const follower = (more: Partial<Measurement> = {}) => {
    const { archMode, ...point } = level({ name: 'follower', address: 'b', ...more });
    return point;
  };
  for (const [turn, measurements] of [[], [follower()]].entries()) {
    await bench.render({ connectors, measurements });
    await bench.render({ connectors, measurements: [follower({ leader: 'level' }), level()] });
    await bench.until(() => bench.isGood('follower', 2) && bench.isGood('level', turn + 1));
    bench.records.clear();
    device.send('a', turn + 2);
    await bench.until(() => bench.isGood('level', turn + 2));
    assert.deepEqual(recorded().sort(), ['follower', 'level']);
  }
});
