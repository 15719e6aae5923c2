// Promises of what clients of providers may do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import { admitClient } from './provider-clients.ts';

const asked = (name: string, properties: Record<string, string> = {}) =>
  ({ provider: 'panel', properties, permission: 'write', name }) as const;

test('while there are no users, a provider does everything, and its clients say who they are', () => {
  const client = admitClient(asked('valve'), true);
  assert.equal(client.author, 'provider/panel');
  assert.equal(client.authorityOr('anna'), 'anna');
});

test('where there are users, a provider does what its list names, as itself whatever a client says', () => {
  for (const writes of ['valve', 'pump, valve', 'val*', '*']) {
    const client = admitClient(asked('valve', { writes }), false);
    assert.equal(client.author, 'provider/panel');
    assert.equal(client.authorityOr('anna'), 'provider/panel');
  }
});

test('anything else is refused, and the refusal names the provider and the object', () => {
  const hostile = JSON.parse('{"__proto__": {"writes": "*"}}');
  for (const properties of [
    {},
    { writes: '' },
    { writes: 'valves' },
    { writes: 'pump*' },
    { write: 'valve' },
    hostile,
  ]) {
    assert.throws(
      () => admitClient(asked('valve', properties), false),
      (error) =>
        error instanceof ProblemError &&
        error.problem === 'not-allowed' &&
        error.message === 'properties.writes of provider panel does not list "valve".',
    );
  }
});
