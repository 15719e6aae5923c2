import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PacedWork } from './paced-work.ts';

function* slowly(count: number, done: number[]): Generator<void> {
  for (let at = 0; at < count; at++) {
    const endMs = performance.now() + 5;
    while (performance.now() < endMs);
    done.push(at);
    yield;
  }
}

describe('paced work', () => {
  test('is done whole, in order, and lets others have their turn meanwhile', async () => {
    const [work, done] = [new PacedWork(), [] as number[]];
    const ended = work.start(slowly(30, done));
    const atFirst = done.length;
    assert.ok(atFirst > 0 && atFirst < 30);
    await new Promise(setImmediate);
    assert.ok(done.length < 30);
    await ended;
    assert.deepEqual(
      done,
      Array.from({ length: 30 }, (_, at) => at),
    );
  });

  test('is given up for other work, and when it is stopped', async () => {
    const work = new PacedWork();
    const [first, second]: [number[], number[]] = [[], []];
    const given = work.start(slowly(1000, first));
    const other = work.start(slowly(2, second));
    await Promise.all([given, other]);
    assert.ok(first.length < 1000);
    assert.deepEqual(second, [0, 1]);
    const stopped = work.start(slowly(1000, first));
    work.stop();
    await stopped;
    const count = first.length;
    await new Promise(setImmediate);
    assert.equal(first.length, count);
  });

  test('is given up where a step throws, and whoever waits for it is informed', async () => {
    const [work, done] = [new PacedWork(), [] as number[]];
    function* steps() {
      yield* slowly(10, done);
      throw new Error('no');
    }
    await assert.rejects(work.start(steps()), /^Error: no$/);
    await work.start(slowly(1, done));
    assert.equal(done.length, 11);
  });
});
