import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refused } from '@telltale/stack-kit';
import fc from 'fast-check';
import { Echo, maxWaitingWrites } from './echo.ts';

test('an echo has at any time within its longest delay the value that was last written before', () => {
  const delayUs = 50;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 100 }), fc.nat(delayUs), (waits, agoUs) => {
      const echo = new Echo('x');
      echo.lagBy(delayUs);
      const written: [number, number][] = [];
      let nowUs = 1000;
      for (const [index, wait] of waits.entries()) {
        nowUs += wait;
        echo.write(index, nowUs);
        written.push([nowUs, index]);
      }
      const expected = written.filter(([timeUs]) => timeUs <= nowUs - agoUs).at(-1)?.[1];
      assert.equal(echo.at(nowUs - agoUs), expected);
    }),
  );
});

test('an echo that nobody reads late keeps only the newest writes; one that is full refuses', () => {
  const echo = new Echo('x');
  for (let nowUs = 0; nowUs < 10 * maxWaitingWrites; nowUs++) echo.write(nowUs, nowUs);
  echo.lagBy(1e9);
  for (let more = 1; more < maxWaitingWrites; more++) echo.write(more, 1e6 + more);
  assert.throws(() => echo.write(0, 2e6), new Refused('echo(x): 1000 writes wait for their delay already'));
  echo.write(1, 3e9);
  assert.equal(echo.at(3e9), 1);
});

test('an echo begins with what it is told, until something is written', () => {
  const echo = new Echo('x');
  assert.equal(echo.at(5), undefined);
  echo.begin(7);
  echo.begin(8);
  assert.equal(echo.at(5), 7);
  echo.write(9, 10);
  echo.begin(8);
  assert.deepEqual([echo.at(9), echo.at(10)], [7, 9]);
});
