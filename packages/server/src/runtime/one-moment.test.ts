// Promises of the moment at which a rendering takes effect: what is seen, sent and judged is of the old one or the new
// one, never of a mixture.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Alarm, Command, Connector, Measurement } from '@telltale/schema';
import { LineDevice } from '../../test/line-device.ts';
import { problemText, RuntimeBench } from '../../test/runtime-bench.ts';

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.close();
});

async function setUp(values: Record<string, number> = {}) {
  const device = await LineDevice.start(values, () => undefined);
  const bench = await RuntimeBench.start();
  running.push(device, bench);
  const connectors: Connector[] = [{ name: 'c', stackName: 'line_device', vars: { port: device.port } }];
  return { device, bench, connectors };
}

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Enough that a rendering takes many slices; `word` makes them others. */
const others = (word: string): Measurement[] =>
  times(2000, (at) => ({ name: `other${at}`, datatype: 'd', description: `${word} ${at}` }));

/** Ten raw for one. */
const tenfold = { rawRangeLo: '0', rawRangeHi: '1000', euRangeLo: '0', euRangeHi: '100' };

test('a write goes to an address as scaled for that address, whenever it comes', async () => {
  const { device, bench, connectors } = await setUp();
  const valve = (more: Partial<Command>): Command => ({ name: 'valve', datatype: 'd', connectorName: 'c', ...more });
  const either = [
    { commands: [valve({ address: 'a' })], measurements: others('old') },
    { commands: [valve({ address: 'b', ...tenfold })], measurements: others('new') },
  ];
  await bench.render({ connectors, ...either[0] });
  await bench.until(() => bench.host.status()[0]?.state === 'up');
  const outcomes = new Set<string>();
  for (let turn = 1; turn <= 10; turn++) {
    let isOver = false;
    const rendering = bench.render({ connectors, ...either[turn % 2] }).finally(() => {
      isOver = true;
    });
    const writes: Promise<string>[] = [];
    while (!isOver) {
      writes.push(problemText(bench.commands.write('valve', 'd5')));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await rendering;
    for (const outcome of await Promise.all(writes)) outcomes.add(outcome);
  }
  // One that waited for another when its command moved was not sent.
  for (const outcome of outcomes) assert.match(outcome, /^none$|^command-changed/);
  assert.deepEqual([...device.writes.keys()].sort(), ['a=5', 'b=50']);
});

test('a write that waits when its command moves is answered so, and nothing is sent', async () => {
  const { device, bench, connectors } = await setUp();
  const valve = (address: string): Command => ({ name: 'valve', datatype: 'd', connectorName: 'c', address });
  await bench.render({ connectors, commands: [valve('silent')] });
  await bench.until(() => bench.host.status()[0]?.state === 'up');
  const first = problemText(bench.commands.write('valve', 'd1'));
  await bench.until(() => device.writes.has('silent=1'));
  const second = problemText(bench.commands.write('valve', 'd2'));
  await bench.render({ connectors, commands: [valve('b')] });
  await bench.commands.write('valve', 'd3');
  assert.match(await second, /^command-changed: .*has changed. Nothing was sent/);
  assert.deepEqual([...device.writes.keys()], ['silent=1', 'b=3']);
  assert.match(await first, /^write-timeout: .*may have taken/);
});

test('a limit that changes with the range of its measurement raises no alarm', async () => {
  const { bench, connectors, device } = await setUp(Object.fromEntries(times(200, (at) => [`p${at}`, 5])));
  const plant = (factor: number) => ({
    connectors,
    measurements: times(200, (at): Measurement => {
      const range = { rawRangeLo: '0', rawRangeHi: '10', euRangeLo: '0', euRangeHi: String(10 * factor) };
      return { name: `p${at}`, datatype: 'd', connectorName: 'c', address: `p${at}`, ...range };
    }),
    alarms: times(200, (at): Alarm => {
      const trigger = { trgMeasurement: `p${at}`, trgOperator: 'gt', trgRefValue: String(8 * factor) } as const;
      return { name: `high${at}`, severity: 1, ...trigger };
    }),
  });
  const areAll = (value: number) => times(200, (at) => bench.isGood(`p${at}`, value)).every(Boolean);
  const sending = setInterval(() => {
    for (let at = 0; at < 200; at++) device.send(`p${at}`, 5);
  }, 1);
  try {
    for (let turn = 0; turn < 6; turn++) {
      const factor = turn % 2 === 0 ? 1 : 1000;
      await bench.render(plant(factor));
      await bench.until(() => areAll(5 * factor));
    }
  } finally {
    clearInterval(sending);
  }
  assert.deepEqual(bench.alarms.counts().byState, { INACT_ACK: 200, ACT_UNACK: 0, ACT_ACK: 0, INACT_UNACK: 0 });
});

test('a measurement that becomes another datatype is compared as one of its datatype', async () => {
  const { bench, connectors, device } = await setUp({ level: 7 });
  const plant = (datatype: 'l' | 'd' | 's') => ({
    connectors,
    measurements: [{ name: 'level', datatype, rawDatatype: 'd', connectorName: 'c', address: 'level' } as Measurement],
    alarms: [
      { name: 'is', severity: 1, trgMeasurement: 'level', trgOperator: 'eq', trgRefValue: '7' },
      { name: 'not', severity: 1, trgMeasurement: 'level', trgOperator: 'ne', trgRefValue: '7' },
    ] as Alarm[],
  });
  const sending = setInterval(() => device.send('level', 7), 1);
  try {
    for (const datatype of ['l', 'd', 'l', 'd', 'l'] as const) {
      await bench.render(plant(datatype));
      await bench.until(() => bench.isGood('level', datatype === 'l' ? 7n : 7));
    }
  } finally {
    clearInterval(sending);
  }
  const stateOf = (name: string) => bench.alarms.stateOf(bench.alarms.find(name)).state;
  assert.deepEqual([stateOf('is'), stateOf('not')], ['ACT_UNACK', 'INACT_ACK']);
});
