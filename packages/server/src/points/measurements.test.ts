import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, datatypes, type Measurement, quality } from '@telltale/schema';
import { benchWith, PointsBench } from '../../test/points-bench.ts';

describe('a measurement', () => {
  test('MC-10: is the zero of its datatype, not connected, before its first value', () => {
    for (const datatype of datatypes) {
      assert.deepEqual(benchWith({ datatype }).vtq('p'), [`${datatype}${datatype === 's' ? '' : '0'}`, 0, 0x08]);
    }
  });

  test('MC-11: that changes twice in a batch is handed on twice, each time with the value of that time', () => {
    const bench = benchWith({ datatype: 'd' });
    bench.put({ name: 'other', datatype: 'i', connectorName: 'c', address: 'b' });
    bench.news();
    bench.read(
      'c',
      { point: 'p', value: 1, timeUs: 1 },
      { point: 'other', value: 5, timeUs: 2 },
      { point: 'p', value: 2, timeUs: 3 },
      { point: 'p', value: 2, timeUs: 4 },
      { point: 'p', value: 1, timeUs: 5 },
    );
    assert.deepEqual(bench.news(), [
      ['p', 'd1', 1, 0xc0],
      ['other', 'i5', 2, 0xc0],
      ['p', 'd2', 3, 0xc0],
      ['p', 'd1', 5, 0xc0],
    ]);
  });

  test('MC-11: of many thousand in one batch is handed on, each once', () => {
    const bench = benchWith({ datatype: 'd' });
    const names = Array.from({ length: 9000 }, (_, at) => `p${at}`);
    for (const name of names) bench.put({ name, datatype: 'd', connectorName: 'c', address: 'a' });
    bench.news();
    bench.read('c', ...names.map((point, at) => ({ point, value: at + 1, timeUs: at })));
    assert.deepEqual(
      bench.news(),
      names.map((name, at) => [name, `d${at + 1}`, at, 0xc0]),
    );
  });

  test('MC-12: hears nothing from strangers, and every reading is counted', () => {
    const bench = benchWith({ datatype: 'd' });
    bench.measurements.putLink('connector', 'other', undefined);
    bench.put({ name: 'loose', datatype: 'd' });
    bench.news();
    bench.read('other', { point: 'p', value: 1 });
    bench.read('nobody', { point: 'p', value: 1 }, { point: 'p', value: 2 });
    bench.read('c', ...[4_294_967_295, 1000, 65, -1].map((point) => ({ point, value: 1 })));
    bench.read('c', { point: 'loose', value: 1 });
    assert.deepEqual(bench.news(), []);
    bench.read('c', { point: 'p', value: 1 }, { point: 'p', value: 1 }, { point: 'p', value: Number.NaN });
    const { unfit, ...counts } = bench.measurements.counts;
    assert.deepEqual(counts, {
      changed: 2,
      duplicates: 1,
      withinDeadband: 0,
      hidden: 0,
      foreign: 8,
      superseded: 0,
    });
    assert.equal(unfit, 1);
  });

  test('MC-14: is what another server has published: as it is, and once', () => {
    const bench = benchWith({
      datatype: 'd',
      euRangeLo: '0',
      euRangeHi: '1',
      rawRangeLo: '0',
      rawRangeHi: '100',
      deadband: '50',
    });
    const { measurements } = bench;
    bench.put({ name: 'long', datatype: 'l' });
    bench.put({ name: 'text', datatype: 's' });
    bench.news();
    const states = new Batch();
    const adopt = (fill: () => void) => {
      states.clear();
      fill();
      measurements.adopt(states);
      return bench.news();
    };
    const [p, long, text] = ['p', 'long', 'text'].map((name) => measurements.find(name)) as [number, number, number];
    const all = () => {
      states.value(p, 0.1, quality.good | quality.simulated, 5);
      states.value(long, 2n ** 62n, quality.good, 6);
      states.value(text, 'ä', quality.uncertain.subnormal, 7);
      states.value(1000, 1, quality.good, 8);
    };
    assert.deepEqual(adopt(all), [
      ['p', 'd0.1', 5, 0x80c0],
      ['long', `l${2n ** 62n}`, 6, 0xc0],
      ['text', 'sä', 7, 0x58],
    ]);
    assert.deepEqual(adopt(all), []);
    assert.deepEqual(
      adopt(() => states.none(p, quality.bad.communicationFailure, 9)),
      [['p', 'd0.1', 9, 0x18]],
    );
    assert.deepEqual(
      adopt(() => states.value(p, 'text', quality.good, 10)),
      [['p', 'd0.1', 10, 0x10]],
    );
  });

  test('MC-13: gets no reading that was on its way to one that is gone', () => {
    const bench = benchWith({ datatype: 'd' });
    const old = bench.measurements.find('p');
    bench.remove('p');
    bench.clock.advance(59_999);
    bench.put({ name: 'fresh', datatype: 'd', connectorName: 'c', address: 'a' });
    bench.news();
    assert.notEqual(bench.measurements.find('fresh'), old);
    bench.read('c', { point: old, value: 1 });
    assert.deepEqual([bench.news(), bench.measurements.counts.foreign], [[], 1]);
    bench.clock.advance(1);
    bench.put({ name: 'later', datatype: 's', connectorName: 'c', address: 'a' });
    assert.equal(bench.measurements.find('later'), old, 'ids do not grow without end');
    assert.deepEqual(bench.vtq('later'), ['s', 0, 0x08]);
  });

  test('MC-13: rests apart from others that were removed before and after it', () => {
    const bench = new PointsBench();
    for (const name of ['a', 'b', 'c']) bench.put({ name, datatype: 'd' });
    bench.remove('b');
    bench.clock.advance(30_000);
    bench.remove('a');
    bench.clock.advance(30_000);
    for (const name of ['x', 'y']) bench.put({ name, datatype: 'd' });
    assert.deepEqual(
      ['x', 'y'].map((name) => bench.measurements.find(name)),
      [1, 3],
    );
    assert.deepEqual([...bench.measurements.all()], [1, 2, 3]);
  });
});

