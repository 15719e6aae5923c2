import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { BlockDirectory } from './block-directory.ts';
import { type BlockLabel, entryBytes } from './block-format.ts';

const series = 65_536;
const directoryAt = 1000;

/** Of the odd numbers, as a block has it on disk. */
function directoryBytes(): Buffer {
  const bytes = Buffer.alloc(series * entryBytes);
  for (let entry = 0; entry < series; entry++) {
    const at = entry * entryBytes;
    bytes.writeUInt32LE(2 * entry + 1, at);
    bytes.writeDoubleLE(entry, at + 16);
    bytes.writeUInt32LE(crc32(bytes.subarray(at, at + 40)), at + 40);
  }
  return bytes;
}

function open(bytes: Buffer, directoryCrc = crc32(bytes)) {
  const label = { series, directoryAt, directoryCrc, indexesAt: 0 } as BlockLabel;
  const counted = { bytes: 0 };
  const read = (at: number, length: number) => {
    counted.bytes += length;
    return bytes.subarray(at - directoryAt, at - directoryAt + length);
  };
  return { directory: new BlockDirectory(read, label, bytes.length), counted };
}

test('a series is found, or is not there, after a few pages of a long directory; the next one after fewer', () => {
  const { directory, counted } = open(directoryBytes());
  assert.equal(directory.find(40_001)?.span.firstUs, 20_000);
  assert.ok(counted.bytes < 64 * 1024, `${counted.bytes} bytes`);
  counted.bytes = 0;
  assert.equal(directory.find(40_003)?.span.firstUs, 20_001);
  assert.equal(counted.bytes, 0);
  assert.equal(directory.find(40_010), undefined);
  assert.ok(counted.bytes <= 4096, `${counted.bytes} bytes`);
  for (const number of [0, 2, 2 * series, 2 ** 32 - 1]) assert.equal(directory.find(number), undefined);
  for (const entry of [0, 1, 92, 93, 94, 12_345, series - 1]) {
    assert.equal(directory.find(2 * entry + 1)?.span.firstUs, entry);
  }
});

test('what is right of a damaged directory is found wherever the damage is', () => {
  const whole = directoryBytes();
  for (const damaged of [0, 92, 93, 32_736, series - 1]) {
    const bytes = Buffer.from(whole);
    bytes[damaged * entryBytes + 3] = 0xff;
    for (const entry of [0, 1, 91, 94, 32_735, 32_737, series - 2]) {
      const { directory } = open(bytes, crc32(whole));
      const expected = entry === damaged ? undefined : entry;
      assert.equal(directory.find(2 * entry + 1)?.span.firstUs, expected);
    }
    const { directory } = open(bytes, crc32(whole));
    assert.equal(directory.find(2 * damaged + 1), undefined);
    assert.deepEqual([directory.lost, directory.numbers.length], [1, series - 1]);
  }
});
