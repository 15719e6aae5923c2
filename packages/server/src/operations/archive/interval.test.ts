import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import fc from 'fast-check';
import { readInterval } from './interval.ts';

const nowUs = 1_700_000_000_000_000;
const since = (text: string) => readInterval(text, '99999999999', nowUs).sinceUs;
const latest = Number.MAX_SAFE_INTEGER;
/** Behind the last time that a record can have. */
const end = latest + 1;

const isRefused = (error: unknown) => error instanceof ProblemError && error.problem === 'invalid-interval';

describe('a time of an interval', () => {
  test('in digits is exact to the microsecond over the whole range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: latest }), (us) => {
        const text = `${BigInt(us) / 1_000_000n}.${String(BigInt(us) % 1_000_000n).padStart(6, '0')}`;
        assert.equal(since(text), us);
        assert.equal(since(`+000${text}000`), us);
      }),
    );
  });

  test('as a number is the same as in its digits, to the microsecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_000_000_000_000_000 }), (us) => {
        const number = Number(`${Math.floor(us / 1_000_000)}.${String(us % 1_000_000).padStart(6, '0')}`);
        assert.deepEqual(readInterval(number, 9e99, nowUs), { sinceUs: us, untilUs: end });
      }),
    );
    assert.deepEqual(readInterval(-1e-7, 1e-7 + 1e10, nowUs), { sinceUs: nowUs, untilUs: end });
  });

  for (const [text, us] of [
    ['0', 0],
    ['-0', 0],
    ['+0.0', 0],
    ['-0.0000001', nowUs],
    ['-3600', nowUs - 3_600_000_000],
    ['-3600.5', nowUs - 3_600_500_000],
    ['-.000001', nowUs - 1],
    ['-99999999999', 0],
    ['1', 1_000_000],
    ['.000001', 1],
    ['5.', 5_000_000],
    ['1.700000000123456e9', 1_700_000_000_123_456],
    ['-36E+2', nowUs - 3_600_000_000],
    ['1e-6', 1],
    ['1e999', end],
    ['9007199254.740991', latest],
    ['9007199254.740992', end],
    ['9'.repeat(400), end],
  ] as const) {
    test(`${text.slice(0, 20)} is ${us}`, () => assert.equal(since(text), us));
  }

  test('that ends behind the last time has the records at it', () => {
    const until = (text: string) => readInterval('1', text, nowUs).untilUs;
    assert.deepEqual(['9007199254.740991', '9007199254.7409901', '9007199254.740992', '9'.repeat(400)].map(until), [
      latest,
      latest,
      end,
      end,
    ]);
    assert.deepEqual(readInterval('9'.repeat(400), '9'.repeat(400), nowUs), { sinceUs: end, untilUs: end });
  });

  test('finer than a microsecond is the next one, which is the same to every record', () => {
    assert.equal(since('1.0000001'), 1_000_001);
    assert.equal(since('0.00000000001'), 1);
    assert.equal(since('-1.0000009'), nowUs - 1_000_000);
  });

  for (const text of [
    '',
    '-',
    '.',
    '+',
    'x',
    '1e',
    'e3',
    '1e3.5',
    '0x10',
    'NaN',
    'Infinity',
    '1,5',
    ' 1',
    '1 ',
    '--1',
    '1.2.3',
  ]) {
    test(`${JSON.stringify(text)} is none`, () => assert.throws(() => since(text), isRefused));
  }

  test('after the end is refused, the same as the end is not', () => {
    assert.throws(() => readInterval('2', '1', nowUs), isRefused);
    assert.throws(() => readInterval('-1', '-2', nowUs), isRefused);
    assert.deepEqual(readInterval('2', '2', nowUs), { sinceUs: 2_000_000, untilUs: 2_000_000 });
    assert.deepEqual(readInterval('0', '-0', nowUs), { sinceUs: 0, untilUs: nowUs });
    assert.deepEqual(readInterval(0, 0, nowUs), { sinceUs: 0, untilUs: nowUs });
  });
});
