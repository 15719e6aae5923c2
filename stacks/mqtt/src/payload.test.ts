import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, quality, type Value } from '@telltale/schema';
import { documentWith } from '@telltale/stack-kit';
import fc from 'fast-check';
import { parseSelector, type Selector } from './address.ts';
import { bytesOf, jsonOf } from './format-value.ts';
import { jsonSource } from './json-source.ts';
import { Payload } from './payload.ts';
import { missing, readQuality, readTime, readValue, unusable } from './read-value.ts';

const plain: Selector = { kind: 'plain' };
const read = (text: string | Buffer, datatype: Datatype, selector: Selector = plain) =>
  readValue(new Payload().load(Buffer.from(text as string)), selector, { datatype, on: undefined, off: undefined });
const at = (text: string) => parseSelector(text).selector ?? assert.fail(text);

describe('the source of a part of a JSON text', () => {
  test('is what JSON.parse reads as that part, for every part', () => {
    const walk = (value: unknown, path: string[], visit: (path: string[], value: unknown) => void): void => {
      visit(path, value);
      if (typeof value !== 'object' || value === null) return;
      for (const [step, inner] of Object.entries(value)) walk(inner, [...path, step], visit);
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        walk(JSON.parse(text), [], (path, part) => {
          assert.deepEqual(JSON.parse(jsonSource(text, path) ?? 'undefined'), part);
        });
        assert.equal(jsonSource(text, ['no such member, surely']), undefined);
      }),
    );
  });

  test('of equal names is the last one, as for JSON.parse', () => {
    assert.equal(jsonSource('{"a":1,"a":2,"\\u0061":3}', ['a']), '3');
  });
});

describe('a plain payload', () => {
  test('is a number, a word or a text', () => {
    assert.equal(read(' 21.5\n', 'd'), 21.5);
    assert.equal(read('-1e3', 'i'), -1000);
    assert.equal(read('ON', 'b'), true);
    assert.equal(read('false', 'b'), false);
    assert.equal(read('+9223372036854775807', 'l'), 2n ** 63n - 1n);
    assert.equal(read('5.0', 'l'), 5n);
    assert.equal(read(' as it is ', 's'), ' as it is ');
    assert.equal(read('', 's'), '');
  });

  test('that is none of these is not usable', () => {
    for (const text of ['', 'high', '1,5', '0x10', 'NaN', 'Infinity', '1e', '--1', '1 2', '9'.repeat(2000)]) {
      assert.equal(read(text, 'd'), unusable, text);
    }
    assert.equal(read('9223372036854775808', 'l'), unusable);
    assert.equal(read('0.5', 'l'), unusable);
    assert.equal(read('2', 'b'), unusable);
    assert.equal(read(Buffer.from([0xff]), 's'), unusable);
    assert.equal(read('x'.repeat(65_537), 's'), unusable);
  });

  test('of a number that its datatype cannot hold is handed on, for the server to judge', () => {
    assert.equal(read('3000000000', 'i'), 3e9);
    assert.equal(read('1e999', 'd'), Number.POSITIVE_INFINITY);
  });
});

