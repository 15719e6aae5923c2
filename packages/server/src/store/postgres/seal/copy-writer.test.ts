import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CopyReader } from '../../read/copy-reader.ts';
import { CopyWriter } from './copy-writer.ts';

test('rows are what was written, however many they become', () => {
  const writer = new CopyWriter();
  const long = (at: number) => new Uint8Array((at * 7919) % 5000).fill(at);
  for (const rows of [3000, 2]) {
    assert.ok(writer.isEmpty);
    for (let at = 0; at < rows; at++) {
      writer.row(6);
      writer.bytes(long(at));
      writer.int8(-at * 2 ** 33 - 1);
      writer.none();
      writer.int4(-at);
      writer.int2(at);
      writer.float8(at / 3);
    }
    const reader = new CopyReader(Buffer.from(writer.take()));
    for (let at = 0; at < rows; at++) {
      assert.ok(reader.nextRow());
      const field = reader.field();
      assert.deepEqual(
        new Uint8Array(field?.buffer ?? new ArrayBuffer(), field?.byteOffset, field?.byteLength),
        long(at),
      );
      assert.equal(reader.int8(), -at * 2 ** 33 - 1);
      assert.equal(reader.field(), undefined);
      assert.equal(reader.int4(), -at | 0);
      assert.equal(reader.int2(), at);
      assert.equal(reader.field()?.getFloat64(0), at / 3);
    }
    assert.equal(reader.nextRow(), false);
  }
});
