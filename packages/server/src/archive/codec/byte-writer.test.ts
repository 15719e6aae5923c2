import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

const unsigned = fc.oneof(
  fc.nat(300),
  fc.maxSafeNat(),
  fc.constantFrom(0, 127, 128, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53),
);

describe('bytes that are written and read', () => {
  test('come back as they were, however small the buffer was', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(unsigned, fc.boolean())), fc.nat(20), (numbers, capacity) => {
        const out = new ByteWriter(capacity);
        for (const [number, negative] of numbers) {
          out.varint(number);
          out.zigzag(negative ? -number : number);
          out.u8(number % 256);
          out.u16(number % 65536);
          out.u32(number % 2 ** 32);
          out.f64(-number);
          out.raw(Uint8Array.of(1, 2));
        }
        const reader = new ByteReader(out.written());
        for (const [number, negative] of numbers) {
          assert.equal(reader.varint(), number);
          assert.equal(reader.zigzag(), negative && number !== 0 ? -number : number);
          assert.equal(reader.u8(), number % 256);
          assert.equal(reader.u16(), number % 65536);
          assert.equal(reader.u32(), number % 2 ** 32);
          assert.equal(reader.f64(), -number);
          assert.deepEqual([...reader.raw(2)], [1, 2]);
        }
        assert.equal(reader.left, 0);
      }),
    );
  });

  test('small numbers take one byte', () => {
    const out = new ByteWriter();
    for (const number of [0, 1, 127]) out.varint(number);
    for (const number of [0, -1, 63, -63]) out.zigzag(number);
    assert.equal(out.length, 7);
  });

  test('nothing is read behind the end, even where the buffer goes on', () => {
    const bytes = new Uint8Array(64);
    const reads: ((reader: ByteReader) => unknown)[] = [
      (reader) => reader.u8(),
      (reader) => reader.u16(),
      (reader) => reader.u32(),
      (reader) => reader.f64(),
      (reader) => reader.varint(),
      (reader) => reader.zigzag(),
      (reader) => reader.raw(1),
      (reader) => reader.raw(-1),
      (reader) => reader.raw(Number.NaN),
    ];
    for (const read of reads) {
      assert.throws(() => read(new ByteReader(bytes, 10, 10)), RangeError);
    }
    assert.throws(() => new ByteReader(bytes, 0, 65), RangeError);
    assert.throws(() => new ByteReader(bytes, 11, 10), RangeError);
  });

  test('2^53 is the largest number that is read', () => {
    const most = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    assert.equal(new ByteReader(Uint8Array.from(most)).varint(), 2 ** 53);
    assert.throws(() => new ByteReader(Uint8Array.from(most.with(-1, 0x11))).varint(), RangeError);
  });

  test('a number that never ends, or is beyond 2^53, is refused', () => {
    for (const last of [0xff, 0x7f]) {
      const bytes = new Uint8Array(100).fill(0xff);
      bytes[8] = last;
      assert.throws(() => new ByteReader(bytes).varint(), RangeError);
      assert.throws(() => new ByteReader(bytes).zigzag(), RangeError);
    }
  });
});
