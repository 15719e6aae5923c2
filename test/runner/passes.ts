// A test file with every good outcome.
import { describe, test } from 'node:test';

describe('a suite', () => {
  test('passes', () => {});
  test('is skipped', { skip: 'there is no such peer' }, () => {});
  test('is to be done', { todo: true }, () => {});
});
