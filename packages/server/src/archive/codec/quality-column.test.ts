import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { decodeQualities, encodeQualities } from './quality-column.ts';

function encoded(qualities: readonly number[]): Uint8Array {
  const out = new ByteWriter(16);
  encodeQualities(Uint16Array.of(1, ...qualities, 1), 1, qualities.length + 1, out);
  return out.written().slice();
}

function bytesOf(qualities: readonly number[]): number {
  const bytes = encoded(qualities);
  const reader = new ByteReader(bytes);
  const into = new Uint16Array(qualities.length + 2);
  decodeQualities(reader, qualities.length, into, 1);
  assert.deepEqual([...into], [0, ...qualities, 0]);
  assert.equal(reader.left, 0);
  return bytes.length;
}

const quality = fc.oneof(fc.constantFrom(0, 8, 0x58, 192, 0x1c0), fc.nat(65535));
const run = fc.tuple(quality, fc.nat(300)).map(([each, length]) => Array.from({ length }, () => each));
const series = fc
  .array(fc.oneof(run, fc.array(quality, { maxLength: 200 })), { minLength: 1, maxLength: 5 })
  .map((lists) => lists.flat());

describe('a column of qualities', () => {
  test('comes back as it was', () => {
    fc.assert(
      fc.property(series, (qualities) => void bytesOf(qualities)),
      { numRuns: 300 },
    );
  });

  test('that was changed or cut is refused or read, within its bounds', () => {
    fc.assert(
      fc.property(series, fc.nat(), fc.nat(255), fc.boolean(), fc.nat(600), (qualities, at, to, cut, count) => {
        const bytes = encoded(qualities);
        if (bytes.length === 0) return;
        bytes[at % bytes.length] = to;
        const reader = new ByteReader(bytes, 0, cut ? at % bytes.length : bytes.length);
        try {
          decodeQualities(reader, count, new Uint16Array(count), 0);
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
        assert.ok(reader.at <= reader.end);
      }),
      { numRuns: 500 },
    );
  });

  const many = Array.from({ length: 1024 }, (_, index) => index);
  test('takes four bytes where all are the same', () => {
    assert.equal(bytesOf(many.map(() => 192)), 4);
  });

  test('takes some bytes a change where they rarely change', () => {
    assert.ok(bytesOf(many.map((index) => (index % 500 < 20 ? 24 : 192))) <= 28);
  });

  test('takes a bit a record where two alternate', () => {
    assert.ok(bytesOf(many.map((index) => (index % 3 === 0 ? 24 : 192))) <= 165);
  });
});
