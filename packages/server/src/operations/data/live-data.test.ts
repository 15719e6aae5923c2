import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Batch, systemClock } from '@telltale/schema';
import { Alarms } from '../../alarms/index.ts';
import { Commands, type Gathered, Measurements } from '../../points/index.ts';
import { LiveData, type ReadBytes } from './live-data.ts';

const nothing = async () => {};
const clock = systemClock;
const measurements = new Measurements({ clock, store: { saveSimulation: nothing, deleteSimulation: nothing } });
const commands = new Commands({
  clock,
  store: { saveCommand: nothing, deleteCommand: nothing },
  writeToDevice: nothing,
});
const alarms = new Alarms({ clock, store: { saveAlarm: nothing, deleteAlarm: nothing }, measurements });
const data = new LiveData({ measurements, commands, alarms });
const count = 20_000;

before(() => {
  measurements.putLink('connector', 'plc', undefined);
  for (let at = 0; at < count; at++)
    measurements.put({ name: `m${at}`, datatype: 'd', connectorName: 'plc', address: 'a' });
});

function change(name: string, value: number): void {
  const batch = new Batch(1);
  batch.number(measurements.find(name), value, 0xc0, clock.now());
  measurements.readings('plc', batch);
}

async function objects(read: ReadBytes): Promise<Record<string, { vtq: [string] }>> {
  const { pieces } = (await read) as Gathered;
  return JSON.parse(Buffer.concat(pieces).toString());
}

describe('a read of a collection that is too large for one slice', () => {
  test('is one at a time: who asks while it is under way shares the next one, with what has changed before', async () => {
    const first = data.readMeasurements({});
    change('m0', 1);
    const others = Array.from({ length: 5 }, () => data.readMeasurements({}));
    assert.ok(first instanceof Promise && others.every((other) => other instanceof Promise));
    const read = await Promise.all(others);
    assert.notEqual(read[0], await first);
    for (const other of read) assert.equal(other, read[0]);
    const [known] = await Promise.all(others.map((other) => objects(other)));
    assert.equal(known?.m0?.vtq[0], 'd1');
    assert.equal(Object.keys(known ?? {}).length, count);
  });

  test('gives the same bytes as long as nothing changes', async () => {
    const first = await data.readMeasurements({});
    assert.equal(data.readMeasurements({}), first);
    change('m1', 7);
    const second = await data.readMeasurements({});
    assert.notEqual(second, first);
    assert.equal((await objects(second)).m1?.vtq[0], 'd7');
  });

  test('has what was there, whole, whatever changes, comes and goes meanwhile', async () => {
    const read = data.readMeasurements({ fields: ['name', 'vtq'] });
    let changes = 0;
    let isOver = false;
    const over = Promise.resolve(read).then(() => {
      isOver = true;
    });
    for (let turn = 0; !isOver; turn++) {
      await new Promise(setImmediate);
      for (let at = 0; at < 500; at++) change(`m${(++changes * 7919) % 19_000}`, changes);
      for (let at = 0; at < 20; at++) measurements.remove(`m${19_999 - 20 * turn - at}`);
      measurements.put({ name: `new${turn}`, datatype: 's', description: 'x'.repeat(1000) });
    }
    await over;
    const known = await objects(read);
    for (let at = 0; at < 19_000; at++) assert.equal(Object.keys(known[`m${at}`] ?? {}).join(), 'name,vtq', `m${at}`);
  });
});

describe('long reads that nobody shares', () => {
  const selection = { measurements: 'all' } as const;

  test('are gathered one after the other, so that memory does not grow with how many ask', async () => {
    const turns: number[] = [];
    const reads = Array.from({ length: 4 }, (_, at) =>
      data.readDatabase(selection, {
        isWanted: () => {
          if (turns.at(-1) !== at) turns.push(at);
          return true;
        },
      }),
    );
    const [first, ...others] = await Promise.all(reads);
    assert.deepEqual(turns, [0, 1, 2, 3]);
    for (const other of others) assert.deepEqual(other, first);
  });

  test('hold up none that is short, and none that comes behind one that is not wanted any more', async () => {
    const long = data.readDatabase(selection);
    const unwanted = data.readDatabase(selection, { isWanted: () => false });
    const last = data.readDatabase(selection);
    const short = data.readMeasurements({ names: ['m1'], fields: ['name'] });
    assert.ok(long instanceof Promise && !(short instanceof Promise));
    assert.deepEqual(Object.keys(await objects(short)), ['m1']);
    assert.deepEqual([(await unwanted).pieces, await last], [[], await long]);
  });
});
