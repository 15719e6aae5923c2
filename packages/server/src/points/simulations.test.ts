import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checker, datatypes, Simulation, toTimestamp } from '@telltale/schema';
import { benchWith, type PointsBench, problemOf } from '../../test/points-bench.ts';
import { allHeard } from '../../test/slow-disk.ts';

const simulated = 0x80c0;

function setUp(): PointsBench {
  const bench = benchWith({ datatype: 'd', deadband: '100' });
  bench.read('c', { point: 'p', value: 7, timeUs: 3 });
  bench.news();
  return bench;
}

describe('a simulation', () => {
  test('SI-1: is on disk before anybody sees it', async () => {
    const bench = setUp();
    const release = bench.disk.stall();
    const done = bench.simulate('p', { value: 'd1' });
    await allHeard();
    assert.deepEqual([bench.vtq('p'), bench.news()], [['d7', 3, 0xc0], []]);
    release();
    await done;
    assert.deepEqual(bench.disk.simulations.get('p')?.value, 'd1');
    assert.deepEqual(bench.vtq('p'), ['d1', bench.clock.now(), simulated]);
  });

  test('SI-1: that the disk refuses has changed nothing', async () => {
    const bench = setUp();
    bench.disk.isFull = true;
    assert.equal(await problemOf(bench.simulate('p', { value: 'd1' })), 'storage-failed');
    assert.deepEqual([bench.vtq('p'), bench.news(), bench.measurements.simulated], [['d7', 3, 0xc0], [], 0]);
  });

  test('SI-1: that the disk refuses to end goes on', async () => {
    const bench = setUp();
    await bench.simulate('p', { value: 'd1' });
    bench.disk.isFull = true;
    assert.equal(await problemOf(bench.measurements.stopSimulation('p')), 'storage-failed');
    assert.equal(bench.vtq('p')[0], 'd1');
  });

  test('SI-1: is on disk though the one before it ends, or its measurement changes, while it is being kept', async () => {
    const ends: ((bench: PointsBench) => void)[] = [
      (bench) => bench.clock.advance(1000),
      (bench) => bench.put({ name: 'p', datatype: 'd' }),
    ];
    for (const end of ends) {
      const bench = setUp();
      await bench.simulate('p', { value: 'd1', validForS: 1 });
      const release = bench.disk.stall();
      const done = bench.simulate('p', { value: 'd2' });
      end(bench);
      release();
      await done;
      await allHeard();
      assert.deepEqual([bench.vtq('p')[0], bench.disk.simulations.get('p')?.value], ['d2', 'd2']);
    }
  });

  test('SI-2: is published as given, past scaler, deduplicator and deadband', async () => {
    const bench = benchWith({
      datatype: 'd',
      ...{ rawRangeLo: '0', rawRangeHi: '1', euRangeLo: '0', euRangeHi: '100', deadband: '50' },
    });
    const now = bench.clock.now();
    await bench.simulate('p', { value: 'd.5' });
    await bench.simulate('p', { value: 'd0.5' });
    await bench.simulate('p', { value: 'd-7000', quality: 0x1255 });
    assert.deepEqual(bench.news(), [
      ['p', 'd0.5', now, simulated],
      ['p', 'd0.5', now, simulated],
      ['p', 'd-7000', now, 0x9255],
    ]);
  });

  test('SI-2: works with every datatype', async () => {
    const values = { b: 'b1', q: 'q3', i: 'i-5', l: 'l9007199254740993', f: 'f0.1', d: 'd-0', s: 's"\n\u00e4' };
    for (const datatype of datatypes) {
      const bench = benchWith({ datatype });
      await bench.simulate('p', { value: values[datatype] });
      assert.deepEqual(bench.vtq('p'), [values[datatype], bench.clock.now(), simulated]);
    }
  });

  test('SI-3: of another datatype, of no value and of nobody is refused', async () => {
    const bench = setUp();
    for (const value of ['i1', 'd', 'd1e3', 'dNaN', '1', '', 'd5.']) {
      assert.equal(await problemOf(bench.simulate('p', { value })), 'invalid-value', value);
    }
    for (const name of ['nobody', '__proto__', '']) {
      assert.equal(await problemOf(bench.simulate(name, { value: 'd1' })), 'unknown-object');
      assert.equal(await problemOf(bench.measurements.stopSimulation(name)), 'unknown-object');
    }
    assert.deepEqual([bench.news(), bench.disk.simulations.size], [[], 0]);
  });

  test('SI-3: of a measurement that goes meanwhile is refused, and not kept', async () => {
    const bench = setUp();
    const done = problemOf(bench.simulate('p', { value: 'd1' }));
    bench.remove('p');
    assert.equal(await done, 'unknown-object');
    assert.equal(bench.disk.simulations.size, 0);
  });

  test('SI-4: stands before what the device says, which comes back when it ends', async () => {
    const bench = setUp();
    await bench.simulate('p', { value: 'd1' });
    bench.news();
    bench.read('c', { point: 'p', value: 500, quality: 0x40, timeUs: 11 });
    bench.read('c', { point: 'p', value: Number.NaN, timeUs: 12 });
    bench.measurements.setLink('connector', 'c', false, 13);
    assert.deepEqual([bench.news(), bench.measurements.counts.hidden], [[], 2]);
    await bench.measurements.stopSimulation('p');
    assert.deepEqual(bench.news(), [['p', 'd500', 13, 0x18]]);
  });

  test('SI-5: ends when it is stopped, on disk as well, and to stop it again is no error', async () => {
    const bench = setUp();
    await bench.simulate('p', { value: 'd1', validForS: 5 });
    bench.news();
    await bench.measurements.stopSimulation('p');
    await bench.measurements.stopSimulation('p');
    assert.deepEqual(bench.news(), [['p', 'd7', 3, 0xc0]]);
    assert.deepEqual([bench.disk.simulations.size, bench.clock.pending, bench.measurements.simulated], [0, 0, 0]);
  });

  test('SI-5: ends when its time is over, to the microsecond', async () => {
    const bench = setUp();
    await bench.simulate('p', { value: 'd1', validForS: 1.5 });
    bench.clock.advance(1499.999);
    assert.equal(bench.vtq('p')[2], simulated);
    bench.clock.advance(0.001);
    assert.deepEqual(bench.vtq('p'), ['d7', 3, 0xc0]);
    await allHeard();
    assert.equal(bench.disk.simulations.size, 0);
  });

  test('SI-5: lasts as long as it was asked for, whatever becomes of the time of day meanwhile', async () => {
    for (const byMs of [35_000, -3_600_000, 365 * 86_400_000]) {
      const bench = setUp();
      const release = bench.disk.stall();
      const asked = bench.simulate('p', { value: 'd1', validForS: 10 });
      await allHeard();
      bench.clock.jump(byMs);
      bench.clock.advance(4000);
      release();
      await asked;
      bench.clock.jump(byMs);
      bench.clock.advance(5999);
      assert.equal(bench.vtq('p')[2], simulated);
      bench.clock.advance(1);
      assert.deepEqual(bench.vtq('p'), ['d7', 3, 0xc0]);
    }
  });

  test('SI-6: takes the place of another, with its own end', async () => {
    const bench = setUp();
    await bench.simulate('p', { value: 'd1', validForS: 1 });
    await bench.simulate('p', { value: 'd2', validForS: 10 });
    bench.clock.advance(5000);
    assert.equal(bench.vtq('p')[0], 'd2');
    await bench.simulate('p', { value: 'd3' });
    bench.clock.advance(10_000_000);
    assert.deepEqual([bench.vtq('p')[0], bench.clock.pending], ['d3', 0]);
  });

  test('SI-7: outlives a restart, with its times', async () => {
    const bench = setUp();
    const { points } = bench;
    const definition = points.get('p') ?? assert.fail();
    const since = bench.clock.now();
    await bench.simulate('p', { value: 'd1', validForS: 10, quality: 0x40 });
    bench.clock.advance(4000);
    bench.restart();
    bench.put(definition);
    assert.deepEqual(bench.vtq('p'), ['d1', since, 0x8040]);
    bench.clock.advance(5999);
    assert.equal(bench.measurements.simulated, 1);
    bench.clock.advance(1);
    assert.deepEqual(bench.vtq('p'), ['d0', 0, 0x08]);
  });

  test('SI-7: lasts after a restart for no longer than it was to last at all, though the time of day was set back', async () => {
    const bench = setUp();
    const definition = bench.points.get('p') ?? assert.fail();
    await bench.simulate('p', { value: 'd1', validForS: 10 });
    bench.clock.jump(-365 * 86_400_000);
    bench.restart();
    bench.put(definition);
    bench.clock.advance(9999);
    assert.equal(bench.measurements.simulated, 1);
    bench.clock.advance(1);
    assert.equal(bench.measurements.simulated, 0);
  });

  test('SI-7: does not come back when its time was over meanwhile, or its value does not fit, and is forgotten', async () => {
    for (const datatype of ['d', 'i'] as const) {
      const bench = setUp();
      await bench.simulate('p', { value: 'd1', ...(datatype === 'd' && { validForS: 1 }) });
      bench.measurements.close();
      if (datatype === 'd') bench.clock.advance(1000);
      bench.restart();
      bench.put({ name: 'p', datatype });
      assert.equal(bench.measurements.simulated, 0);
      await allHeard();
      assert.equal(bench.disk.simulations.size, 0);
    }
  });

  test('SI-7: of a measurement that is not configured any more is forgotten when the first rendering runs', async () => {
    const bench = setUp();
    bench.put({ name: '__proto__', datatype: 'd' });
    await bench.simulate('p', { value: 'd1' });
    await bench.simulate('__proto__', { value: 'd1' });
    bench.restart();
    bench.put({ name: '__proto__', datatype: 'd' });
    bench.measurements.deleteOrphans();
    await allHeard();
    assert.deepEqual([...bench.disk.simulations.keys()], ['__proto__']);
    bench.put({ name: 'p', datatype: 'd' });
    assert.equal(bench.vtq('p')[2], 0x08);
  });

  test('SI-8: is listed with everything that is known of it', async () => {
    const bench = setUp();
    bench.put({ name: 'b', datatype: 's' });
    await bench.simulate('p', { value: 'd.5', validForS: 2.5, by: 'anna', reason: 'pump 3 is open' });
    await bench.simulate('b', { value: 's"', by: 'ben' });
    const since = toTimestamp(bench.clock.now());
    const until = toTimestamp(bench.clock.now() + 2_500_000);
    const list = bench.measurements.simulations();
    assert.deepEqual(list, [
      { name: 'b', value: 's"', quality: simulated, since, until: null, by: 'ben', reason: null },
      { name: 'p', value: 'd0.5', quality: simulated, since, until, by: 'anna', reason: 'pump 3 is open' },
    ]);
    for (const each of list) assert.deepEqual(checker(Simulation).faults(each), []);
  });

  test('DE-1, DE-2, DE-4: ends with another datatype, another connector and the measurement itself, on disk as well', async () => {
    for (const change of [
      (bench: PointsBench) => bench.put({ name: 'p', datatype: 'i', connectorName: 'c', address: 'a' }),
      (bench: PointsBench) => bench.put({ name: 'p', datatype: 'd', connectorName: 'other', address: 'a' }),
      (bench: PointsBench) => bench.remove('p'),
    ]) {
      const bench = setUp();
      await bench.simulate('p', { value: 'd1', validForS: 100 });
      change(bench);
      await allHeard();
      assert.deepEqual([bench.measurements.simulated, bench.clock.pending, bench.disk.simulations.size], [0, 0, 0]);
      if (bench.points.has('p')) assert.equal(bench.vtq('p')[2], 0x08);
    }
  });

  test('DE-2, DE-3: goes on through every other change', async () => {
    const bench = setUp();
    await bench.simulate('p', { value: 'd1' });
    bench.put({ name: 'p', datatype: 'd', connectorName: 'c', address: 'elsewhere', description: 'new' });
    assert.equal(bench.vtq('p')[0], 'd1');
    await bench.measurements.stopSimulation('p');
    assert.deepEqual(bench.vtq('p'), ['d7', bench.clock.now(), 0x08]);
  });
});
