import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disabledLinks } from './5-disabled-links.ts';

test('nothing that is stored changes: what is disabled is stored as what is simulated is', () => {
  assert.deepEqual([disabledLinks.configuration, disabledLinks.state], [undefined, undefined]);
});
