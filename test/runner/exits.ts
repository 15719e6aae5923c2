// A test file that ends its process in the middle of its tests.
import { test } from 'node:test';

test('passes', () => {});
test('ends everything', () => process.exit(0));
test('is never reached', () => {});
