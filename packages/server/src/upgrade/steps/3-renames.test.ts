import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { renames } from './3-renames.ts';

test('the configuration gets a table of renames, which is empty; twice is as once', () => {
  using sqlite = new DatabaseSync(':memory:');
  for (let time = 0; time < 2; time++) {
    renames.configuration?.(sqlite);
    assert.deepEqual(sqlite.prepare('SELECT family, name, formerName, revision FROM renames').all(), []);
  }
});
