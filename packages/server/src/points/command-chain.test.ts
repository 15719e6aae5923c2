import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Command,
  type Datatype,
  datatypes,
  formatPrefixed,
  ProblemError,
  type StoredValue,
} from '@telltale/schema';
import fc from 'fast-check';
import { CommandChain } from './command-chain.ts';

const umask = { scaler: 2, rawLimits: 16, limits: 32 };

function rawOf(point: Omit<Command, 'name'>, text: string): StoredValue | string {
  const chain = new CommandChain({ name: 'c', ...point });
  try {
    return chain.toRaw(chain.read(text));
  } catch (error) {
    assert.ok(error instanceof ProblemError, String(error));
    assert.deepEqual(
      error.errors?.map(({ path }) => path),
      ['value'],
    );
    return error.problem;
  }
}

const anyEnd = (datatype: Datatype) =>
  'fd'.includes(datatype)
    ? fc.integer({ min: -80_000, max: 80_000 }).map((eighths) => eighths / 8)
    : fc.integer({ min: -10_000, max: 10_000 });
const anyRange = (datatype: Datatype) => fc.tuple(anyEnd(datatype), anyEnd(datatype)).filter(([a, b]) => a !== b);
const typed = (datatype: Datatype, value: number) => formatPrefixed(datatype, datatype === 'l' ? BigInt(value) : value);

const anyScaled = fc
  .tuple(fc.constantFrom<Datatype>('i', 'l', 'f', 'd'), fc.constantFrom<Datatype>('i', 'l', 'f', 'd'))
  .chain(([rawDatatype, datatype]) =>
    fc.record({
      types: fc.constant({ datatype, rawDatatype }),
      raw: anyRange(rawDatatype),
      eu: anyRange(datatype),
      value: anyEnd(datatype),
    }),
  );

const rangesOf = (raw: readonly number[], eu: readonly number[]) => ({
  rawRangeLo: String(raw[0]),
  rawRangeHi: String(raw[1]),
  euRangeLo: String(eu[0]),
  euRangeHi: String(eu[1]),
});

/** The double next to one that is not zero, on the side of another. */
function nextTo(value: number, other: number): number {
  const double = Float64Array.of(value);
  const bits = new BigInt64Array(double.buffer);
  bits[0] = (bits[0] as bigint) + (value > 0 === other > value ? 1n : -1n);
  return double[0] as number;
}

