// Fails when it is run for the first time.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

test('passes the second time', () => {
  const { RAN_BEFORE = '' } = process.env;
  const isSecond = existsSync(RAN_BEFORE);
  writeFileSync(RAN_BEFORE, '');
  assert.ok(isSecond);
});
