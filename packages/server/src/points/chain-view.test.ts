import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Measurement } from '@telltale/schema';
import { PointsBench } from '../../test/points-bench.ts';

const scaled = {
  datatype: 'd',
  rawDatatype: 'i',
  rawRangeLo: '0',
  rawRangeHi: '10000',
  euRangeLo: '0',
  euRangeHi: '100',
} as const;

function setUp(...points: Measurement[]): PointsBench {
  const bench = new PointsBench();
  bench.measurements.putLink('connector', 'c', undefined);
  for (const point of points) bench.put(point);
  bench.measurements.setLink('connector', 'c', true, 1);
  return bench;
}

const onC = (name: string, more: Partial<Measurement> = {}): Measurement => ({
  name,
  datatype: 'd',
  connectorName: 'c',
  address: name,
  ...more,
});

function view({ measurements }: PointsBench, name: string) {
  return measurements.chainOf(measurements.find(name));
}

function trial({ measurements }: PointsBench, name: string, raw: number | bigint | string | boolean) {
  return measurements.trial(measurements.find(name), raw);
}

describe('the view of a chain', () => {
  test('reports how each stage is set', () => {
    const bench = setUp(
      onC('plain'),
      onC('scaled', { ...scaled, deadband: '1%' }),
      onC('long', { datatype: 'l', deadband: '9007199254740993' }),
      onC('off', { ...scaled, deadband: '1', stackUmask: 1 + 2 + 4 + 8 }),
      { name: 'loose', datatype: 's' },
    );
    const { connector, isLinked, scaling, isDeduplicated, deadband, reports, watchdog, simulation } = view(
      bench,
      'plain',
    );
    assert.deepEqual(
      { connector, isLinked, scaling, isDeduplicated, deadband, reports, watchdog, simulation },
      {
        connector: 'c',
        isLinked: true,
        scaling: undefined,
        isDeduplicated: true,
        deadband: undefined,
        reports: undefined,
        watchdog: undefined,
        simulation: undefined,
      },
    );
    assert.deepEqual(view(bench, 'scaled').scaling, { rawLo: 0, rawHi: 10000, euLo: 0, euHi: 100 });
    assert.deepEqual([view(bench, 'scaled').deadband, view(bench, 'scaled').rawDatatype], [1, 'i']);
    assert.equal(view(bench, 'long').deadband, 9007199254740993n);
    const off = view(bench, 'off');
    assert.deepEqual(
      [off.isLinked, off.scaling, off.isDeduplicated, off.deadband],
      [false, undefined, false, undefined],
    );
    const loose = view(bench, 'loose');
    assert.deepEqual([loose.connector, loose.isLinked], [undefined, false]);
    assert.deepEqual(loose.device, { value: '', quality: 0x08, timeUs: 0 });
  });

  test('has what the device said behind a simulation', async () => {
    const bench = setUp(onC('a'));
    await bench.measurements.simulate('a', { value: 'd7', quality: undefined, validForS: undefined, by: 'me' });
    bench.read('c', { point: 'a', value: 5, timeUs: 3 });
    assert.deepEqual(view(bench, 'a').device, { value: 5, quality: 0xc0, timeUs: 3 });
    const { value, by } = view(bench, 'a').simulation ?? {};
    assert.deepEqual([value, by], ['d7', 'me']);
  });

  test('names the watchdog that the device drives, and what it keeps back', () => {
    const bench = setUp();
    bench.measurements.putLink('connector', 'c', 'w');
    for (const point of [onC('a'), onC('w', { datatype: 'b' })]) bench.put(point);
    bench.read('c', { point: 'w', value: true, timeUs: 2 }, { point: 'a', value: 5, timeUs: 3 });
    assert.deepEqual(view(bench, 'a').watchdog, { name: 'w', isHealthy: true });
    bench.read('c', { point: 'w', value: false, timeUs: 4 }, { point: 'a', value: 6, timeUs: 5 });
    bench.read('c', { point: 'a', value: 8, timeUs: 6 });
    const { watchdog, held, device } = view(bench, 'a');
    assert.deepEqual(watchdog, { name: 'w', isHealthy: false });
    assert.deepEqual(held, { value: 8, quality: 0xc0, timeUs: 6 });
    assert.equal(device.quality, 0x18);
    assert.deepEqual([view(bench, 'w').watchdog, view(bench, 'w').held], [undefined, undefined]);
  });

  test('reports of a measurement that the service drives whose link it is', () => {
    const bench = setUp({ name: 'w', datatype: 'b' });
    bench.measurements.putLink('provider', 'p', 'w');
    assert.deepEqual(view(bench, 'w').reports, { role: 'provider', name: 'p' });
  });
});

