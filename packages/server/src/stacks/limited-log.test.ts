import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { createLimitedLog } from './limited-log.ts';

test('a stack that never stops talking gets 100 lines in 10 s, and what is left out is counted', () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = createLimitedLog(clock, (level, text) => lines.push(`${level} ${text}`));
  for (let i = 0; i < 1000; i++) log.info(`line ${i}`);
  assert.equal(lines.length, 100);
  clock.advance(10_000);
  log.error('x'.repeat(1e6));
  log.warn({} as string);
  assert.match(lines[100] ?? '', /^warn 900 lines of the log were left out/);
  assert.ok((lines[101]?.length ?? 0) < 2100);
  assert.equal(lines[102], 'warn a line that is no text');
});

test('a time of day that is set gives a stack neither more lines nor fewer', () => {
  for (const byMs of [-3_600_000, 3_600_000]) {
    const clock = new ManualClock();
    const lines: string[] = [];
    const log = createLimitedLog(clock, (_, text) => lines.push(text));
    for (let i = 0; i < 101; i++) log.info('x');
    clock.jump(byMs);
    log.info('one too many');
    assert.equal(lines.length, 100);
    clock.advance(10_000);
    log.info('after');
    assert.equal(lines.at(-1), 'after');
  }
});
