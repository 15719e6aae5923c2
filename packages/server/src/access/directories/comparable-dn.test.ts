// Promises of comparing distinguished names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { comparableDn } from './comparable-dn.ts';

test('names that differ in case and in spaces between their parts are the same', () => {
  assert.equal(comparableDn('CN=Operators, OU=Groups ,DC = plant'), 'cn=operators,ou=groups,dc=plant');
});

test('names with other parts are others, whatever is escaped or in quotes', () => {
  const names = [
    'cn=a,ou=b',
    'cn=a\\,ou=b',
    'cn="a,ou=b"',
    'cn=a\\,ou\\=b',
    'cn=a',
    'cn=a\\ ',
    'cn=a b,ou=b',
    'cn=ab,ou=b',
  ];
  assert.equal(new Set(names.map(comparableDn)).size, names.length);
});

test('the form of a name is its own form', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.equal(comparableDn(comparableDn(text)), comparableDn(text));
    }),
  );
});
