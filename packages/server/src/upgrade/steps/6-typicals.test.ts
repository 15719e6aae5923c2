import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { typicals } from './6-typicals.ts';

test('the configuration gets tables of what was generated, which are empty; twice is as once', () => {
  using sqlite = new DatabaseSync(':memory:');
  for (let time = 0; time < 2; time++) {
    typicals.configuration?.(sqlite);
    assert.deepEqual(sqlite.prepare('SELECT type, family, madeName, name, instance, made FROM typicals').all(), []);
    assert.deepEqual(sqlite.prepare('SELECT revision, made FROM typical_revisions').all(), []);
  }
});
