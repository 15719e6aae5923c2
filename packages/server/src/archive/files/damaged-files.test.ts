import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { archiveFolder } from '../../../test/archive-records.ts';
import { setAside } from './damaged-files.ts';
import { blockSpanOf } from './file-names.ts';

test('a file that is set aside is no block any more, and takes the place of no other', (t) => {
  const folder = archiveFolder(t);
  const path = join(folder, 'block-1-1-1-0.ttb');
  for (const text of ['first', 'second', 'third']) {
    writeFileSync(path, text);
    assert.equal(readFileSync(setAside(path), 'utf8'), text);
  }
  assert.equal(readdirSync(folder).length, 3);
  for (const name of readdirSync(folder)) assert.equal(blockSpanOf(name), undefined);
});
