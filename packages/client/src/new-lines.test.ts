import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogLine } from '@telltale/schema';
import { newLines } from './new-lines.ts';

const line = (second: number, text: string, stream: LogLine['stream'] = 'out'): LogLine => ({
  t: [second, 0],
  stream,
  text,
});

const newOf = (read: readonly LogLine[], reported: readonly LogLine[]) => reported.filter(newLines(read));

test('lines that were read are not new when they are reported, nor are those before them', () => {
  const read = [line(2, 'b'), line(3, 'c')];
  assert.deepEqual(newOf(read, [line(1, 'a'), line(2, 'b'), line(3, 'c'), line(4, 'd')]), [line(4, 'd')]);
  assert.deepEqual(newOf([], [line(1, 'a')]), [line(1, 'a')]);
});

test('of lines that are alike, their time included, as many are new as were not read', () => {
  const [before, x] = [line(1, 'a'), line(2, 'x')];
  assert.deepEqual(newOf([before, x], [x, x, x]), [x, x]);
  assert.deepEqual(newOf([before, x, x], [x, x]), []);
  assert.deepEqual(newOf([before, x], [line(2, 'x', 'err'), x]), [line(2, 'x', 'err')]);
});

test('lines are new though their time is before that of those that were read, since the clock was set back', () => {
  const read = [line(2, 'b'), line(3, 'c')];
  assert.deepEqual(newOf(read, [line(3, 'c'), line(1, 'd')]), [line(1, 'd')]);
});
