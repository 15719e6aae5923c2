import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotConnected } from '../connector.ts';
import { isThrown, reasonOf } from './stack-error.ts';

test('whatever was thrown has a reason, which is short', () => {
  const nameless = Object.assign(new Error(''), { name: 'ECONNRESET' });
  assert.deepEqual([nameless, 'text', undefined].map(reasonOf), ['ECONNRESET', "'text'", 'undefined']);
  assert.equal(reasonOf(new Error('x'.repeat(501))), `${'x'.repeat(500)}…`);
});

test('an error that throws when it is read is none of those that are known, and harms nobody', () => {
  const read = () => {
    throw new Error('never');
  };
  const hostile = Object.defineProperties(new Error(), { name: { get: read }, message: { get: read } });
  assert.deepEqual([isThrown('Fatal', hostile), reasonOf(hostile)], [false, 'an error that cannot be shown']);
});

test('an error of another copy of the kit is known by its name', () => {
  const other = Object.assign(new Error('gone'), { name: 'NotConnected' });
  assert.deepEqual([isThrown('NotConnected', other), isThrown('NotConnected', new NotConnected('gone'))], [true, true]);
  assert.deepEqual([isThrown('Refused', other), isThrown('NotConnected', { name: 'NotConnected' })], [false, false]);
});
