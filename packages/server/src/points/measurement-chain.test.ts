import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, type Datatype, formatPrefixed, zeroOf } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { anyDatatype, anyQuality, anyReading } from '../../test/any-value.ts';
import { convertedTo, rawOf } from '../../test/plain-chain.ts';
import { PlainDisk } from '../../test/plain-disk.ts';
import { benchWith } from '../../test/points-bench.ts';
import { Measurements } from './measurements.ts';

describe('a reading', () => {
  test('MC-1, MC-2, MC-5: of any kind is taken as its datatypes say, or else is bad and keeps the last value', () => {
    fc.assert(
      fc.property(anyDatatype, anyDatatype, anyReading, anyQuality, (datatype, rawDatatype, given, quality) => {
        const bench = benchWith({ datatype, rawDatatype, stackUmask: 4 });
        const before = bench.measurements.counts;
        bench.read('c', { point: 'p', value: given, quality, timeUs: 5 });
        const raw = rawOf(rawDatatype, given);
        const value = raw === undefined ? undefined : convertedTo(datatype, raw);
        const status = quality & 0x7fff;
        const expected = value ?? zeroOf(datatype);
        const bad = (status & 0xc0) === 0 ? status : 0x10;
        assert.deepEqual(bench.vtq('p'), [formatPrefixed(datatype, expected), 5, value === undefined ? bad : status]);
        const isUnfit = given !== undefined && value === undefined;
        assert.equal(bench.measurements.counts.unfit - before.unfit, Number(isUnfit));
      }),
      { numRuns: 3000 },
    );
  });

  test('MC-1: of a single is one of its raw datatype, whatever digits it comes with', () => {
    const ends = { rawRangeLo: '0.1', rawRangeHi: '0.7', euRangeLo: '0', euRangeHi: '100' };
    const bench = benchWith({ datatype: 'd', rawDatatype: 'f', ...ends });
    bench.read('c', { point: 'p', value: 0.7 });
    assert.deepEqual(bench.vtq('p').toSpliced(1, 1), ['d100', 0xc0]);
    bench.read('c', { point: 'p', value: 0.1 });
    assert.deepEqual(bench.vtq('p').toSpliced(1, 1), ['d0', 0xc0]);
  });

  test('MC-2: 64-bit integers are exact to the last digit', () => {
    const bench = benchWith({ datatype: 'l' });
    for (const value of [9007199254740993n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      bench.read('c', { point: 'p', value });
      assert.equal(bench.vtq('p')[0], `l${value}`);
    }
  });

  test('MC-5: without a value keeps the last one, bad in the words of the device or else by the sensor', () => {
    const bench = benchWith({ datatype: 'd' });
    bench.read('c', { point: 'p', value: 7 });
    bench.read('c', { point: 'p', value: undefined, quality: 0x1c, timeUs: 1 });
    assert.deepEqual(bench.vtq('p'), ['d7', 1, 0x1c]);
    bench.read('c', { point: 'p', value: undefined, quality: 0xc0, timeUs: 2 });
    assert.deepEqual(bench.vtq('p'), ['d7', 2, 0x10]);
    bench.read('c', { point: 'p', value: Number.NaN, quality: 0x58, timeUs: 3 });
    assert.deepEqual(bench.vtq('p'), ['d7', 2, 0x10], 'the same again');
    bench.read('c', { point: 'p', value: 7, timeUs: 4 });
    assert.deepEqual(bench.vtq('p'), ['d7', 4, 0xc0]);
  });

  test('MC-8: never says of itself that it is simulated', () => {
    fc.assert(
      fc.property(anyQuality, fc.constantFrom<Datatype>('d', 'i'), (quality, datatype) => {
        const bench = benchWith({ datatype });
        bench.read('c', { point: 'p', value: 3, quality });
        assert.equal(bench.vtq('p')[2], quality & 0x7fff);
      }),
    );
  });

  test('MC-9: has a time that is one', () => {
    const bench = benchWith({ datatype: 'd', stackUmask: 4 });
    const now = bench.clock.now();
    const times = [0, 1.75, 2 ** 53 - 1, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53];
    const expected = [0, 2, 2 ** 53 - 1, now, now, now, now];
    for (const [at, timeUs] of times.entries()) {
      bench.read('c', { point: 'p', value: at, timeUs });
      assert.equal(bench.vtq('p')[1], expected[at], `${timeUs}`);
    }
  });

  test('MC-11: goes on together with the others of its batch, however many points there are', () => {
    const points = 70_000;
    const measurements = new Measurements({ clock: new ManualClock(), store: new PlainDisk() });
    measurements.putLink('connector', 'c', undefined);
    for (let index = 0; index < points; index++) {
      measurements.put({ name: `p${index}`, datatype: 'd', connectorName: 'c', address: 'a' });
    }
    let calls = 0;
    measurements.onChanges(() => calls++);
    for (const value of [1, 2]) {
      const batch = new Batch();
      for (let index = 0; index < points; index++) batch.number(measurements.find(`p${index}`), value, 0xc0, value);
      measurements.readings('c', batch);
    }
    assert.ok(calls <= 2 * Math.ceil(points / 4096), `${calls} calls`);
  });
});
