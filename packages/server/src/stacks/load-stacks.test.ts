import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { loadStacks } from './load-stacks.ts';

const moduleOf = (file: string) => new URL(`../../test/stacks/${file}`, import.meta.url).href;

test('a module that never ends to load, throws or has no stack is named when a stack is missing; the others are found', async () => {
  const clock = new ManualClock();
  const endless = 'data:text/javascript,await new Promise(() => {})';
  const foreign = 'data:text/javascript,export default {name: "other"}';
  const find = loadStacks([endless, moduleOf('broken.ts'), foreign, moduleOf('trial.ts')], clock);
  assert.equal((await find('trial')).name, 'trial');
  while (clock.pending > 1) await new Promise(setImmediate);
  const other = find('other');
  clock.advance(10_000);
  await assert.rejects(other, ({ message }: Error) => {
    assert.match(
      message,
      /^there is no stack other; .*not loaded after 10000 ms; .*broken while it is loaded; .*does not export/s,
    );
    return true;
  });
  assert.equal(clock.pending, 0);
});
