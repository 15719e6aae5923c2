import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, type Datatype, quality, type Value } from '@telltale/schema';
import fc from 'fast-check';
import { DataType, StatusCodes, Variant, VariantArrayType } from 'node-opcua-client';
import { addReading, toNode, toPoint } from './value-codec.ts';

const { Array: array, Scalar: scalar } = VariantArrayType;

/** Through the library's own form of it, as it goes over the wire. */
function roundTrip(type: DataType, value: Value, datatype: Datatype) {
  const variant = new Variant({ dataType: type, arrayType: scalar, value: toNode(type, value) });
  return toPoint(variant.dataType, variant.value, datatype);
}

const int = (bits: number, isSigned: boolean) => {
  const [low, high] = isSigned
    ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
    : [0n, 2n ** BigInt(bits) - 1n];
  return fc.bigInt({ min: low, max: high });
};

describe('a value that is written reads back as what it was', () => {
  const integers: [DataType, fc.Arbitrary<bigint>][] = [
    [DataType.SByte, int(8, true)],
    [DataType.Byte, int(8, false)],
    [DataType.Int16, int(16, true)],
    [DataType.UInt16, int(16, false)],
    [DataType.Int32, int(32, true)],
    [DataType.UInt32, int(32, false)],
    [DataType.Int64, int(64, true)],
  ];
  for (const [type, values] of integers) {
    test(`${DataType[type]}, exactly`, () => {
      fc.assert(fc.property(values, (value) => assert.equal(roundTrip(type, value, 'l'), value)));
      fc.assert(fc.property(values, (value) => assert.equal(roundTrip(type, value, 's'), String(value))));
    });
  }

  test('UInt64, as a text over its whole range, as a number up to the greatest that there is', () => {
    fc.assert(
      fc.property(int(64, false), (value) => assert.equal(roundTrip(DataType.UInt64, value, 's'), String(value))),
    );
    assert.equal(roundTrip(DataType.UInt64, 2n ** 63n - 1n, 'l'), 2n ** 63n - 1n);
    assert.equal(roundTrip(DataType.UInt64, 2n ** 63n, 'l'), undefined);
  });

  test('Int64 and UInt64 from a text, over their whole range', () => {
    for (const isSigned of [true, false]) {
      const type = isSigned ? DataType.Int64 : DataType.UInt64;
      fc.assert(
        fc.property(int(64, isSigned), (value) => assert.equal(roundTrip(type, String(value), 's'), String(value))),
      );
    }
  });

  test('Float and Double', () => {
    const single = fc.float({ noNaN: true, noDefaultInfinity: true });
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(fc.property(single, (value) => assert.equal(roundTrip(DataType.Float, value, 'f'), value)));
    fc.assert(fc.property(double, (value) => assert.equal(roundTrip(DataType.Double, value, 'd'), value)));
  });

  test('Boolean, String, LocalizedText, Guid and ByteString', () => {
    assert.equal(roundTrip(DataType.Boolean, true, 'b'), 1);
    assert.equal(roundTrip(DataType.Boolean, 0, 'b'), 0);
    assert.equal(roundTrip(DataType.String, 'ø', 's'), 'ø');
    assert.equal(roundTrip(DataType.LocalizedText, 'läuft', 's'), 'läuft');
    const guid = '09087e75-8e5e-499b-954f-f2a9603db28a';
    assert.equal(roundTrip(DataType.Guid, guid, 's'), guid);
    assert.equal(roundTrip(DataType.ByteString, '00ff7f', 's'), '00ff7f');
  });

  test('DateTime, to the microsecond, up to the year 2255', () => {
    const time = fc.bigInt({ min: -9_000_000_000_000_000n, max: 9_000_000_000_000_000n });
    fc.assert(fc.property(time, (us) => assert.equal(roundTrip(DataType.DateTime, us, 'l'), us)));
    assert.equal(roundTrip(DataType.DateTime, '2026-05-01T12:00:00.000001Z', 's'), '2026-05-01T12:00:00.000001Z');
    assert.equal(roundTrip(DataType.DateTime, '2026-05-01T14:00:00+02:00', 's'), '2026-05-01T12:00:00.000000Z');
    assert.equal(roundTrip(DataType.DateTime, 1.5, 'd'), 1.5);
  });
});

