import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch, type Datatype, quality, type Value } from '@telltale/schema';
import fc from 'fast-check';
import { integerContent, tag } from './ber.ts';
import type { Varbind } from './pdu.ts';
import { addReading, encodeValue, readValue, textOf, Unfit } from './snmp-value.ts';

const oid = '1.3.6.1.4.1.1.1';
const octets = (content: string | Buffer): Varbind => ({
  oid,
  tag: tag.octets,
  content: Buffer.from(content as string),
});

test('what is set reads back as the same value', () => {
  const back = (value: Value, form: string, datatype: Datatype) =>
    assert.deepEqual(
      readValue(encodeValue(oid, value, form), datatype, form === 'truth' || form === 'hex' ? form : undefined),
      value,
    );
  fc.assert(fc.property(fc.maxSafeInteger(), (value) => back(value % 2 ** 31, 'integer', 'i')));
  fc.assert(fc.property(fc.nat({ max: 2 ** 32 - 1 }), (value) => back(value, 'unsigned', 'd')));
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (value) => back(value, 'counter64', 'l')));
  fc.assert(fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => back(value, 'float', 'f')));
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => back(value, 'double', 'd')));
  for (const value of ['plain', 'größer', '']) back(value, 'text', 's');
  back('00:1a:ff', 'hex', 's');
  back('192.0.2.255', 'ip', 's');
  back('1.3.6.1.4.1', 'oid', 's');
  back(true, 'truth', 'b');
  back(false, 'truth', 'b');
});

test('what does not go into a type is refused, and nothing else is set instead', () => {
  const unfit: readonly (readonly [Value, string])[] = [
    [0.5, 'integer'],
    [2 ** 31, 'integer'],
    [-1, 'unsigned'],
    [2 ** 32, 'timeticks'],
    [2 ** 32, 'counter32'],
    [-1n, 'counter64'],
    [1e39, 'float'],
    ['1.2.3', 'ip'],
    ['1.2.3.256', 'ip'],
    ['1.2.3.4.', 'ip'],
    ['9.9', 'oid'],
    ['0g', 'hex'],
    ['0', 'hex'],
  ];
  for (const [value, form] of unfit) assert.throws(() => encodeValue(oid, value, form), Unfit, `${value} ${form}`);
});

test('texts of numbers are numbers where a number is wanted', () => {
  const numbers: readonly (readonly [string, unknown])[] = [
    ['21.5', 21.5],
    [' 7 ', 7],
    ['-0.25\0', -0.25],
    ['1e3', 1000],
    ['.5', 0.5],
    ['5.', 5],
    ['', undefined],
    ['7 C', undefined],
    ['0x10', undefined],
    ['Infinity', undefined],
    ['NaN', undefined],
    ['1_000', undefined],
  ];
  for (const [text, expected] of numbers) assert.equal(readValue(octets(text), 'd', undefined), expected, text);
  assert.equal(readValue(octets('9223372036854775807'), 'l', undefined), 9223372036854775807n);
  assert.equal(readValue(octets('9223372036854775808'), 'l', undefined), undefined);
  assert.equal(readValue(octets('+9007199254740993'), 'l', undefined), 9007199254740993n);
  assert.equal(readValue(octets('9007199254740993.0'), 'l', undefined), undefined);
});

test('bytes that are no text are shown in hexadecimal', () => {
  assert.equal(textOf(octets('ready\0'), undefined), 'ready');
  assert.equal(textOf(octets('two\r\nlines'), undefined), 'two\r\nlines');
  assert.equal(textOf(octets(Buffer.from('001a2bff', 'hex')), undefined), '00:1a:2b:ff');
  assert.equal(textOf(octets(Buffer.from([0x41, 0x01])), undefined), '41:01');
  assert.equal(textOf(octets('AB'), 'hex'), '41:42');
  assert.equal(textOf(octets(Buffer.from([0xe4])), 'text'), 'ä');
});

test('a reading is good where there is a value, and says why where there is none', () => {
  const point = (datatype: Datatype) => ({ id: 1, datatype });
  const qualityOf = (varbind: Varbind, datatype: Datatype, form?: string) => {
    const batch = new Batch();
    addReading(batch, point(datatype), varbind, form, 5);
    return batch.qualities[0];
  };
  const integer = (value: number): Varbind => ({ oid, tag: tag.integer, content: integerContent(value) });
  const nothing = (valueTag: number): Varbind => ({ oid, tag: valueTag, content: Buffer.alloc(0) });
  assert.equal(qualityOf(integer(5), 'i'), quality.good);
  assert.equal(qualityOf(integer(3), 'b', 'truth'), quality.bad.sensorFailure);
  assert.equal(qualityOf(nothing(tag.noSuchObject), 'i'), quality.bad.configurationError);
  assert.equal(qualityOf(nothing(tag.noSuchInstance), 's'), quality.bad.configurationError);
  assert.equal(qualityOf(nothing(tag.endOfMibView), 'd'), quality.bad.configurationError);
  assert.equal(qualityOf(nothing(tag.null), 's'), quality.bad.sensorFailure);
  assert.equal(qualityOf({ oid, tag: 0x99, content: Buffer.of(1) }, 'd'), quality.bad.sensorFailure);
  assert.equal(qualityOf(octets('x'.repeat(70_000)), 's'), quality.bad.sensorFailure);
});
