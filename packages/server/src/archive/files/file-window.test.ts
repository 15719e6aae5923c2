import assert from 'node:assert/strict';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { archiveFolder } from '../../../test/archive-records.ts';
import { FileWindow } from './file-window.ts';

test('whatever part of a file is asked for, in whatever order, is given as it is; none beyond its end', (t) => {
  const path = join(archiveFolder(t), 'file');
  const bytes = Buffer.from(Uint32Array.from({ length: 25_000 }, (_, at) => Math.imul(at, 0x9e3779b1)).buffer);
  writeFileSync(path, bytes);
  const file = openSync(path, 'r');
  t.after(() => closeSync(file));
  const part = fc.record({
    at: fc.option(fc.nat(bytes.length + 10), { nil: undefined }),
    length: fc.oneof(fc.nat(100), fc.nat(20_000)),
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 50 }), fc.constantFrom(0, 10, 32_768), (parts, aheadBytes) => {
      const window = new FileWindow(file, bytes.length, aheadBytes);
      let next = 0;
      for (const { at = next, length } of parts) {
        next = at + length;
        const expected = next > bytes.length ? undefined : bytes.subarray(at, next);
        assert.deepEqual(window.part(at, length), expected);
      }
    }),
  );
});
