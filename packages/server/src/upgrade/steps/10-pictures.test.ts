import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { pictures } from './10-pictures.ts';

test('there are tables of pictures and trends, empty; twice is as once, and leaves what they have', () => {
  using sqlite = new DatabaseSync(':memory:');
  pictures.configuration?.(sqlite);
  for (const table of ['pictures', 'trends']) assert.deepEqual(sqlite.prepare(`SELECT * FROM ${table}`).all(), []);
  sqlite.exec(`INSERT INTO pictures (name, svg) VALUES ('overview', '<svg/>')`);
  sqlite.exec(`INSERT INTO trends (name, pens) VALUES ('tanks', '[]')`);
  pictures.configuration?.(sqlite);
  assert.equal(sqlite.prepare('SELECT svg FROM pictures').get()?.svg, '<svg/>');
  assert.equal(sqlite.prepare('SELECT pens FROM trends').get()?.pens, '[]');
});
