import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ChannelClient } from './channel-client.ts';
import { Watchers } from './watchers.ts';

const names = ['a', 'b', '__proto__', 'constructor'];
const clients = [0, 1, 2].map((number) => ({ number }) as unknown as ChannelClient);

interface Step {
  readonly act: 'add' | 'addAll' | 'remove' | 'leave' | 'forget';
  readonly client: ChannelClient;
  readonly names: string[];
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom('add', 'addAll', 'remove', 'leave', 'forget'),
  client: fc.constantFrom(...clients),
  names: fc.subarray(names),
});

test('who watches what is as if each client had a plain list of names', () => {
  const property = fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
    const watchers = new Watchers();
    const model = new Map<ChannelClient, 'all' | Set<string>>(clients.map((client) => [client, new Set()]));
    const clearing: Iterator<void>[] = [];
    for (const step of steps) {
      const later = run(watchers, step);
      if (later !== undefined) clearing.push(later);
      runModel(model, step);
      check(watchers, model);
    }
    for (const later of clearing) finish(later);
    check(watchers, model, 'cleared');
  });
  fc.assert(property, { numRuns: 500 });
});

/** Gives what clears up behind it; what is watched does not depend on it. */
function run(watchers: Watchers, { act, client, names: some }: Step): Iterator<void> | undefined {
  if (act === 'addAll') return watchers.addAll(client);
  if (act === 'leave') return watchers.leave(client);
  if (act === 'add') for (const name of some) watchers.add(client, name);
  else if (act === 'forget') for (const name of some) watchers.take(name, () => true);
  else finish(watchers.remove(client, some, () => names));
  return undefined;
}

function finish(steps: Iterator<void>): void {
  while (steps.next().done !== true);
}

function runModel(model: Map<ChannelClient, 'all' | Set<string>>, { act, client, names: some }: Step): void {
  const before = model.get(client) as 'all' | Set<string>;
  if (act === 'add' && before !== 'all') model.set(client, new Set([...before, ...some]));
  if (act === 'addAll') model.set(client, 'all');
  if (act === 'leave') model.set(client, new Set());
  const withoutSome = (watched: Iterable<string>) => new Set([...watched].filter((name) => !some.includes(name)));
  if (act === 'remove') model.set(client, withoutSome(before === 'all' ? names : before));
  if (act !== 'forget') return;
  for (const [each, watched] of model) if (watched !== 'all') model.set(each, withoutSome(watched));
}

function check(watchers: Watchers, model: Map<ChannelClient, 'all' | Set<string>>, state?: 'cleared'): void {
  const lists = [...model.values()];
  const some = lists.filter((watched) => watched !== 'all');
  assert.equal(watchers.count, lists.length - some.length + some.reduce((sum, { size }) => sum + size, 0));
  const all = lists.includes('all');
  const watched = watchers.watched();
  if (all) assert.equal(watched, 'all');
  else assert.deepEqual(new Set(watched), new Set(some.flatMap((list) => [...list])));
  for (const client of clients) {
    const list = model.get(client) as 'all' | Set<string>;
    assert.equal(watchers.countOf(client), list === 'all' ? 0 : list.size);
  }
  for (const name of names) {
    const wanted = clients.filter((client) => {
      const list = model.get(client);
      return list === 'all' || list?.has(name);
    });
    const reported: ChannelClient[] = [];
    watchers.forEach(name, (client) => reported.push(client));
    assert.deepEqual(new Set(reported), new Set(wanted));
    assert.equal(reported.length, wanted.length);
    if (wanted.length > 0 || state === 'cleared') assert.equal(watchers.isWatched(name), wanted.length > 0);
  }
}
