import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Measurement } from './configuration.ts';
import { maxPrecision, parsePrecision, precisionOf, shownValue, withUnit } from './shown-value.ts';
import { formatPrefixed } from './value.ts';

const point = (more: Partial<Measurement>): Measurement => ({ name: 'p', datatype: 'd', ...more });
const range = (euRangeLo: string, euRangeHi: string) => ({ euRangeLo, euRangeHi });

describe('how many decimals people are shown', () => {
  test('says the property precision, before anything else', () => {
    const whole = { ...range('0', '100'), deadband: '0.5' };
    assert.equal(precisionOf(point({ ...whole, properties: { precision: '0' } })), 0);
    assert.equal(precisionOf(point({ ...whole, datatype: 'f', properties: { precision: '15' } })), 15);
    assert.deepEqual(['0', '7', '15', '16', '', '-1', '1.5', '1e1', '007'].map(parsePrecision), [
      0,
      7,
      15,
      ...Array(6).fill(undefined),
    ]);
  });

  test('else the deadband, absolute or a share of the range', () => {
    const of = (deadband: string) => precisionOf(point({ ...range('0', '50'), deadband }));
    assert.deepEqual(['0.01', '0.1', '0.5', '1', '20', '500', '1%', '2%'].map(of), [3, 2, 1, 1, 0, 0, 1, 1]);
    assert.equal(precisionOf(point({ deadband: '0.001' })), 4, 'it needs no range');
    assert.equal(of('0'), precisionOf(point(range('0', '50'))), 'none is no deadband');
  });

  test('else the range, whichever way it runs', () => {
    const of = (low: string, high: string) => precisionOf(point(range(low, high)));
    assert.deepEqual([of('0', '100'), of('100', '0'), of('-0.5', '80'), of('0', '6')], [2, 2, 2, 3]);
    assert.deepEqual([of('0', '1'), of('0', '27648'), of('0', '1000000'), of('0', '0.00001')], [4, 0, 0, 9]);
    assert.equal(of('0', '0.000000000000001'), maxPrecision);
    assert.equal(of('5', '5'), undefined);
  });

  test('is not said of whole numbers, states and texts, nor where nothing says it', () => {
    for (const datatype of ['b', 'q', 'i', 'l', 's'] as const) {
      assert.equal(precisionOf(point({ datatype, ...range('0', '9'), properties: { precision: '2' } })), undefined);
    }
    assert.equal(precisionOf(point({})), undefined);
    assert.equal(precisionOf(point({ euRangeHi: '100' })), undefined);
  });
});

describe('the text of a value', () => {
  test('is rounded to the decimals, and has no zeros at its end', () => {
    assert.deepEqual(
      [
        shownValue('d72.92999999999999', 2),
        shownValue('d72.9', 2),
        shownValue('d-0.001', 2),
        shownValue('d72.5', 0),
        shownValue('d1000.00001', 3),
        shownValue('f72.93', 1),
        shownValue('d100', 2),
        shownValue('d0.05', 0),
      ],
      ['72.93', '72.9', '0', '73', '1000', '72.9', '100', '0'],
    );
  });

  test('is without rounding errors where nothing says how many decimals', () => {
    assert.deepEqual(
      ['d72.92999999999999', 'd0.1', 'd0.30000000000000004', 'd0.0000001', 'f72.92999', 'd123456789.25'].map((value) =>
        shownValue(value),
      ),
      ['72.93', '0.1', '0.3', '0.0000001', '72.93', '123456789.3'],
    );
  });

  test('of anything but a decimal number is the value, a text in quotes', () => {
    assert.deepEqual(
      ['b1', 'q3', 'i-40', 'l9223372036854775807', 's', 'sa "1.50"', 'd5', 'f-2'].map((value) => shownValue(value, 0)),
      ['1', '3', '-40', '9223372036854775807', '""', '"a \\"1.50\\""', '5', '-2'],
    );
  });

  test('is never further from the value than half of its last digit, and never longer', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, fc.option(fc.nat(maxPrecision)), (value, decimals) => {
        const exact = formatPrefixed('d', value);
        const text = shownValue(exact, decimals);
        const reach = decimals === null ? Math.abs(value) * 1e-9 : 0.5 * 10 ** -decimals * (1 + 1e-9);
        assert.ok(Math.abs(Number(text) - value) <= reach + Math.abs(value) * 2 ** -52, `${exact}: ${text}`);
        assert.ok(text.length < exact.length || text === exact.slice(1), `${exact}: ${text}`);
      }),
    );
  });

  test('has its unit behind it where there is one', () => {
    assert.deepEqual([withUnit('7', 'm³/h'), withUnit('7', ''), withUnit('7', undefined)], ['7 m³/h', '7', '7']);
  });
});
