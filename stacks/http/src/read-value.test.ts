import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, parseExactJson, quality } from '@telltale/schema';
import fc from 'fast-check';
import { readQuality, readTime } from './read-time.ts';
import { readValue } from './read-value.ts';

const cases: [Datatype, string, number | bigint | string | undefined][] = [
  ['b', 'true', 1],
  ['b', '0', 0],
  ['b', '"ON"', 1],
  ['b', '"False"', 0],
  ['b', '2', undefined],
  ['b', '"yes"', undefined],
  ['i', '-5', -5],
  ['i', '"42"', 42],
  ['i', '1.5', 1.5],
  ['q', '3', 3],
  ['d', '" 21.5 "', 21.5],
  ['d', '"1e3"', 1000],
  ['d', '"0x10"', undefined],
  ['d', '""', undefined],
  ['d', '"21,5"', undefined],
  ['d', 'true', 1],
  ['d', '9007199254740993', 9007199254740992],
  ['d', '"NaN"', undefined],
  ['l', '9223372036854775807', 9223372036854775807n],
  ['l', '"-9223372036854775808"', -9223372036854775808n],
  ['l', '9223372036854775808', undefined],
  ['l', '1.5', undefined],
  ['l', '1e3', 1000n],
  ['l', '1e18', undefined],
  ['l', '"+7"', 7n],
  ['s', '"open"', 'open'],
  ['s', '12.5', '12.5'],
  ['s', '9007199254740993', '9007199254740993'],
  ['s', 'true', 'true'],
  ['s', '"\\ud800"', undefined],
];

describe('a JSON value', () => {
  for (const [datatype, json, expected] of cases) {
    test(`${json} in datatype ${datatype} is ${expected ?? 'nothing'}`, () => {
      assert.equal(readValue(datatype, parseExactJson(json)), expected);
    });
  }

  test('that is null, a list or an object fits nothing', () => {
    for (const datatype of ['b', 'q', 'i', 'l', 'f', 'd', 's'] as const) {
      for (const json of [null, [], [1], {}]) assert.equal(readValue(datatype, json), undefined);
    }
  });

  test('of 64 bits is exact, as a number and as a text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        assert.equal(readValue('l', parseExactJson(String(value))), value);
        assert.equal(readValue('l', String(value)), value);
      }),
    );
  });

  test('that is a double reads back as the same, as a number and as a text', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        assert.equal(readValue('d', parseExactJson(JSON.stringify(value))), value === 0 ? 0 : value);
        assert.equal(readValue('d', String(value)), value === 0 ? 0 : value);
      }),
    );
  });
});

describe('a time', () => {
  test('is a number in its unit, or a text of ISO 8601 with its zone', () => {
    assert.equal(readTime(1_700_000_000.25, 's'), 1_700_000_000_250_000);
    assert.equal(readTime('1700000000', 's'), 1_700_000_000_000_000);
    assert.equal(readTime(1_700_000_000_123, 'ms'), 1_700_000_000_123_000);
    assert.equal(readTime(1_700_000_000_123_456n, 'us'), 1_700_000_000_123_456);
    for (const text of [
      '2023-11-14T22:13:20.123456Z',
      '2023-11-14 23:13:20.123456+01:00',
      '2023-11-14T23:13:20,123456+0100',
    ]) {
      assert.equal(readTime(text, 's'), 1_700_000_000_123_456, text);
    }
    assert.equal(readTime('2023-11-14T22:13Z', 's'), 1_699_999_980_000_000);
  });

  test('is none where its zone is not known, or it is something else', () => {
    for (const json of [
      '2023-11-14T22:13:20',
      '14.11.2023',
      '2023-13-40T00:00:00Z',
      '2023-02-31T00:00:00Z',
      'now',
      '',
      null,
      true,
      {},
    ]) {
      assert.equal(readTime(json, 's'), undefined, String(json));
    }
  });
});

test('a quality is an OPC quality, a word or a boolean, and bad where it is none of these', () => {
  const { good, bad, uncertain } = quality;
  for (const json of [192, true, 'good', 'GOOD', 'ok']) assert.equal(readQuality(json), good);
  for (const json of [0, false, 'bad', 'failed', null, undefined, {}, -1, 65_536, 1.5, 0x80, 0xbf]) {
    assert.equal(readQuality(json), bad.nonSpecific);
  }
  assert.equal(readQuality('uncertain'), uncertain.nonSpecific);
  assert.equal(readQuality(0x10), bad.sensorFailure);
});