describe('a part of a JSON payload', () => {
  test('is a value of the datatype of its point', () => {
    const json = '{"n":1.5,"t":"2.5","b":true,"l":12345678901234567890123,"m":-9007199254740993,"o":{"x":[1]},"e":1e3}';
    assert.equal(read(json, 'd', at('/n')), 1.5);
    assert.equal(read(json, 'd', at('/t')), 2.5);
    assert.equal(read(json, 'i', at('/b')), 1);
    assert.equal(read(json, 'b', at('/b')), true);
    assert.equal(read(json, 'l', at('/l')), unusable);
    assert.equal(read(json, 'l', at('/m')), -9007199254740993n);
    assert.equal(read(json, 'l', at('/e')), 1000n);
    assert.equal(read(json, 's', at('/o')), '{"x":[1]}');
    assert.equal(read(json, 's', at('/m')), '-9007199254740993');
    assert.equal(read(json, 'd', at('/o/x/0')), 1);
    assert.equal(read(json, 'd', at('/o/x')), unusable);
  });

  test('that is not there is distinguished from a payload that is no JSON', () => {
    assert.equal(read('{"a":1}', 'd', at('/b')), missing);
    assert.equal(read('{"a":[1]}', 'd', at('/a/length')), missing);
    assert.equal(read('{"a":"x"}', 'd', at('/a/length')), missing);
    assert.equal(read('{}', 's', at('/constructor/name')), missing);
    assert.equal(read('{"a":', 'd', at('/a')), unusable);
    assert.equal(read(`${'['.repeat(100_000)}`, 'd', at('/0')), unusable);
  });

  test('of every value is written and read again exactly', () => {
    const value = fc.oneof(
      fc.record({ datatype: fc.constant<Datatype>('l'), value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
      fc.record({ datatype: fc.constant<Datatype>('d'), value: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
      fc.record({ datatype: fc.constant<Datatype>('f'), value: fc.float({ noNaN: true, noDefaultInfinity: true }) }),
      fc.record({ datatype: fc.constant<Datatype>('i'), value: fc.integer() }),
      fc.record({ datatype: fc.constant<Datatype>('b'), value: fc.boolean() }),
      fc.record({ datatype: fc.constant<Datatype>('s'), value: fc.string({ unit: 'grapheme' }) }),
    );
    fc.assert(
      fc.property(value, fc.array(fc.string(), { maxLength: 3 }), ({ datatype, value }, path) => {
        const json = documentWith(path, jsonOf(datatype, value as Value));
        const again = read(json, datatype, { kind: 'json', path });
        assert.ok(
          Object.is(datatype === 'f' ? Math.fround(again as number) : again, value),
          `${String(again)} ${value}`,
        );
      }),
    );
  });
});

describe('a binary number', () => {
  test('is written and read again exactly, in both orders', () => {
    const types = [
      ['int8', -128, 127],
      ['uint8', 0, 255],
      ['int16', -32768, 32767],
      ['uint16', 0, 65535],
      ['int32', -(2 ** 31), 2 ** 31 - 1],
      ['uint32', 0, 2 ** 32 - 1],
    ] as const;
    const each = fc.constantFrom(...types).chain(([type, min, max]) =>
      fc.record({
        type: fc.constant(type),
        value: fc.maxSafeInteger().map((n) => min + (Math.abs(n) % (max - min + 1))),
      }),
    );
    fc.assert(
      fc.property(each, fc.boolean(), fc.nat(20), ({ type, value }, isLittleEndian, offset) => {
        const selector = { kind: 'binary', type, isLittleEndian, offset } as const;
        const bytes = bytesOf(selector, value) ?? assert.fail();
        assert.equal(read(bytes, 'd', selector), value);
        assert.equal(read(bytes.subarray(0, -1), 'd', selector), missing);
        assert.equal(bytesOf(selector, 2 ** 33), undefined);
        assert.equal(bytesOf(selector, 0.5), undefined);
      }),
    );
  });

  test('of 64 bits is exact', () => {
    const int64 = { kind: 'binary', type: 'int64', isLittleEndian: false, offset: 0 } as const;
    assert.equal(read(bytesOf(int64, -(2n ** 63n)) ?? Buffer.alloc(0), 'l', int64), -(2n ** 63n));
    assert.equal(read(Buffer.alloc(8, 0xff), 'l', { ...int64, type: 'uint64' }), unusable);
  });
});

test('times are read in the form that is set, and nothing else is taken for one', () => {
  assert.equal(readTime('2023-11-14T22:13:20.123456Z', 'iso'), 1_700_000_000_123_456);
  assert.equal(readTime('2023-11-14 23:13:20+01:00', 'iso'), 1_700_000_000_000_000);
  assert.equal(readTime('2023-11-14T22:13:20', 'iso'), 1_700_000_000_000_000);
  assert.equal(readTime(1_700_000_000.5, 's'), 1_700_000_000_500_000);
  assert.equal(readTime('1700000000123', 'ms'), 1_700_000_000_123_000);
  assert.equal(readTime(1_700_000_000_123_456, 'us'), 1_700_000_000_123_456);
  for (const part of [
    undefined,
    null,
    '',
    'now',
    '14.11.2023',
    '1',
    5,
    {},
    '2023-13-45T99:99:99Z',
    '2023-02-31T00:00:00Z',
  ]) {
    assert.ok(Number.isNaN(readTime(part, 'iso')), String(part));
  }
  for (const part of [undefined, null, '', 'now', true, {}])
    assert.ok(Number.isNaN(readTime(part, 'ms')), String(part));
});

test('a quality is a word, a boolean or a number; anything else is uncertain', () => {
  for (const part of [true, 'GOOD', 'ok', 192]) assert.equal(readQuality(part), quality.good);
  for (const part of [false, 'Bad', 0]) assert.equal(readQuality(part), quality.bad.nonSpecific);
  assert.equal(readQuality(0x18), quality.bad.communicationFailure);
  for (const part of [undefined, null, 'stale', 0x80, 300, -1, 1.5, {}]) {
    assert.equal(readQuality(part), quality.uncertain.nonSpecific, String(part));
  }
});
