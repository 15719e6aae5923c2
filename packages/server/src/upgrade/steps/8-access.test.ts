import assert from 'node:assert/strict';
import { test } from 'node:test';
import { access } from './8-access.ts';

test('nothing that is stored changes: a folder of before has no users', () => {
  assert.deepEqual([access.configuration, access.state, access.access], [undefined, undefined, undefined]);
});