describe('the command chain', () => {
  test('CC-1: takes the forms of the datatype and no other', () => {
    const good = { b: 'b1', q: 'q2', i: 'i-7', l: 'l+9223372036854775807', f: 'f.5', d: 'd-0.5', s: 's' };
    for (const datatype of datatypes) {
      assert.notEqual(rawOf({ datatype }, good[datatype]), 'invalid-value');
      for (const other of datatypes) {
        if (other !== datatype) assert.equal(rawOf({ datatype }, good[other]), 'invalid-value');
      }
    }
    for (const text of ['d5.', 'd1e3', 'dInfinity', 'd', '', '5', ' d5']) {
      assert.equal(rawOf({ datatype: 'd' }, text), 'invalid-value', text);
    }
    assert.equal(rawOf({ datatype: 'l' }, 'l9223372036854775808'), 'invalid-value');
  });

  test('CC-2: refuses what is outside the eu-range, whichever way it runs, and never clamps', () => {
    fc.assert(
      fc.property(anyScaled, fc.boolean(), ({ types: { datatype }, eu, value }, isOff) => {
        const stackUmask = isOff ? umask.limits : 0;
        const ends = { euRangeLo: String(eu[0]), euRangeHi: String(eu[1]) };
        const raw = rawOf({ datatype, ...ends, stackUmask }, typed(datatype, value));
        const isInside = value >= Math.min(...eu) && value <= Math.max(...eu);
        if (isInside || isOff) assert.equal(Number(raw), value);
        else assert.equal(raw, 'out-of-range');
      }),
    );
  });

  test('CC-2: holds one end alone, and 64-bit ends exactly', () => {
    assert.equal(rawOf({ datatype: 'i', euRangeLo: '5' }, 'i4'), 'out-of-range');
    assert.equal(rawOf({ datatype: 'i', euRangeLo: '5' }, 'i2147483647'), 2147483647);
    assert.equal(rawOf({ datatype: 'i', euRangeHi: '5' }, 'i6'), 'out-of-range');
    const long = { datatype: 'l', euRangeLo: '0', euRangeHi: '9007199254740993' } as const;
    assert.equal(rawOf(long, 'l9007199254740993'), 9007199254740993n);
    assert.equal(rawOf(long, 'l9007199254740994'), 'out-of-range');
  });

  test('CC-3: meets both ends exactly', () => {
    fc.assert(
      fc.property(anyScaled, ({ types, raw, eu }) => {
        for (const end of [0, 1] as const) {
          const found = rawOf({ ...types, ...rangesOf(raw, eu) }, typed(types.datatype, eu[end]));
          assert.equal(Number(found), raw[end]);
        }
      }),
    );
  });

  test('CC-3: lays a straight line, on which what is inside stays inside', () => {
    fc.assert(
      fc.property(anyScaled, fc.double({ min: 0, max: 1, noNaN: true }), ({ types, raw, eu }, share) => {
        const point = { datatype: 'd', rawDatatype: types.rawDatatype, ...rangesOf(raw, eu) } as const;
        const value = Math.min(Math.max(eu[0] + share * (eu[1] - eu[0]), Math.min(...eu)), Math.max(...eu));
        const found = rawOf(point, formatPrefixed('d', value));
        const exact = raw[0] + ((value - eu[0]) / (eu[1] - eu[0])) * (raw[1] - raw[0]);
        const slack = 'il'.includes(types.rawDatatype) ? 0.5 : 0;
        assert.ok(Math.abs(Number(found) - exact) <= slack + 0.01, `${found} is not ${exact}`);
      }),
      { numRuns: 2000 },
    );
  });

  test('CC-3: does not refuse a value inside for its last digit', () => {
    const anyDecimal = fc.integer({ min: -1e6, max: 1e6 }).map((thousandths) => thousandths / 1000);
    fc.assert(
      fc.property(anyDecimal, anyDecimal, anyDecimal, anyDecimal, (a, b, c, d) => {
        fc.pre(a !== b && c !== d && d !== 0);
        const found = rawOf({ datatype: 'd', ...rangesOf([a, b], [c, d]) }, formatPrefixed('d', nextTo(d, c)));
        assert.equal(typeof found, 'number', String(found));
      }),
      { numRuns: 2000 },
    );
  });

  test('CC-3: is switched off by bit 2, and does nothing where an end is missing', () => {
    const ends = { rawRangeLo: '0', rawRangeHi: '10', euRangeLo: '0', euRangeHi: '100' };
    assert.equal(rawOf({ datatype: 'd', ...ends }, 'd50'), 5);
    assert.equal(rawOf({ datatype: 'd', ...ends, stackUmask: umask.scaler }, 'd5'), 5);
    const { euRangeLo: _, ...three } = ends;
    assert.equal(rawOf({ datatype: 'd', ...three }, 'd5'), 5);
  });

  test('CC-4: rounds to the raw datatype, and refuses what does not fit it', () => {
    assert.equal(rawOf({ datatype: 'd', rawDatatype: 'i' }, 'd2.5'), 3);
    assert.equal(rawOf({ datatype: 'd', rawDatatype: 'i' }, 'd2147483648'), 'out-of-range');
    assert.equal(rawOf({ datatype: 'i', rawDatatype: 'b' }, 'i2'), 'out-of-range');
    assert.equal(rawOf({ datatype: 'l', rawDatatype: 's' }, 'l9007199254740993'), '9007199254740993');
    assert.equal(rawOf({ datatype: 's', rawDatatype: 'q' }, 's3'), 3);
    assert.equal(rawOf({ datatype: 's', rawDatatype: 'q' }, 'sthree'), 'out-of-range');
    assert.equal(rawOf({ datatype: 'd', rawDatatype: 'f' }, 'd0.1'), Math.fround(0.1));
    assert.equal(rawOf({ datatype: 'l' }, 'l9223372036854775807'), 2n ** 63n - 1n);
  });

  test('CC-5: refuses a raw value outside the raw range, unless bit 16 says otherwise', () => {
    const ends = { rawRangeLo: '10', rawRangeHi: '0' };
    assert.equal(rawOf({ datatype: 'i', ...ends }, 'i11'), 'out-of-range');
    assert.equal(rawOf({ datatype: 'i', ...ends }, 'i10'), 10);
    assert.equal(rawOf({ datatype: 'i', ...ends, stackUmask: umask.rawLimits }, 'i11'), 11);
    const scaled = { datatype: 'd', ...ends, euRangeLo: '0', euRangeHi: '100', stackUmask: umask.limits } as const;
    assert.equal(rawOf(scaled, 'd101'), 'out-of-range');
    assert.equal(rawOf({ ...scaled, stackUmask: umask.limits | umask.rawLimits }, 'd110'), -1);
  });
});
