import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cefactUri, unitInformation } from './unit-codes.ts';

test('a known unit has its number of UN/CEFACT and its name, and is shown as it is configured', () => {
  // As the OPC Foundation lists them.
  const listed: [string, number, string][] = [
    ['m', 5067858, 'metre'],
    ['mm', 5066068, 'millimetre'],
    ['°C', 4408652, 'degree Celsius'],
    ['%', 20529, 'percent'],
    ['m³/h', 5067080, 'cubic metre per hour'],
    ['bar', 4342098, 'bar [unit of pressure]'],
    ['kWh', 4937544, 'kilowatt hour'],
    ['µm', 13384, 'micrometre'],
    ['1', 4404786, 'one'],
  ];
  for (const [eu, unitId, description] of listed) {
    assert.deepEqual(unitInformation(eu), { namespaceUri: cefactUri, unitId, displayName: eu, description });
  }
});

test('other spellings of a unit are the same unit', () => {
  const id = (eu: string) => unitInformation(eu).unitId;
  assert.equal(id('m3/h'), id('m³/h'));
  assert.equal(id(' \u2103 '), id('\u00b0C'), 'the sign of degrees Celsius');
  assert.equal(id('\u03bcm'), id('\u00b5m'), 'the Greek letter and the sign of micro');
  assert.equal(id('\u2126'), id('\u03a9'), 'the sign of ohm');
  assert.notEqual(id('mW'), id('MW'));
});

test('an unknown unit has no number', () => {
  for (const eu of ['NTU', 'furlong', '', 'constructor', '__proto__', 'M']) {
    assert.deepEqual(unitInformation(eu), {
      namespaceUri: 'urn:telltale',
      unitId: -1,
      displayName: eu,
      description: eu,
    });
  }
});
