import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantsOfSites } from './11-grants-of-sites.ts';

test('nothing that is stored changes: the grants of before are for all sites', () => {
  const { configuration, state, access } = grantsOfSites;
  assert.deepEqual([configuration, state, access], [undefined, undefined, undefined]);
});