describe('a changed definition', () => {
  const point: Measurement = { name: 'p', datatype: 'd', connectorName: 'c', address: 'a' };
  const started = () => {
    const bench = benchWith({ datatype: 'd' });
    bench.measurements.putLink('connector', 'd', undefined);
    bench.read('c', { point: 'p', value: 7, timeUs: 3 });
    bench.news();
    return bench;
  };

  test('DE-1: with another datatype begins again', () => {
    for (const datatype of datatypes.filter((each) => each !== 'd')) {
      const bench = started();
      bench.put({ ...point, datatype });
      const zero = [`${datatype}${datatype === 's' ? '' : '0'}`, 0, 0x08];
      assert.deepEqual([bench.vtq('p'), bench.news()], [zero, [['p', ...zero]]]);
    }
  });

  test('DE-2: of what the value depends on keeps the value, and says that it is not connected', () => {
    const changes: Partial<Measurement>[] = [
      { connectorName: 'd' },
      { address: 'b' },
      { rawDatatype: 'i' },
      { rawRangeLo: '0' },
      { euRangeHi: '1' },
      { stackUmask: 1 },
      { stackUmask: 2 },
      { properties: { key: 'value' } },
    ];
    for (const change of changes) {
      const bench = started();
      bench.put({ ...point, ...change });
      const expected = ['d7', bench.clock.now(), quality.bad.notConnected];
      assert.deepEqual([bench.vtq('p'), bench.news()], [expected, [['p', ...expected]]], JSON.stringify(change));
    }
  });

  test('DE-2: is read again by its new connector alone', () => {
    const bench = started();
    bench.put({ ...point, connectorName: 'd' });
    bench.news();
    bench.read('c', { point: 'p', value: 1 });
    assert.deepEqual(bench.news(), []);
    bench.read('d', { point: 'p', value: 7, timeUs: 9 });
    assert.deepEqual(bench.news(), [['p', 'd7', 9, 0xc0]]);
  });

  test('DE-3: of anything else keeps all, and takes effect', () => {
    const changes: Partial<Measurement>[] = [
      { description: 'level "1"' },
      { deadband: '2' },
      { stackUmask: 4 | 8 },
      { archMode: 'change' },
      { properties: { archRetention: '90d' } },
      { properties: { precision: '2' } },
      { eu: 'm' },
      { providerAddresses: { p: 'a' } },
    ];
    for (const change of changes) {
      const bench = started();
      bench.put({ ...point, ...change });
      assert.deepEqual([bench.vtq('p'), bench.news()], [['d7', 3, 0xc0], []], JSON.stringify(change));
      bench.read('c', { point: 'p', value: 8, timeUs: 4 });
      assert.deepEqual(bench.news(), 'deadband' in change ? [] : [['p', 'd8', 4, 0xc0]]);
    }
  });

  test('DE-4: that removes it is reported while it can be read, bad for the last time', () => {
    const bench = started();
    bench.remove('p');
    assert.deepEqual(bench.news(), [['p', 'removed', quality.bad.configurationError]]);
    assert.deepEqual([bench.measurements.find('p'), bench.measurements.size], [-1, 0]);
    assert.equal(bench.measurements.wire.collection().bytes.toString(), '{}');
    bench.remove('p');
    assert.deepEqual(bench.news(), [], 'it is gone already');
  });

  test('DE-6: keeps the handle, whatever changes', () => {
    const bench = started();
    const handle = bench.measurements.find('p');
    bench.put({ ...point, datatype: 's', connectorName: 'd', address: 'elsewhere' });
    assert.equal(bench.measurements.find('p'), handle);
    bench.put({ name: '__proto__', datatype: 'd' });
    bench.put({ name: 'constructor', datatype: 'd' });
    assert.deepEqual(
      [...bench.measurements.all()].map((each) => bench.measurements.nameOf(each)),
      ['p', '__proto__', 'constructor'],
    );
  });
});
