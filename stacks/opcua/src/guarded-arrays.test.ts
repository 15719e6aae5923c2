// Arrays of nothing, and those that are none of them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BinaryStream } from 'node-opcua-binary-stream';
import { Variant } from 'node-opcua-client';
import { guardArrays } from './guarded-arrays.ts';

const decode = (...bytes: number[]) => {
  const variant = new Variant();
  variant.decode(new BinaryStream(Buffer.from(bytes)));
  return variant.value as unknown;
};

describe('what a peer sends as a variant', () => {
  guardArrays();

  test('is no array of a million values that have no type, by itself or within others', () => {
    const million = [0x80, 0, 0, 0x10, 0];
    assert.throws(() => decode(...million), /an array of 1048576 values without a type/);
    assert.throws(() => decode(0xc0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0), /an array of 1 values without a type/);
    assert.throws(() => decode(0x98, 2, 0, 0, 0, ...million, ...million), /without a type/);
  });

  test('may be null, empty, or an array of what has a type', () => {
    assert.equal(decode(0), null);
    assert.deepEqual(decode(0x80, 0, 0, 0, 0), []);
    assert.equal(decode(0x80, 0xff, 0xff, 0xff, 0xff), null);
    assert.deepEqual(decode(0x81, 2, 0, 0, 0, 1, 0), [true, false]);
  });
});