describe('a value that a node cannot hold is refused, never bent', () => {
  const cases: [DataType, Value][] = [
    [DataType.Byte, 256],
    [DataType.Byte, -1],
    [DataType.Int16, 1.5],
    [DataType.Int32, 2 ** 31],
    [DataType.UInt64, -1n],
    [DataType.UInt64, '18446744073709551616'],
    [DataType.UInt64, '-1'],
    [DataType.UInt64, '1.5'],
    [DataType.UInt64, ''],
    [DataType.Int32, '7'],
    [DataType.Int64, 2n ** 63n],
    [DataType.Float, 1e39],
    [DataType.Double, 2n ** 53n + 1n],
    [DataType.Double, 'text'],
    [DataType.Boolean, 2],
    [DataType.String, 7],
    [DataType.Guid, 'no guid'],
    [DataType.ByteString, 'abc'],
    [DataType.DateTime, 'yesterday'],
    [DataType.DateTime, '2026-13-01T00:00:00Z'],
    [DataType.DateTime, '2026-02-31T00:00:00Z'],
    [DataType.NodeId, 'i=1'],
    [DataType.ExtensionObject, 'x'],
  ];
  for (const [type, value] of cases) {
    test(`${String(value)} as ${DataType[type]}`, () => {
      assert.throws(() => toNode(type, value), { name: 'RangeError', message: /^the node is of type / });
    });
  }
});

describe('a reading', () => {
  const read = (options: ConstructorParameters<typeof Variant>[0], datatype: Datatype, isElement = false) => {
    const batch = new Batch();
    const wrong = addReading(batch, { id: 1, datatype }, new Variant(options), isElement, quality.good, 5);
    return { value: batch.valueAt(0), quality: batch.qualities[0], wrong };
  };

  test('of a status code is its name, or its number', () => {
    const value = StatusCodes.BadTimeout;
    assert.equal(read({ dataType: DataType.StatusCode, value }, 's').value, 'BadTimeout');
    assert.equal(read({ dataType: DataType.StatusCode, value }, 'l').value, 0x800a_0000n);
  });

  test('of the beginning or the end of time is that, and uncertain', () => {
    const end = '9999-12-31T23:59:59.000000Z';
    const beginning = '1601-01-01T00:00:00.000000Z';
    for (const [text, ticks] of [
      [beginning, 0n],
      [end, 2n ** 63n - 1n],
      [beginning, -1n],
      [end, BigInt(Date.UTC(12_000, 0) + 11_644_473_600_000) * 10_000n],
      [end, BigInt(Date.UTC(9999, 11, 31, 23, 59, 59) + 11_644_473_600_000) * 10_000n],
    ] as const) {
      // As the library reads it: without a sign.
      const value = new Date(Number(BigInt.asUintN(64, ticks) / 10_000n) - 11_644_473_600_000);
      const variant = { dataType: DataType.DateTime, value };
      assert.deepEqual(read(variant, 's'), { value: text, quality: quality.uncertain.nonSpecific, wrong: undefined });
      assert.equal(read(variant, 'l').value, BigInt(Date.parse(text)) * 1000n);
      assert.equal(read(variant, 'd').value, Date.parse(text) / 1000);
    }
    assert.equal(read({ dataType: DataType.DateTime, value: new Date(0) }, 's').quality, quality.good);
  });

  test('of an element is that element', () => {
    const variant = { dataType: DataType.Float, arrayType: array, value: new Float32Array([1.5]) };
    assert.equal(read(variant, 'd', true).value, 1.5);
  });

  test('of a whole array, or of an element where there is no array, is a configuration error', () => {
    const variant = { dataType: DataType.Float, arrayType: array, value: new Float32Array([1, 2]) };
    assert.deepEqual(read(variant, 'd'), {
      value: undefined,
      quality: quality.bad.configurationError,
      wrong: 'the node is an array: name an element, as in ;[0]',
    });
    assert.equal(read({ dataType: DataType.Double, value: 1 }, 'd', true).quality, quality.bad.configurationError);
  });

  test('that has no value, or one that the datatype has no place for, is bad', () => {
    assert.equal(read({ dataType: DataType.Null }, 'd').quality, quality.bad.sensorFailure);
    assert.equal(read({ dataType: DataType.String, value: '7' }, 'd').quality, quality.bad.sensorFailure);
    assert.equal(read({ dataType: DataType.Double, value: 1.5 }, 'l').quality, quality.bad.sensorFailure);
    const text = (value: string) => read({ dataType: DataType.String, value }, 's').quality;
    assert.equal(text('x'.repeat(65_536)), quality.good);
    assert.equal(text('x'.repeat(65_537)), quality.bad.sensorFailure);
    assert.equal(text('水'.repeat(21_845)), quality.good, 'its bytes count');
    assert.equal(text('水'.repeat(21_846)), quality.bad.sensorFailure);
    assert.equal(text('half a pair: \ud800'), quality.bad.sensorFailure);
  });
});
