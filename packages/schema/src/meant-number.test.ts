import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { meantNumber } from './meant-number.ts';

test('a number with a space, a comma, an exponent or a unit is recognised', () => {
  for (const [text, meant] of [
    ['5 %', '5%'],
    [' 12,5 %', '12.5%'],
    ['1,5', '1.5'],
    ['0.5 bar', '0.5'],
    ['- 3', '-3'],
    ['+4', '4'],
    ['1e3', '1000'],
    ['1.25E2', '125'],
    ['12.5e-3', '0.0125'],
    ['.5 m', '.5'],
  ] as const) {
    assert.equal(meantNumber(text), meant, text);
  }
  for (const text of ['', 'x', 'five', '1.2.3', '1 2', '5 % of 3', '__proto__', '1'.repeat(5000)]) {
    assert.equal(meantNumber(text), undefined, text);
  }
});

test('an exponent is written out exactly', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: -20, max: 20 }), (digits, exponent) => {
      assert.equal(Number(meantNumber(`${digits}e${exponent}`)), Number(`${digits}e${exponent}`));
    }),
  );
});
