import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BrowseItem, Refused } from '@telltale/stack-kit';
import { browseTags } from './browse-tags.ts';
import stack from './stack.ts';
import { waterworksTags } from './tags.ts';

function all(path: string | undefined, limit: number): BrowseItem[] {
  const items: BrowseItem[] = [];
  let cursor: string | undefined;
  do {
    const answer = browseTags({ path, cursor, limit });
    assert.ok(answer.items.length <= limit);
    items.push(...answer.items);
    cursor = answer.cursor;
  } while (cursor !== undefined);
  return items;
}

test('every tag of the waterworks is found once, with an address that the stack takes', () => {
  for (const limit of [1, 3, 1000]) {
    const tags = all(undefined, limit).flatMap(({ path }) => all(path, limit));
    assert.deepEqual(tags.map(({ title }) => title).sort(), waterworksTags.map(({ name }) => name).sort());
    for (const { measurement, command } of tags) {
      for (const [kind, point] of Object.entries({ measurement, command })) {
        if (point === undefined) continue;
        const wrong = stack.connector?.checkAddress(kind as 'measurement', point.address, point);
        assert.equal(wrong, undefined);
      }
    }
    const inputs = waterworksTags.filter(({ direction }) => direction === 'input');
    assert.equal(tags.filter(({ command }) => command !== undefined).length, inputs.length);
  }
});

test('what there is not, and a cursor of nobody, is refused', () => {
  for (const request of [
    { path: '__proto__', cursor: undefined },
    { path: undefined, cursor: 'x' },
  ]) {
    assert.throws(() => browseTags({ ...request, limit: 5 }), Refused);
  }
});
