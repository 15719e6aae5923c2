import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkScanPeriod, scanPeriodOf } from './scan-period.ts';

const of = (scanPeriod: string) => ({ datatype: 'd' as const, properties: { scanPeriod } });

describe('the scan period of a point', () => {
  test('is its property, in milliseconds, or the default of the connector', () => {
    assert.deepEqual(
      ['10', '250', '3600000'].map((text) => scanPeriodOf(of(text), 1000)),
      [10, 250, 3_600_000],
    );
    assert.equal(scanPeriodOf({ properties: {} }, 1000), 1000);
    assert.equal(scanPeriodOf({}, 1000), 1000);
    assert.equal(checkScanPeriod(of('250')), undefined);
    assert.equal(scanPeriodOf(of('1m30s'), 1000), 90_000);
    assert.equal(checkScanPeriod({ datatype: 'd' }), undefined);
  });

  for (const text of ['', '9', '3600001', '1e3', ' 500', '-5', '0.5', '500 ms', '5ms', '2h', '٣', '1'.repeat(5000)]) {
    test(`${JSON.stringify(text.slice(0, 20))} is reported as invalid, and not used`, () => {
      assert.match(checkScanPeriod(of(text)) ?? '', /scanPeriod .* whole number of milliseconds from 10 to 3600000/);
      assert.equal(scanPeriodOf(of(text), 1000), 1000);
    });
  }

  test('is not taken from what objects inherit', () => {
    const properties = Object.create({ scanPeriod: '20' });
    assert.equal(scanPeriodOf({ properties }, 1000), 1000);
  });
});
