import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UsageError } from './declaration.ts';
import { readMoment, readSeconds } from './moments.ts';

describe('a time on the command line', () => {
  for (const [text, moment] of [
    ['1h', -3600],
    ['-1h', -3600],
    ['2d', -172_800],
    ['now', -0.000001],
    ['-3600.5', -3600.5],
    ['1700000000.25', 1_700_000_000.25],
    ['2026-01-31T12:00:00Z', [1_769_860_800, 0]],
    ['2026-01-31 12:00:00.250+01:00', [1_769_857_200, 250_000]],
  ] as const) {
    test(`${text} is understood`, () => assert.deepEqual(readMoment('since', text), moment));
  }

  test('that has no offset is of this machine', () => {
    const seconds = (text: string) => new Date(text).getTime() / 1000;
    assert.deepEqual(readMoment('since', '2026-01-31'), [seconds('2026-01-31T00:00'), 0]);
    assert.deepEqual(readMoment('since', '2026-01-31T12:00'), [seconds('2026-01-31T12:00'), 0]);
  });

  const impossible = [
    '2026-02-31',
    '2026-02-29T12:00',
    '2026-04-31T12:00:00Z',
    '2026-13-01',
    '2026-01-31T25:00',
    '9999-01-01',
  ];
  for (const text of ['', '1x', 'h', 'yesterday', ...impossible, '1e3', '--1h', '1969-01-01']) {
    test(`${JSON.stringify(text)} is none`, () => assert.throws(() => readMoment('since', text), UsageError));
  }

  test('that is a span is seconds or a duration', () => {
    assert.deepEqual(
      ['60', '0.5', '5m'].map((text) => readSeconds('resample', text)),
      [60, 0.5, 300],
    );
    for (const text of ['', '0', '-1', 'x', 'Infinity']) assert.throws(() => readSeconds('resample', text), UsageError);
  });
});
