import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { circlesIn } from './circles-in.ts';

test('a circle has those who come back to themselves, each once, and nobody else', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__', 'constructor');
  const follows = fc.array(fc.tuple(name, name)).map((pairs) => new Map<string, string>(pairs));
  const comesBack = (next: ReadonlyMap<string, string>, start: string) => {
    let at = next.get(start);
    for (let steps = 0; steps < next.size && at !== undefined && at !== start; steps++) at = next.get(at);
    return at === start;
  };
  fc.assert(
    fc.property(follows, (next) => {
      const circles = circlesIn(next);
      assert.deepEqual(circles.flat().sort(), [...next.keys()].filter((each) => comesBack(next, each)).sort());
      for (const circle of circles) {
        for (const [at, each] of circle.entries()) assert.equal(next.get(each), circle[(at + 1) % circle.length]);
      }
    }),
  );
});
