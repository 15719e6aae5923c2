import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ArchiveColumns, BadColumns, ColumnsReader } from './columns-reader.ts';

const end = Uint8Array.from([...Buffer.from('TTCE'), ...new Array(12).fill(0)]);

function frame({ datatype = 'd', count = 0, textBytes = 0, nameBytes = 0, rest = 0 }): Uint8Array {
  const bytes = new Uint8Array(16 + rest);
  const view = new DataView(bytes.buffer);
  bytes.set(Buffer.from('TTCF'));
  bytes.set(Buffer.from(datatype), 5);
  view.setUint16(6, nameBytes, true);
  view.setUint32(8, count, true);
  view.setUint32(12, textBytes, true);
  return bytes;
}

function read(...chunks: Uint8Array[]): ArchiveColumns[] {
  const reader = new ColumnsReader();
  const found = chunks.flatMap((chunk) => [...reader.feed(chunk)]);
  reader.end();
  return found;
}

/** Two records of a text, `ä` and nothing, of the name `level`. */
const texts = (() => {
  const bytes = frame({ datatype: 's', count: 2, textBytes: 2, nameBytes: 5, rest: 8 + 16 + 8 + 8 + 8 });
  const view = new DataView(bytes.buffer);
  bytes.set(Buffer.from('level'), 16);
  view.setFloat64(24, 1_700_000_000_000_001, true);
  view.setFloat64(32, 1_700_000_000_000_002, true);
  view.setUint32(40, 2, true);
  bytes.set(Buffer.from('ä'), 48);
  bytes.set([192, 24], 56);
  return bytes;
})();

describe('the columns of an answer', () => {
  test('are the same however the bytes are cut', () => {
    const whole = Buffer.concat([texts, frame({ rest: 0 }), texts, end]);
    for (const size of [1, 3, 16, 17, 71, 1000]) {
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.subarray(at * size, (at + 1) * size),
      );
      const [first, empty, last, ...others] = read(...chunks);
      assert.deepEqual(others, []);
      assert.deepEqual(first, last);
      assert.equal(empty?.times.length, 0);
      const { kind, name, datatype, times, values, qualities } = first ?? assert.fail();
      assert.deepEqual([kind, name, datatype], ['measurements', 'level', 's']);
      assert.deepEqual([...times], [1_700_000_000_000_001, 1_700_000_000_000_002]);
      assert.deepEqual(
        [values, [...qualities]],
        [
          ['ä', ''],
          [192, 24],
        ],
      );
    }
  });

  for (const [what, ...chunks] of [
    ['without an end', texts],
    ['that is nothing', new Uint8Array()],
    ['that goes on behind the end', end, texts],
    ['that begins otherwise', Buffer.from('{"level":[]}     ')],
    ['of a datatype that there is not', frame({ datatype: 'x' }), end],
    ['of more than fits', frame({ count: 0xffff_ffff }), end],
    ['whose texts are shorter than it says', frame({ datatype: 's', textBytes: 8, rest: 8 }), end],
  ] as const) {
    test(`are refused in an answer ${what}`, () => {
      assert.throws(() => read(...chunks), BadColumns);
    });
  }
});
