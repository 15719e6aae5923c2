// The stages of the measurement chain, each against what its rule says: scaler, deduplicator, deadband.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, formatPrefixed, type Measurement, quality } from '@telltale/schema';
import fc from 'fast-check';
import { anyNumber, anyQuality } from '../../test/any-value.ts';
import { benchWith } from '../../test/points-bench.ts';

const umask = { scaler: 2, deduplicator: 4, deadband: 8 };

/** Ends and values that a double and a single hold exactly; whole ones where the datatype wants them. */
const anyEnd = (datatype: Datatype) =>
  'fd'.includes(datatype)
    ? fc.integer({ min: -8_000_000, max: 8_000_000 }).map((eighths) => eighths / 8)
    : fc.integer({ min: -1_000_000, max: 1_000_000 });

const anyRange = (datatype: Datatype) =>
  fc.tuple(anyEnd(datatype), anyEnd(datatype)).filter(([low, high]) => low !== high);

const anyScaled = fc
  .tuple(fc.constantFrom<Datatype>('i', 'l', 'f', 'd'), fc.constantFrom<Datatype>('i', 'l', 'f', 'd'))
  .chain(([rawDatatype, datatype]) =>
    fc.record({
      rawDatatype: fc.constant(rawDatatype),
      datatype: fc.constant(datatype),
      raw: anyRange(rawDatatype),
      eu: anyRange(datatype),
      reading: anyEnd(rawDatatype),
      status: anyQuality,
    }),
  );

type Scaled = typeof anyScaled extends fc.Arbitrary<infer T> ? T : never;

const ranges = ({ raw, eu }: Pick<Scaled, 'raw' | 'eu'>) => ({
  rawRangeLo: String(raw[0]),
  rawRangeHi: String(raw[1]),
  euRangeLo: String(eu[0]),
  euRangeHi: String(eu[1]),
});

const bench = ({ datatype, rawDatatype, ...scaled }: Scaled, stackUmask = umask.deduplicator) =>
  benchWith({ datatype, rawDatatype, ...ranges(scaled), stackUmask });

const shown = (datatype: Datatype, value: number) => formatPrefixed(datatype, datatype === 'l' ? BigInt(value) : value);

const numberIn = (prefixed: string) => Number(prefixed.slice(1));

