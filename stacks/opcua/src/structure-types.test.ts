import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryStream } from 'node-opcua-binary-stream';
import { decodeInto, type Structure } from './structure-types.ts';

/** Reads an array of arrays of structures without fields, as the library does. */
function arraysOfNothing() {
  const made = { elements: 0, schema: { name: 'Outer', fields: [] }, encode: () => {}, decode };
  function decode(stream: BinaryStream): void {
    const count = stream.readUInt32();
    stream.checkArrayLength(count);
    for (let at = 0; at < count; at++) {
      const length = stream.readUInt32();
      stream.checkArrayLength(length);
      made.elements += length;
    }
  }
  return made satisfies Structure;
}

test('a structure whose arrays take next to no bytes, and have no end, is not read', () => {
  const [count, length] = [100, 50_000];
  const bytes = Buffer.alloc(4 + 4 * count + length);
  bytes.writeUInt32LE(count);
  for (let at = 0; at < count; at++) bytes.writeUInt32LE(length, 4 + 4 * at);
  const structure = arraysOfNothing();
  assert.equal(
    decodeInto(structure, bytes),
    'the structure does not fit its type: its arrays have more than 1000000 elements',
  );
  assert.ok(structure.elements <= 1_000_000);
  bytes.writeUInt32LE(3);
  assert.equal(decodeInto(structure, bytes), structure);
});
