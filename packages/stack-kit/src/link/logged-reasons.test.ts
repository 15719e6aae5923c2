import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoggedReasons } from './logged-reasons.ts';

test('each reason of an outage is news once, of ten at most, and again after the link was up', () => {
  const reasons = new LoggedReasons();
  assert.deepEqual(
    ['a', 'b', 'a', 'b'].map((reason) => reasons.isNews(reason)),
    [true, true, false, false],
  );
  const many = Array.from({ length: 1000 }, (_, at) => reasons.isNews(`reason ${at}`));
  assert.equal(many.filter(Boolean).length, 8);
  reasons.clear();
  assert.ok(reasons.isNews('a'));
});
