import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { incomingPath, ReplacedUnsynced, replaceDatabase } from './replace-database.ts';

for (const [failing, left, title] of [
  [1, 'old', 'before the new file takes the name leaves the old one, and is an ordinary error'],
  [2, 'new', 'when the new file has the name says that it is in place'],
  [3, 'new', 'that does not come leaves the new file'],
] as const) {
  test(`a sync of the folder that fails ${title}`, (t) => {
    const path = join(temporaryFolder(t), 'cfgdb.sqlite');
    const incoming = incomingPath(path);
    writeFileSync(path, 'old');
    writeFileSync(incoming, 'new');
    let syncs = 0;
    const sync = () => {
      if (++syncs === failing) throw new Error('EIO: i/o error, fsync');
    };
    let thrown: unknown;
    try {
      replaceDatabase(path, incoming, sync);
    } catch (error) {
      thrown = error;
    }
    assert.equal(readFileSync(path, 'utf8'), left);
    assert.equal(existsSync(incoming), left === 'old');
    assert.equal(thrown instanceof ReplacedUnsynced, failing === 2);
    assert.equal(thrown === undefined, failing === 3);
  });
}
