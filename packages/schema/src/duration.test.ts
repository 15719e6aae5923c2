import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { durationPattern, parseDuration, parseDurationIn, parseMilliseconds } from './duration.ts';

/** In the order in which they are written. */
const unitMs = { y: 31_536_000_000, w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
type Unit = keyof typeof unitMs;

describe('a duration', () => {
  test('is whole numbers of units, the larger ones first, each at most once', () => {
    assert.equal(parseDuration('90d'), 7_776_000_000_000);
    assert.equal(parseDuration('90s'), 90_000_000);
    assert.equal(parseDuration('5m'), 300_000_000);
    assert.equal(parseDuration('1h30m'), 5_400_000_000);
    assert.equal(parseDuration('1d12h'), 129_600_000_000);
    const parts = fc.record(
      Object.fromEntries(Object.keys(unitMs).map((unit) => [unit, fc.integer({ min: 1, max: 30 })])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(parts, (counts) => {
        const units = (Object.keys(unitMs) as Unit[]).filter((unit) => counts[unit] !== undefined);
        const text = units.map((unit) => `${counts[unit]}${unit}`).join('');
        const ms = units.reduce((sum, unit) => sum + (counts[unit] ?? 0) * unitMs[unit], 0);
        assert.equal(parseDuration(text), units.length === 0 ? undefined : ms * 1000, text);
        assert.equal(new RegExp(durationPattern).test(text), units.length > 0);
      }),
    );
  });

  test('is nothing else: no decimals, spaces or capitals, no time at all, and nothing longer than all time', () => {
    const texts = ['', '0d', '0h0m', '000s', '5', 'd', '-1d', '+1d', '1.5h', '1 d', '1D', '1d ', '1d\n', '90 days'];
    const others = ['1mo', '30m1h', '1h1h', '1h30', '1us', '٣d', 'constructor', '__proto__'];
    for (const text of [...texts, ...others, '286y', '285y999999999999s', '999999999999d', '9'.repeat(5000)]) {
      assert.equal(parseDuration(text), undefined, text);
    }
  });

  test('stands for a number of its unit', () => {
    assert.equal(parseDurationIn('ms', '1m'), 60_000);
    assert.equal(parseDurationIn('s', '1500ms'), 1.5);
    assert.equal(parseDurationIn('s', '90'), undefined);
    assert.deepEqual(['0', '250', '250ms', '2m', '1.5', '', '1000000000000'].map(parseMilliseconds), [
      0,
      250,
      250,
      120_000,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
