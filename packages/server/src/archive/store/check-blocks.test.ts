import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { commit, dayUs, flush, ignored, levels, openArchive, startUs } from '../../../test/temporary-archives.ts';
import { openBlock } from './block-list.ts';
import { checkBlocks } from './check-blocks.ts';

test('a file that goes at whatever moment is reported as gone, and the others are checked', () => {
  const { store } = openArchive();
  for (const week of [0, 1, 2]) commit(store, levels(10, startUs - week * 7 * dayUs));
  flush(store);
  const [gone = '', damaged = '', whole = ''] = store.blockPaths();
  const bytes = readFileSync(damaged);
  bytes[150] = (bytes[150] as number) ^ 1;
  writeFileSync(damaged, bytes);
  const opened: string[] = [];
  const found = checkBlocks([gone, damaged, whole], ignored, (path) => {
    opened.push(path);
    if (path === gone) rmSync(path);
    return openBlock(path);
  });
  assert.deepEqual(opened, [gone, damaged, whole]);
  assert.deepEqual(
    found.map(({ file }) => file),
    [gone, damaged].map((path) => basename(path)),
  );
  store.close();
});
