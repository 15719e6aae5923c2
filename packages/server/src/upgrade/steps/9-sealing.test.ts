import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sealing } from './9-sealing.ts';

test('a database of before has no mark of how its secrets are sealed, so that all are sealed; twice is as once', () => {
  using sqlite = new DatabaseSync(':memory:');
  for (let times = 0; times < 2; times++) sealing.configuration?.(sqlite);
  assert.deepEqual(sqlite.prepare('SELECT mark FROM sealing').all(), []);
});