describe('a trial of a reading', () => {
  test('is what the chain would make of it, and changes nothing', () => {
    const bench = setUp(onC('s', { ...scaled, deadband: '1' }), onC('b', { datatype: 'b' }));
    bench.read('c', { point: 's', value: 5000, timeUs: 3 });
    bench.news();
    const before = bench.vtq('s');
    assert.deepEqual(trial(bench, 's', 5000), {
      raw: 5000,
      value: 50,
      quality: 0xc0,
      isSame: true,
      isWithinDeadband: true,
    });
    assert.deepEqual(trial(bench, 's', 5050), {
      raw: 5050,
      value: 50.5,
      quality: 0xc0,
      isSame: false,
      isWithinDeadband: true,
    });
    assert.deepEqual(trial(bench, 's', 10001).quality, 0x56);
    assert.deepEqual(trial(bench, 's', -1).quality, 0x55);
    assert.deepEqual([trial(bench, 's', 0.5).raw, trial(bench, 's', 0.5).value], [undefined, undefined]);
    assert.equal(trial(bench, 's', 'x').value, undefined);
    assert.deepEqual(trial(bench, 'b', true), {
      raw: 1,
      value: 1,
      quality: 0xc0,
      isSame: false,
      isWithinDeadband: false,
    });
    assert.deepEqual([bench.vtq('s'), bench.news()], [before, []]);
  });

  for (const raw of [0, 1, 4999, 5000, 5001, 5099, 5100, 10000, 10001, -7]) {
    test(`of ${raw} predicts what a reading of it does`, () => {
      const bench = setUp(onC('s', { ...scaled, deadband: '1' }));
      bench.read('c', { point: 's', value: 5000, timeUs: 3 });
      bench.news();
      const { value, quality, isSame, isWithinDeadband } = trial(bench, 's', raw);
      bench.read('c', { point: 's', value: raw, timeUs: 4 });
      const isStopped = quality === 0xc0 && (isSame || isWithinDeadband);
      assert.deepEqual(bench.news(), isStopped ? [] : [['s', `d${value}`, 4, quality]]);
    });
  }
});

test('measurements are counted by connector and by what their device makes of them', async () => {
  const bench = setUp(onC('a'), onC('b'), onC('d'), { name: 'loose', datatype: 'd' });
  bench.measurements.putLink('connector', '__proto__', undefined);
  bench.put(onC('e', { connectorName: '__proto__' }));
  bench.read('c', { point: 'a', value: 1, timeUs: 3 }, { point: 'b', value: 1, quality: 0x40, timeUs: 3 });
  await bench.measurements.simulate('d', { value: 'd7', quality: undefined, validForS: undefined, by: 'me' });
  bench.measurements.remove('loose');
  assert.deepEqual(
    [...bench.measurements.countQualities()],
    [
      ['c', { good: 1, uncertain: 1, bad: 1 }],
      ['__proto__', { good: 0, uncertain: 0, bad: 1 }],
    ],
  );
  bench.measurements.setLink('connector', 'c', false, 10);
  assert.deepEqual(bench.measurements.countQualities().get('c'), { good: 0, uncertain: 0, bad: 3 });
});
