import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import sparkplug from 'sparkplug-payload';
import { decodePayload } from './decode-payload.ts';
import { encodePayload } from './encode-payload.ts';
import { type Metric, metricType, type SparkplugPayload } from './metric.ts';

const independent = sparkplug.get('spBv1.0') ?? assert.fail('the independent codec is not there');

const typeNames = {
  Int32: metricType.int32,
  Int64: metricType.int64,
  UInt8: metricType.uint8,
  Float: metricType.float,
  Double: metricType.double,
  Boolean: metricType.boolean,
  String: metricType.string,
} as const;
type TypeName = keyof typeof typeNames;

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const single = fc.float({ noNaN: true, noDefaultInfinity: true });
const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const valued = fc.oneof(
  fc.record({ type: fc.constant<TypeName>('Int32'), value: fc.integer() }),
  fc.record({ type: fc.constant<TypeName>('Int64'), value: long }),
  fc.record({ type: fc.constant<TypeName>('UInt8'), value: fc.nat(3) }),
  fc.record({ type: fc.constant<TypeName>('Float'), value: single }),
  fc.record({ type: fc.constant<TypeName>('Double'), value: double }),
  fc.record({ type: fc.constant<TypeName>('Boolean'), value: fc.boolean() }),
  fc.record({ type: fc.constant<TypeName>('String'), value: text }),
);
const metrics = fc.array(
  fc.record({
    name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    alias: fc.nat(2 ** 32),
    timestampMs: fc.nat(2 ** 45),
    quality: fc.constantFrom(0, 192, 500),
    isNull: fc.boolean(),
    valued,
  }),
  { maxLength: 10 },
);

function payloadOf(each: typeof metrics extends fc.Arbitrary<infer T> ? T : never): SparkplugPayload {
  return {
    timestampMs: 1_700_000_000_000,
    seq: 255,
    metrics: each.map(({ valued: { type, value }, isNull, quality, name, ...rest }): Metric => {
      const properties = new Map([
        ['Note', { type: metricType.string, value: 'x' }],
        ['Quality', { type: metricType.int32, value: quality }],
      ]);
      return {
        ...rest,
        name: name || undefined,
        type: typeNames[type],
        isHistorical: false,
        isNull,
        properties,
        value: isNull ? undefined : value,
      };
    }),
  };
}

describe('a Sparkplug payload', () => {
  test('that is written here is read by the independent decoder as it was meant', () => {
    fc.assert(
      fc.property(metrics, (each) => {
        const decoded = independent.decodePayload(encodePayload(payloadOf(each)));
        assert.equal(Number(decoded.seq), 255);
        assert.equal(Number(decoded.timestamp), 1_700_000_000_000);
        const read = (decoded.metrics ?? []).map(({ name, alias, timestamp, type, value, properties }) => ({
          name,
          alias: Number(alias),
          timestampMs: Number(timestamp),
          type,
          value: type === 'Int64' && value !== null ? BigInt(String(value)) : value,
          quality: properties?.Quality?.value,
          qualityType: properties?.Quality?.type,
        }));
        const meant = each.map(({ name, alias, timestampMs, quality, isNull, valued: { type, value } }) => {
          return { name, alias, timestampMs, type, value: isNull ? null : value, quality, qualityType: 'Int32' };
        });
        assert.deepEqual(read, meant);
      }),
    );
  });

  test('that the independent encoder wrote is read here as it was meant', () => {
    fc.assert(
      fc.property(metrics, (each) => {
        const bytes = independent.encodePayload({
          timestamp: 1_700_000_000_000,
          seq: 7,
          metrics: each.map(({ name, alias, timestampMs, quality, isNull, valued: { type, value } }) => ({
            name,
            alias,
            timestamp: timestampMs,
            type,
            value: isNull ? null : ((typeof value === 'bigint' ? longOf(value) : value) as never),
            properties: { Note: { type: 'String', value: 'x' }, Quality: { type: 'Int32', value: quality } },
          })),
        });
        const { metrics: read, seq, timestampMs } = decodePayload(bytes);
        assert.deepEqual([seq, timestampMs], [7, 1_700_000_000_000]);
        assert.deepEqual(read, payloadOf(each).metrics);
      }),
    );
  });

  test('written and read here is the same', () => {
    fc.assert(
      fc.property(metrics, (each) => {
        const payload = payloadOf(each);
        assert.deepEqual(decodePayload(encodePayload(payload)), payload);
      }),
    );
  });

  test('of any bytes at all is read, or refused with an error', () => {
    const mangled = fc.tuple(metrics, fc.nat(), fc.nat(255)).map(([each, at, byte]) => {
      const bytes = encodePayload(payloadOf(each));
      if (bytes.length > 0) bytes[at % bytes.length] = byte;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), mangled), (bytes) => {
        try {
          assert.ok(Array.isArray(decodePayload(bytes).metrics));
        } catch (error) {
          assert.ok(error instanceof RangeError || error instanceof TypeError, String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

/** As the library of the independent encoder has it. */
function longOf(value: bigint): unknown {
  const low = Number(BigInt.asIntN(32, value));
  const high = Number(BigInt.asIntN(32, value >> 32n));
  return { low, high, unsigned: true };
}
