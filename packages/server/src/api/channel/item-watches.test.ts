import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { Slices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { ItemWatches } from './item-watches.ts';

/** Items whose text is their state, and a client that keeps what it is sent: one list a message. */
function bench(...names: string[]) {
  const clock = new ManualClock();
  const states = new Map(names.map((name) => [name, 0]));
  const watches = new ItemWatches({
    notification: 'ItemNotification',
    list: 'updates',
    clock,
    slices: new Slices(),
    has: (name) => states.has(name),
    isSeenBy: () => true,
    names: () => states.keys(),
    text: (name) => JSON.stringify({ name, state: states.get(name) ?? assert.fail(`${name} is gone`) }),
  });
  const client = () => {
    const reported: string[][] = [];
    const send = (message: string | Buffer[]) => {
      const text = typeof message === 'string' ? message : Buffer.concat(message).toString();
      const { notification, updates } = JSON.parse(text) as { notification: string; updates: Update[] };
      assert.equal(notification, 'ItemNotification');
      reported.push(updates.map(({ name, state, removed }) => `${name} ${state}${removed === true ? ' removed' : ''}`));
    };
    return { reported, client: { send, isOpen: true } as unknown as ChannelClient };
  };
  const change = (name: string) => {
    states.set(name, (states.get(name) ?? 0) + 1);
    watches.changed(name, false);
  };
  return { clock, states, watches, client, change };
}

interface Update {
  readonly name: string;
  readonly state: number;
  readonly removed?: boolean;
}

test('who begins to watch learns what there is, each item once, and then every change, those of a moment at once', () => {
  const { clock, watches, client, change } = bench('a', 'b');
  const { reported, client: one } = client();
  watches.watch(one, ['a', 'a']);
  change('a');
  change('b');
  change('a');
  assert.deepEqual(reported, [['a 0']]);
  clock.advance(20);
  assert.deepEqual(reported, [['a 0'], ['a 1', 'a 2']]);
  change('a');
  clock.advance(20);
  assert.deepEqual(reported.slice(2), [['a 3']]);
  assert.equal(clock.pending, 0);
});

test('who watches none of what there is, or all where there is nothing, learns nothing', () => {
  const { watches, client } = bench();
  const { reported, client: one } = client();
  watches.watch(one, []);
  watches.watchAll(one);
  assert.deepEqual(reported, []);
});

test('no change is reported after what came later: not to who watches once more, and not to who watches all', () => {
  const { clock, watches, client, change } = bench('a');
  const { reported, client: one } = client();
  watches.watch(one, ['a']);
  change('a');
  change('a');
  watches.watch(one, ['a']);
  change('a');
  change('a');
  watches.watchAll(one);
  clock.advance(1000);
  assert.deepEqual(reported, [['a 0'], ['a 1', 'a 2'], ['a 2'], ['a 3', 'a 4'], ['a 4']]);
});

test('who watches no more learns what has changed before, and nothing afterwards', () => {
  const { clock, watches, client, change } = bench('a', 'b');
  const { reported, client: one } = client();
  watches.watchAll(one);
  change('a');
  watches.unwatch(one, ['a']);
  assert.deepEqual(reported, [['a 0', 'b 0'], ['a 1']]);
  change('a');
  change('b');
  clock.advance(1000);
  assert.deepEqual(reported.slice(2), [['b 1']]);
  change('b');
  watches.leave(one);
  assert.deepEqual(reported.slice(3), [['b 2']]);
  change('b');
  clock.advance(1000);
  assert.equal(reported.length, 4);
});

test('an item that goes is reported with its last text; a watch outlives it, and tells when it is back', () => {
  const { clock, states, watches, client, change } = bench('a');
  const [named, all] = [client(), client()];
  watches.watch(named.client, ['a']);
  watches.watchAll(all.client);
  states.delete('a');
  watches.changed('a', true, '{"name":"a","state":7}');
  change('a');
  clock.advance(1000);
  assert.deepEqual(named.reported.slice(1), [['a 7 removed', 'a 1']]);
  assert.deepEqual(all.reported.slice(1), [['a 7 removed', 'a 1']]);
  assert.equal(watches.countOf(named.client), 1);
});
