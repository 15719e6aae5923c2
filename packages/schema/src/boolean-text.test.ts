import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBoolean } from './boolean-text.ts';

test('yes is true, on or 1, no is false, off or 0, and nothing else is either', () => {
  assert.deepEqual(['true', 'on', '1'].map(parseBoolean), [true, true, true]);
  assert.deepEqual(['false', 'off', '0'].map(parseBoolean), [false, false, false]);
  for (const text of ['', ' 1', '2', 'maybe', 'TRUE', 'constructor', '__proto__'])
    assert.equal(parseBoolean(text), undefined);
});
