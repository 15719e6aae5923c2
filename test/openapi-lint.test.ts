// The OpenAPI document passes the linter of Redocly, an independent reader of it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';

test('the linter of Redocly finds no error in the OpenAPI document', async () => {
  const source = readFileSync(new URL('../docs/generated/openapi.json', import.meta.url), 'utf8');
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  const errors = found.filter(({ severity }) => severity === 'error');
  assert.deepEqual(
    errors.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`),
    [],
  );
});
