import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { reasons, statements } from './statements.ts';

const tested = new Set(
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts') && file !== 'statements.ts')
    .flatMap((file) => [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/'tck-id-([\w-]+)'/g)])
    .map(([, id = '']) => id),
);

describe('the statements of the Sparkplug specification', () => {
  test('have each a test with its identifier, or a reason why not, and never both', () => {
    assert.equal(new Set(statements).size, statements.length);
    assert.deepEqual(
      statements.filter((id) => tested.has(id) === reasons.has(id)),
      [],
    );
  });

  test('are all that there are tests and reasons of', () => {
    const known = new Set(statements);
    assert.deepEqual(
      [...tested, ...reasons.keys()].filter((id) => !known.has(id)),
      [],
    );
  });
});
