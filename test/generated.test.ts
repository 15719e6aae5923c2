// Generated pages are what the code says now.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problems } from '@telltale/schema';
import { generatedFiles, presentFile } from '../scripts/generated-files.ts';

test('every generated file is what the generator makes', async () => {
  const files = await generatedFiles();
  const stale = [...files].filter(([path, text]) => presentFile(path) !== text).map(([path]) => path);
  assert.ok(files.size >= 5);
  assert.deepEqual(stale, [], 'run npm run generate');
});

test('the page of problems has every problem of the catalogue, with its status, and no other', () => {
  const page = presentFile('docs/generated/problems.md') ?? '';
  const rows = Array.from(page.matchAll(/^\| <a id="([\w-]+)"><\/a>`\1` +\| (\d+) /gm), ([, name, status]) => [
    name,
    Number(status),
  ]);
  assert.deepEqual(
    rows,
    Object.entries(problems).map(([name, { status }]) => [name, status]),
  );
});
