import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDuration } from './duration.ts';

const unitS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 };

test('a duration is a whole number of seconds, minutes, hours, days, weeks or years', () => {
  assert.equal(parseDuration('90d'), 7_776_000_000_000);
  assert.equal(parseDuration('30m'), 1_800_000_000);
  const anyUnit = fc.constantFrom(...(Object.keys(unitS) as (keyof typeof unitS)[]));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 285 }), anyUnit, (count, unit) => {
      assert.equal(parseDuration(`${count}${unit}`), count * unitS[unit] * 1e6);
    }),
  );
});

test('what is no duration, no time at all or longer than all time is none', () => {
  const texts = ['', '0d', '000s', '5', 'd', '-1d', '+1d', '1.5h', '1 d', '1D', '1d ', '1d\n', '90 days', '1mo', '1ms'];
  for (const text of [...texts, '286y', '999999999999d', '9'.repeat(5000), '٣d', 'constructor', '__proto__']) {
    assert.equal(parseDuration(text), undefined, text);
  }
});
