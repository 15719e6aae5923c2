import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberText, valueTicks } from './value-ticks.ts';

const textsOf = (low: number, high: number, most: number) => valueTicks(low, high, most).map(numberText);

test('an axis has round numbers, at most as many as there is room for, written without the noise of doubles', () => {
  assert.deepEqual(textsOf(0, 1, 5), ['0', '0.2', '0.4', '0.6', '0.8', '1']);
  assert.deepEqual(textsOf(3.402, 3.412, 4), ['3.4025', '3.405', '3.4075', '3.41']);
  assert.deepEqual(textsOf(-130, 270, 5), ['-100', '0', '100', '200']);
  assert.deepEqual(textsOf(-6e-9, 6e-9, 3), ['-5e-9', '0', '5e-9']);
});

test('a range that a double can hardly say has few ticks, or none', () => {
  for (const [low, high] of [
    [5, 5],
    [-1e308, 1e308],
    [1e16, 1e16 + 2],
    [Number.NaN, 1],
  ] as const) {
    assert.ok(valueTicks(low, high, 5).length <= 6);
    assert.ok(valueTicks(low, high, 5).every(Number.isFinite));
  }
});
