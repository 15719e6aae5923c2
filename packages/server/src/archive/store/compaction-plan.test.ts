import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type BlockInfo,
  chooseAll,
  chooseBlocks,
  compactedHeader,
  covers,
  maxMergedBytes,
  runsBetween,
} from './compaction-plan.ts';

/** Blocks of successive generations with these sizes. */
function blocksOf(...sizes: number[]): BlockInfo[] {
  return sizes.map((bytes, index) => {
    const header = { partition: 7, genFrom: index + 1, genTo: index + 1, rewrite: 0, tombstonesApplied: 0 };
    return { path: `block-${index}`, header, bytes, records: bytes, firstUs: 0, lastUs: 1 };
  });
}

function pathsOf(blocks: readonly BlockInfo[] | undefined): string[] | undefined {
  return blocks?.map(({ path }) => path);
}

test('fewer than four blocks are left alone', () => {
  assert.equal(chooseBlocks([]), undefined);
  assert.equal(chooseBlocks(blocksOf(10, 10, 10)), undefined);
});

test('four neighbours of about the same size are merged', () => {
  assert.deepEqual(pathsOf(chooseBlocks(blocksOf(10, 12, 9, 11))), ['block-0', 'block-1', 'block-2', 'block-3']);
});

test('a large block is not written again for some small ones', () => {
  assert.equal(chooseBlocks(blocksOf(1000, 10, 10, 10)), undefined);
  assert.deepEqual(pathsOf(chooseBlocks(blocksOf(1000, 10, 10, 10, 10))), ['block-1', 'block-2', 'block-3', 'block-4']);
});

test('no file becomes larger than the limit', () => {
  const half = maxMergedBytes / 2;
  assert.equal(chooseBlocks(blocksOf(half, half, half, half)), undefined);
  assert.deepEqual(pathsOf(chooseAll(blocksOf(half, half, half))), ['block-0', 'block-1']);
  assert.equal(chooseAll(blocksOf(half, half + 1)), undefined);
});

test('a record is written again a few times, however many generations come', () => {
  let blocks: BlockInfo[] = [];
  let written = 0;
  const count = 2000;
  for (let generation = 1; generation <= count; generation++) {
    const header = { partition: 7, genFrom: generation, genTo: generation, rewrite: 0, tombstonesApplied: 0 };
    blocks.push({ path: '', header, bytes: 1000, records: 1, firstUs: 0, lastUs: 1 });
    for (let chosen = chooseBlocks(blocks); chosen !== undefined; chosen = chooseBlocks(blocks)) {
      const bytes = chosen.reduce((sum, block) => sum + block.bytes, 0);
      const merged = { path: '', header: compactedHeader(chosen, 0), bytes, records: 1, firstUs: 0, lastUs: 1 };
      const at = blocks.indexOf(chosen[0] as BlockInfo);
      blocks = [...blocks.slice(0, at), merged, ...blocks.slice(at + chosen.length)];
      written += bytes;
    }
  }
  assert.ok(blocks.length <= 24, `${blocks.length} files`);
  assert.ok(written / (1000 * count) <= 8, `written ${written / (1000 * count)} times`);
});

test('whatever is chosen are neighbours, at least two, within the limits', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: maxMergedBytes }), { maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.boolean(), (bytes, all) => {
      const blocks = blocksOf(...bytes);
      const chosen = all ? chooseAll(blocks) : chooseBlocks(blocks);
      if (chosen === undefined) return;
      const from = blocks.indexOf(chosen[0] as BlockInfo);
      assert.deepEqual(chosen, blocks.slice(from, from + chosen.length));
      assert.ok(chosen.length >= (all ? 2 : 4) && chosen.length <= 32);
      assert.ok(chosen.reduce((sum, block) => sum + block.bytes, 0) <= maxMergedBytes);
    }),
  );
});

test('what was made of a block covers it, and nothing else does', () => {
  const header = { partition: 7, genFrom: 3, genTo: 5, rewrite: 2, tombstonesApplied: 0 };
  assert.ok(covers({ ...header, genTo: 6, rewrite: 0 }, header));
  assert.ok(covers({ ...header, rewrite: 3 }, header));
  assert.ok(!covers(header, header));
  assert.ok(!covers({ ...header, rewrite: 1 }, header));
  assert.ok(!covers({ ...header, genTo: 4, rewrite: 9 }, header));
  assert.ok(!covers({ ...header, partition: 8, genTo: 9 }, header));
});

test('a block that cannot be merged parts its neighbours', () => {
  assert.deepEqual(
    runsBetween([1, 2, -1, 3, -1, -1], (number) => number < 0),
    [[1, 2], [3]],
  );
});
