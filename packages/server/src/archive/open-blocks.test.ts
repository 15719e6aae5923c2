import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockFile } from './files/block-file.ts';
import { mostOpen, OpenBlocks } from './open-blocks.ts';

const paths = Array.from({ length: 3 * mostOpen }, (_, at) => `block-${at}`);

/** Files that tell whether they are open. */
function openBlocks() {
  const open = new Set<string>();
  const blocks = new OpenBlocks((path) => {
    assert.ok(!open.has(path));
    open.add(path);
    return { close: () => open.delete(path) } as unknown as BlockFile;
  });
  return { blocks, open };
}

test('few files are open, however many a query needs, and the one at hand is', () => {
  const { blocks, open } = openBlocks();
  blocks.need('query', paths);
  for (const path of [...paths, ...paths]) {
    blocks.get(path);
    assert.ok(open.has(path));
    assert.ok(open.size <= mostOpen);
  }
});

test('those that are about to go stay open for whoever needs them, beside as many others, and no longer', () => {
  const { blocks, open } = openBlocks();
  const [going, others] = [paths.slice(0, mostOpen + 1), paths.slice(mostOpen + 1)];
  blocks.need('query', going);
  blocks.release(going);
  for (const path of others) {
    blocks.get(path);
    assert.ok(open.has(path));
  }
  assert.ok(going.every((path) => open.has(path)));
  assert.equal(open.size, going.length + mostOpen);
  blocks.need('query', []);
  assert.ok(going.every((path) => !open.has(path)));
  assert.equal(open.size, mostOpen);
});
