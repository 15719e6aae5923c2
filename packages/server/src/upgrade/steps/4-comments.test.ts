import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { comments } from './4-comments.ts';

test('revisions get a comment that is not set, and stay what they were; twice is as once', () => {
  using sqlite = new DatabaseSync(':memory:');
  sqlite.exec('CREATE TABLE renderings (id INTEGER PRIMARY KEY, author TEXT NOT NULL) STRICT');
  sqlite.exec("INSERT INTO renderings VALUES (7, 'ann')");
  for (let time = 0; time < 2; time++) {
    comments.configuration?.(sqlite);
    assert.deepEqual({ ...sqlite.prepare('SELECT * FROM renderings').get() }, { id: 7, author: 'ann', comment: null });
  }
});
