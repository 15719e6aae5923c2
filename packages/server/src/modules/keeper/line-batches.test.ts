import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LogLine } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { linesPeriodMs, maxLinesBytes } from './keeper-messages.ts';
import type { ModuleLines } from './keeper-protocol.ts';
import { LineBatches } from './line-batches.ts';

const line = (text: string): LogLine => ({ t: [0, 0], stream: 'out', text });

/** Takes each batch when it is told to. */
function setUp() {
  const clock = new ManualClock();
  const batches: (readonly ModuleLines[])[] = [];
  let take: (() => void) | undefined;
  const lines = new LineBatches(clock, (batch, onTaken) => {
    assert.equal(take, undefined, 'one at a time');
    batches.push(batch);
    take = onTaken;
  });
  const taken = () => {
    const taking = take;
    take = undefined;
    taking?.();
  };
  return { clock, lines, batches, taken };
}

describe('lines on their way to the server', () => {
  test('go at once after a pause, then gathered, one message a period', () => {
    const { clock, lines, batches, taken } = setUp();
    lines.watch('all');
    lines.add('a', [line('1')]);
    clock.advance(0);
    taken();
    lines.add('a', [line('2')]);
    lines.add('b', [line('3')]);
    clock.advance(linesPeriodMs - 1);
    assert.equal(batches.length, 1);
    clock.advance(1);
    assert.deepEqual(batches, [
      [{ module: 'a', lines: [line('1')], skipped: 0 }],
      [
        { module: 'a', lines: [line('2')], skipped: 0 },
        { module: 'b', lines: [line('3')], skipped: 0 },
      ],
    ]);
  });

  test('wait while a message is on its way, and nothing is sent where nobody watches', () => {
    const { clock, lines, batches, taken } = setUp();
    lines.add('a', [line('unseen')]);
    lines.watch(['a']);
    lines.add('a', [line('1')]);
    lines.add('b', [line('unseen')]);
    clock.advance(0);
    lines.add('a', [line('2')]);
    clock.advance(10 * linesPeriodMs);
    assert.deepEqual(batches, [[{ module: 'a', lines: [line('1')], skipped: 0 }]]);
    taken();
    clock.advance(0);
    assert.deepEqual(batches[1], [{ module: 'a', lines: [line('2')], skipped: 0 }]);
  });

  test('of a module that floods leave out its own, not those of others', () => {
    const { clock, lines, batches } = setUp();
    lines.watch('all');
    lines.add('quiet', [line('here')]);
    for (let count = 0; count < 100; count++)
      lines.add(
        'flood',
        Array.from({ length: 100 }, () => line('y'.repeat(100))),
      );
    clock.advance(0);
    const [quiet, flood] = batches[0] as [ModuleLines, ModuleLines];
    assert.deepEqual(quiet, { module: 'quiet', lines: [line('here')], skipped: 0 });
    assert.equal(flood.lines.length + flood.skipped, 10_000);
  });

  test('are in order, within the bound, and every one that is not reported is counted', () => {
    const step = fc.oneof(
      fc.record({ module: fc.constantFrom('a', 'b', '__proto__'), length: fc.integer({ min: 0, max: 40_000 }) }),
      fc.constantFrom('advance', 'taken'),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const { clock, lines, batches, taken } = setUp();
        const given = new Map<string, string[]>();
        lines.watch('all');
        for (const [index, each] of steps.entries()) {
          if (each === 'advance') clock.advance(30);
          else if (each === 'taken') taken();
          else {
            const text = `${index} `.padEnd(each.length, '.');
            given.set(each.module, [...(given.get(each.module) ?? []), text]);
            lines.add(each.module, [line(text)]);
          }
        }
        for (let round = 0; round < 3; round++) {
          taken();
          clock.advance(linesPeriodMs);
        }
        for (const batch of batches) {
          const bytes = batch.flatMap((each) => each.lines).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
          assert.ok(bytes <= maxLinesBytes);
        }
        for (const [module, texts] of given) {
          let at = 0;
          for (const each of batches.flat().filter((lines) => lines.module === module)) {
            at += each.skipped;
            assert.deepEqual(
              each.lines.map(({ text }) => text),
              texts.slice(at, at + each.lines.length),
            );
            at += each.lines.length;
          }
          assert.equal(at, texts.length);
        }
      }),
    );
  });
});
