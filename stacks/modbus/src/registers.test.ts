import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Value } from '@telltale/schema';
import fc from 'fast-check';
import {
  type Layout,
  type NumberType,
  numberLayout,
  numberTypes,
  orders,
  readValue,
  textLayout,
  wholeRanges,
  writeValue,
} from './registers.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const read = (layout: Layout, text: string) => {
  const bytes = Buffer.from(text, 'hex');
  return readValue(layout, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0);
};

/** Values of a type, as they are read. */
function valuesOf(type: NumberType): fc.Arbitrary<number | bigint> {
  const range = wholeRanges[type];
  if (type === 'float32') return fc.float({ noNaN: true, noDefaultInfinity: true });
  if (range === undefined) return fc.double({ noNaN: true, noDefaultInfinity: true });
  const longs = fc.bigInt({ min: range[0], max: range[1] });
  return type.endsWith('64') ? longs : longs.map(Number);
}

describe('registers', () => {
  for (const type of numberTypes) {
    for (const order of orders) {
      test(`hold every ${type} in the order ${order}`, () => {
        const layout = numberLayout(type, order);
        fc.assert(
          fc.property(valuesOf(type), fc.nat(8), (value, offset) => {
            const bytes = writeValue(layout, value);
            assert.equal(bytes.length, 2 * layout.registers);
            const framed = new DataView(new ArrayBuffer(offset + bytes.length + 4));
            new Uint8Array(framed.buffer).set(bytes, offset);
            assert.deepEqual(readValue(layout, framed, offset), value);
          }),
        );
      });
    }
  }

  test('have the bytes of a value in the order that is asked for', () => {
    const bytes = (type: NumberType, value: Value) =>
      orders.map((order) => hex(writeValue(numberLayout(type, order), value)));
    assert.deepEqual(bytes('uint32', 0x01020304), ['01020304', '03040102', '02010403', '04030201']);
    assert.deepEqual(bytes('float32', 1.5), ['3fc00000', '00003fc0', 'c03f0000', '0000c03f']);
    assert.deepEqual(bytes('uint64', 0x0102030405060708n), [
      '0102030405060708',
      '0708050603040102',
      '0201040306050807',
      '0807060504030201',
    ]);
    assert.deepEqual(bytes('bcd32', 12_345_678), ['12345678', '56781234', '34127856', '78563412']);
  });

  test('have signs as two complements', () => {
    assert.equal(hex(writeValue(numberLayout('int16', 'abcd'), -2)), 'fffe');
    assert.equal(hex(writeValue(numberLayout('int32', 'abcd'), -2)), 'fffffffe');
    assert.equal(hex(writeValue(numberLayout('int64', 'abcd'), -2n)), 'fffffffffffffffe');
    assert.equal(read(numberLayout('uint64', 'abcd'), 'fffffffffffffffe'), 2n ** 64n - 2n);
  });

  test('have decimal digits, or none that can be read', () => {
    assert.equal(read(numberLayout('bcd16', 'abcd'), '9876'), 9876);
    assert.equal(read(numberLayout('bcd16', 'abcd'), '98a6'), undefined);
    assert.equal(read(numberLayout('bcd32', 'abcd'), '0000000a'), undefined);
  });

  test('round fractions to the nearest whole number, and refuse what does not fit', () => {
    assert.equal(hex(writeValue(numberLayout('int16', 'abcd'), 2.6)), '0003');
    assert.equal(hex(writeValue(numberLayout('uint16', 'abcd'), true)), '0001');
    assert.equal(hex(writeValue(numberLayout('float32', 'abcd'), 3n)), '40400000');
    const wrong: [NumberType, Value][] = [
      ['int16', 32_768],
      ['uint16', -1],
      ['uint16', 65_535.5],
      ['int32', 2n ** 31n],
      ['uint64', -1n],
      ['int64', 2 ** 63],
      ['bcd16', 10_000],
      ['bcd32', -1],
      ['float32', 1e39],
      ['float64', Number.NaN],
      ['int32', Number.POSITIVE_INFINITY],
      ['int32', '5'],
    ];
    for (const [type, value] of wrong) {
      assert.throws(() => writeValue(numberLayout(type, 'abcd'), value), RangeError, `${type} ${value}`);
    }
  });
});

describe('texts', () => {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .filter((each) => !each.includes('\0') && !each.endsWith(' ') && each.isWellFormed());

  for (const order of orders) {
    test(`come back as they were written, in the order ${order}`, () => {
      fc.assert(
        fc.property(text, fc.nat(5), (value, more) => {
          const layout = textLayout('string', Math.max(1, Buffer.byteLength(value) + more), order);
          const bytes = writeValue(layout, value);
          assert.equal(readValue(layout, new DataView(bytes.buffer), 0), value);
        }),
      );
    });
  }

  test('stand in registers one after another, their bytes turned only in each', () => {
    assert.equal(hex(writeValue(textLayout('string', 5, 'abcd'), 'ABCDE')), '414243444500');
    assert.equal(hex(writeValue(textLayout('string', 5, 'badc'), 'ABCDE')), '424144430045');
    assert.equal(read(textLayout('string', 4, 'badc'), '42410043'), 'ABC');
  });

  test('end at the first zero byte, and without the spaces that fill them up', () => {
    assert.equal(read(textLayout('string', 6, 'abcd'), '414200434445'), 'AB');
    assert.equal(read(textLayout('string', 6, 'abcd'), '412042202020'), 'A B');
    assert.equal(read(textLayout('string', 3, 'abcd'), '41424344'), 'ABC');
  });

  test('are UTF-8 or Latin-1, and what is neither is no text', () => {
    assert.equal(read(textLayout('string', 4, 'abcd'), 'c3a40000'), 'ä');
    assert.equal(read(textLayout('latin1', 4, 'abcd'), 'e4b00000'), 'ä°');
    assert.equal(read(textLayout('string', 4, 'abcd'), 'e4b00000'), undefined);
    assert.equal(hex(writeValue(textLayout('latin1', 4, 'abcd'), 'ä°')), 'e4b00000');
  });

  test('that are too long, or of other characters, are refused', () => {
    assert.throws(() => writeValue(textLayout('string', 3, 'abcd'), 'ääa'), /5 bytes: at most 3 fit/);
    assert.throws(() => writeValue(textLayout('latin1', 9, 'abcd'), '€'), /outside Latin-1/);
    assert.throws(() => writeValue(textLayout('string', 9, 'abcd'), 'a\0b'), /zero character/);
    assert.throws(() => writeValue(textLayout('string', 9, 'abcd'), 5), /a text is expected/);
  });
});
