import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pack, packedBytes, widthOf } from '@telltale/schema/bit-packing';
import fc from 'fast-check';
import { unpack } from './bit-packing.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

describe('packed numbers', () => {
  test('a width is the bits that a number needs', () => {
    const widths: [number, number][] = [
      [0, 0],
      [1, 1],
      [255, 8],
      [256, 9],
      [2 ** 31, 32],
      [2 ** 32 - 1, 32],
      [2 ** 32, 33],
      [2 ** 53 - 1, 53],
    ];
    for (const [number, width] of widths) assert.equal(widthOf(number), width, String(number));
  });

  for (let width = 0; width <= 53; width++) {
    test(`of ${width} bits come back, take that many bits, and leave what stands behind them alone`, () => {
      const number = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 2 ** 53 - 1)).map((most) => most % 2 ** width);
      const numbers = fc.array(number, { minLength: 1, maxLength: 150 });
      const base = fc.constantFrom(0, -3, 1000);
      fc.assert(
        fc.property(numbers, base, fc.nat(9), (list, start, behind) => {
          const exact = width === 53 ? 0 : start;
          const out = new ByteWriter(16);
          out.u8(1);
          pack(
            out,
            Float64Array.from(list, (each) => each + exact),
            0,
            list.length,
            exact,
            width,
          );
          assert.equal(out.length, 1 + packedBytes(list.length, width));
          for (let index = 0; index < behind; index++) out.u8(255);
          // A copy that ends with the last byte, so that reading on would show.
          const reader = new ByteReader(out.written().slice());
          reader.skip(1);
          const into = new Float64Array(list.length + 2).fill(7);
          unpack(reader, into, 1, list.length + 1, exact, width);
          assert.deepEqual([...into], [7, ...list.map((each) => each + exact), 7]);
          assert.equal(reader.left, behind);
        }),
        { numRuns: 30 },
      );
    });
  }

  test('that are cut off are refused', () => {
    const reader = new ByteReader(new Uint8Array(100), 0, 15);
    assert.throws(() => unpack(reader, new Float64Array(128), 0, 128, 0, 1), RangeError);
  });
});