describe('the scaler', () => {
  test('MC-3: lays a straight line from range to range, whichever way they run', () => {
    fc.assert(
      fc.property(anyScaled, (scaled) => {
        const { raw, eu, datatype, reading } = scaled;
        const points = bench(scaled);
        points.read('c', { point: 'p', value: reading });
        const share = (reading - raw[0]) / (raw[1] - raw[0]);
        const exact = eu[0] + share * (eu[1] - eu[0]);
        if (Math.abs(exact) > 2 ** 31 - 2 && datatype === 'i') return; // may not fit
        const size = Math.abs(exact) + Math.abs(eu[0]) + Math.abs(eu[1]);
        const slack = (datatype === 'f' ? size * 2 ** -23 : size * 1e-12) + ('il'.includes(datatype) ? 0.5 : 0);
        const off = Math.abs(numberIn(points.vtq('p')[0]) - exact);
        assert.ok(off <= slack, `${points.vtq('p')} is not ${exact}`);
      }),
      { numRuns: 2000 },
    );
  });

  test('MC-3: meets both ends exactly', () => {
    fc.assert(
      fc.property(anyScaled, (scaled) => {
        const points = bench(scaled);
        for (const end of [0, 1] as const) {
          points.read('c', { point: 'p', value: scaled.raw[end] });
          assert.equal(points.vtq('p')[0], shown(scaled.datatype, scaled.eu[end]));
          assert.equal(points.vtq('p')[2], quality.good);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('MC-3: does nothing where an end is not set, or where it is switched off', () => {
    const ends = { rawRangeLo: '0', rawRangeHi: '10', euRangeLo: '0', euRangeHi: '100' };
    for (const missing of Object.keys(ends)) {
      const points = benchWith({ datatype: 'd', ...ends, [missing]: undefined });
      points.read('c', { point: 'p', value: 11 });
      assert.deepEqual(points.vtq('p').toSpliced(1, 1), ['d11', quality.good], missing);
    }
    const points = benchWith({ datatype: 'd', ...ends, stackUmask: umask.scaler });
    points.read('c', { point: 'p', value: 11 });
    assert.deepEqual(points.vtq('p').toSpliced(1, 1), ['d11', quality.good]);
  });

  test('MC-4: marks what is good and outside the raw range, on the side of the engineering value', () => {
    fc.assert(
      fc.property(anyScaled, (scaled) => {
        const { raw, eu, reading, status } = scaled;
        const points = bench(scaled);
        points.read('c', { point: 'p', value: reading, quality: status });
        const shown = points.vtq('p')[2];
        if (shown === 0x10) return; // the result did not fit
        const given = status & 0x7fff;
        const isInside = reading >= Math.min(...raw) && reading <= Math.max(...raw);
        const isHigh = (reading - raw[0]) / (raw[1] - raw[0]) > 1 === eu[1] > eu[0];
        const exceeded = (given & 0xff00) | 0x54 | (isHigh ? 2 : 1);
        assert.equal(shown, isInside || (given & 0xc0) !== 0xc0 ? given : exceeded);
      }),
      { numRuns: 2000 },
    );
  });

  test('MC-5: makes no value that is no number, however absurd the ranges', () => {
    const anyFinite = anyNumber.filter(Number.isFinite).map((value) => value + 0);
    const plain = (value: number) => (value === 0 ? '0' : BigInt(Math.trunc(value) || 1).toString());
    fc.assert(
      fc.property(fc.array(anyFinite, { minLength: 5, maxLength: 5 }), anyNumber, ([a, b, c, d] = [], reading) => {
        const texts = [a, b, c, d].map((end) => plain(end as number));
        fc.pre(texts[0] !== texts[1] && texts[2] !== texts[3]);
        const points = benchWith({
          datatype: 'd',
          ...{ rawRangeLo: texts[0], rawRangeHi: texts[1], euRangeLo: texts[2], euRangeHi: texts[3] },
        } as Omit<Measurement, 'name'>);
        points.read('c', { point: 'p', value: reading });
        assert.match(points.vtq('p')[0], /^d-?[0-9.]+$/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the deduplicator', () => {
  const anySeries = fc.array(fc.tuple(fc.constantFrom(0, 1, 2), fc.constantFrom(0xc0, 0x40, 0x08)), { maxLength: 20 });

  test('MC-6: stops what is as it was, and nothing else; bit 4 switches it off', () => {
    const types = fc.constantFrom<Datatype>('q', 'i', 'l', 'f', 'd');
    fc.assert(
      fc.property(types, anySeries, fc.boolean(), (datatype, series, isOff) => {
        const points = benchWith({ datatype, stackUmask: isOff ? umask.deduplicator : 0 });
        const expected: unknown[] = [];
        let last = `0 ${0x08}`;
        for (const [at, [value, status]] of series.entries()) {
          points.read('c', { point: 'p', value, quality: status, timeUs: at });
          if (isOff || last !== `${value} ${status}`) expected.push(['p', `${datatype}${value}`, at, status]);
          last = `${value} ${status}`;
        }
        assert.deepEqual(points.news(), expected);
        const { changed, duplicates } = points.measurements.counts;
        assert.deepEqual([changed, duplicates], [expected.length, series.length - expected.length]);
      }),
    );
  });

  test('MC-6: knows texts', () => {
    const points = benchWith({ datatype: 's' });
    for (const value of ['open', 'open', 'Open', '', '']) points.read('c', { point: 'p', value, timeUs: 1 });
    assert.deepEqual(
      points.news(),
      ['sopen', 'sOpen', 's'].map((value) => ['p', value, 1, 0xc0]),
    );
  });
});

describe('the deadband', () => {
  const anySeries = (datatype: Datatype) =>
    fc.array(fc.tuple(anyEnd(datatype), fc.constantFrom(0xc0, 0xc0, 0xc0, 0x40)), { maxLength: 20 });
  const anyCase = fc.constantFrom<Datatype>('i', 'l', 'f', 'd').chain((datatype) =>
    fc.record({
      datatype: fc.constant(datatype),
      series: anySeries(datatype),
      band: fc.integer({ min: 0, max: 500_000 }),
      isShare: fc.boolean(),
      isOff: fc.boolean(),
    }),
  );

  test('MC-7: stops smaller moves since the last value that passed; a quality always passes; bit 8 switches it off', () => {
    fc.assert(
      fc.property(anyCase, ({ datatype, series, band, isShare, isOff }) => {
        // A span of 2^20 makes a share of 12.5 % a whole number; the scaler stays out, since there is no raw range.
        const share = { deadband: '12.5%', euRangeLo: String(2 ** 19), euRangeHi: String(-(2 ** 19)) };
        const points = benchWith({
          datatype,
          ...(isShare ? share : { deadband: String(band) }),
          stackUmask: umask.deduplicator | (isOff ? umask.deadband : 0),
        });
        const width = isOff ? 0 : isShare ? 2 ** 17 : band;
        const expected: unknown[] = [];
        let last = { value: 0, status: 0x08 };
        for (const [at, [value, status]] of series.entries()) {
          points.read('c', { point: 'p', value, quality: status, timeUs: at });
          if (status === last.status && Math.abs(value - last.value) < width) continue;
          last = { value, status };
          expected.push(['p', shown(datatype, value), at, status]);
        }
        assert.deepEqual(points.news(), expected);
        assert.equal(points.measurements.counts.withinDeadband, series.length - expected.length);
      }),
    );
  });

  test('MC-7: is exact for 64-bit integers', () => {
    const points = benchWith({ datatype: 'l', deadband: '2' });
    const start = 2n ** 62n;
    for (const step of [0n, 1n, 2n, 3n, 4n]) points.read('c', { point: 'p', value: start + step, timeUs: 1 });
    assert.deepEqual(
      points.news(),
      [start, start + 2n, start + 4n].map((value) => ['p', `l${value}`, 1, 0xc0]),
    );
  });
});
