// Holds the rules and the tests against each other: every rule is named by a test, and no test names a rule that is not.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = import.meta.dirname;

test('every rule of SPEC.md is named by the title of a test, and every title names rules that there are', () => {
  const spec = readFileSync(join(folder, 'SPEC.md'), 'utf8');
  const rules = Array.from(spec.matchAll(/^- \*\*(A[RG]-\d+)\*\*/gm), ([, id = '']) => id);
  assert.ok(rules.length > 30);
  assert.equal(new Set(rules).size, rules.length, 'a rule stands twice');
  const titles = globSync('**/*.test.ts', { cwd: folder }).flatMap((file) => {
    const source = readFileSync(join(folder, file), 'utf8');
    return Array.from(source.matchAll(/\btest\(\s*(['"`])(.*?)\1/gs), ([, , title = '']) => title);
  });
  const named = new Set(titles.flatMap((title) => title.match(/\bA[RG]-\d+\b/g) ?? []));
  assert.deepEqual([...named].sort(), [...rules].sort());
});
