import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refused } from '@telltale/stack-kit';
import fc from 'fast-check';
import { Echo, maxPendingWrites } from './echo.ts';

test('an echo has at any time within its longest delay the value that was last written before', () => {
  const delayMs = 50;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 100 }), fc.nat(delayMs), (waits, agoMs) => {
      const echo = new Echo('x');
      echo.lagBy(delayMs);
      const written: [number, number][] = [];
      let nowMs = 1000;
      for (const [index, wait] of waits.entries()) {
        nowMs += wait;
        echo.write(index, nowMs);
        written.push([nowMs, index]);
      }
      const expected = written.filter(([timeMs]) => timeMs <= nowMs - agoMs).at(-1)?.[1];
      assert.equal(echo.at(nowMs - agoMs), expected);
    }),
  );
});

test('an echo that nobody reads late keeps only the newest writes; one that is full refuses', () => {
  const echo = new Echo('x');
  for (let nowMs = 0; nowMs < 10 * maxPendingWrites; nowMs++) echo.write(nowMs, nowMs);
  echo.lagBy(1e9);
  for (let more = 1; more < maxPendingWrites; more++) echo.write(more, 1e6 + more);
  assert.throws(() => echo.write(0, 2e6), new Refused('echo(x): 1000 delayed writes are pending already'));
  echo.write(1, 3e9);
  assert.equal(echo.at(3e9), 1);
});

test('an echo begins with its given value, until something is written', () => {
  const echo = new Echo('x');
  assert.equal(echo.at(5), undefined);
  echo.begin(7);
  echo.begin(8);
  assert.equal(echo.at(5), 7);
  echo.write(9, 10);
  echo.begin(8);
  assert.deepEqual([echo.at(9), echo.at(10)], [7, 9]);
});
