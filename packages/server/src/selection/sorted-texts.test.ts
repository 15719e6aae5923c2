// Promises of sorted texts: they are what was added and not deleted, in order, whatever the order of both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SortedTexts } from './sorted-texts.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_'), maxLength: 6 });

test('texts that begin with something are found in order, and counted, as in a plain list', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), text), { maxLength: 300 }), text, (steps, prefix) => {
      const sorted = new SortedTexts();
      const model = new Set<string>();
      for (const [isAdded, each] of steps) {
        if (isAdded) sorted.add(each);
        else sorted.delete(each);
        if (isAdded) model.add(each);
        else model.delete(each);
      }
      const expected = [...model].filter((each) => each.startsWith(prefix)).sort();
      assert.deepEqual(sorted.startingWith(prefix).flat(), expected);
      assert.equal(sorted.countFrom(prefix), expected.length);
    }),
  );
});

test('thousands, added in no order and deleted again, keep their order', () => {
  const sorted = new SortedTexts();
  const texts = Array.from({ length: 5000 }, (_, at) => `t${(at * 7919) % 5000}`);
  for (const each of texts) sorted.add(each);
  assert.deepEqual(sorted.startingWith('').flat(), [...texts].sort());
  for (const each of texts.slice(0, 4990)) sorted.delete(each);
  assert.deepEqual(sorted.startingWith('t').flat(), texts.slice(4990).sort());
  assert.equal(sorted.countFrom('u'), 0);
});
