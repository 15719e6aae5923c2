import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema';
import { CommandKeeping } from './command-keeping.ts';
import type { KeptCommand } from './commands.ts';

/** A disk whose answers the test gives, one by one. */
function bench() {
  const clock = new ManualClock();
  const asked: string[] = [];
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const present = new Map<string, string>();
  const ask = (what: string) => {
    asked.push(what);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    answers.push({ resolve, reject });
    return promise;
  };
  const keeper = {
    keepCommand: ({ name, value }: KeptCommand) => ask(`${name}=${value}`),
    forgetCommand: (name: string) => ask(`forget ${name}`),
  };
  const of = (name: string, value: string | undefined) =>
    value === undefined ? undefined : { name, value, timeUs: 1 };
  const keeping = new CommandKeeping(keeper, clock, (name) => of(name, present.get(name)));
  const settle = async (isTaken: boolean) => {
    const answer = answers.shift();
    if (isTaken) answer?.resolve();
    else answer?.reject(new Error('full'));
    await new Promise(setImmediate);
  };
  const keep = (name: string, value: string) => keeping.keep({ name, value, timeUs: 1 });
  return { clock, keeping, asked, present, settle, keep };
}

describe('a value that a device has accepted and the disk has refused', () => {
  test('is kept again every second, as it is by then, until the disk takes it', async () => {
    const { clock, keeping, asked, present, settle } = bench();
    present.set('a', 'd1');
    keeping.keepLater('a');
    clock.advance(1000);
    await settle(false);
    present.set('a', 'd2');
    clock.advance(1000);
    assert.equal(keeping.unkept, 1);
    await settle(true);
    clock.advance(10_000);
    assert.deepEqual([asked, keeping.unkept, clock.waiting], [['a=d1', 'a=d2'], 0, 0]);
  });

  test('never comes to lie over a newer one that is on its way', async () => {
    const { clock, keeping, asked, present, settle, keep } = bench();
    present.set('a', 'd1');
    keeping.keepLater('a');
    const newer = keep('a', 'd2');
    clock.advance(1000);
    assert.deepEqual(asked, ['a=d2']);
    await settle(true);
    await newer;
    clock.advance(10_000);
    assert.deepEqual([asked, keeping.unkept], [['a=d2'], 0]);
  });

  test('is dropped when its command is gone', async () => {
    const { clock, keeping, asked, present, settle } = bench();
    present.set('a', 'd1').set('b', 'd1');
    keeping.keepLater('a');
    keeping.keepLater('b');
    present.delete('a');
    keeping.forget('b');
    clock.advance(1000);
    await settle(true);
    assert.deepEqual([asked, keeping.unkept, clock.waiting], [['forget b'], 0, 0]);
  });

  test('is brought to disk once more at the end, and no more after it', async () => {
    const { clock, keeping, asked, present, settle } = bench();
    present.set('a', 'd1');
    keeping.keepLater('a');
    keeping.close();
    await settle(false);
    clock.advance(10_000);
    assert.deepEqual([asked, clock.waiting], [['a=d1'], 0]);
  });
});
