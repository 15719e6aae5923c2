import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScriptedModules } from '../../../test/scripted-modules.ts';
import { localCaller } from '../../access/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { LogWatches } from './log-watches.ts';

/** A client that takes what it is sent when the test says so. */
class SlowClient {
  readonly caller = localCaller;
  readonly reported: string[] = [];
  pendingBytes = 0;
  readonly #drained: (() => void)[] = [];

  send(message: string): void {
    const { notification, lines, skipped } = JSON.parse(message) as {
      notification: string;
      lines: { name: string; text: string }[];
      skipped?: number;
    };
    assert.equal(notification, 'FunctionModuleLogNotification');
    const texts = lines.map(({ name, text }) => `${name}: ${text}`);
    this.reported.push([...texts, ...(skipped === undefined ? [] : [`skipped ${skipped}`])].join(', '));
  }

  onceDrained(listener: () => void): void {
    this.#drained.push(listener);
  }

  /** That wait for it to take what there is. */
  get listeners(): number {
    return this.#drained.length;
  }

  drain(): void {
    this.pendingBytes = 0;
    for (const listener of this.#drained.splice(0)) listener();
  }
}

function bench() {
  const modules = new ScriptedModules(['a', 'b']);
  const watches = new LogWatches(modules);
  const slow = new SlowClient();
  const client = slow as unknown as ChannelClient;
  return { modules, watches, slow, client };
}

const tooMany = (1 << 20) + 1;

test('a client that does not keep up learns how many lines it has missed, once, as soon as it does', () => {
  const { modules, watches, slow, client } = bench();
  watches.watch(client, ['a']);
  modules.print('a', ['1']);
  slow.pendingBytes = tooMany;
  modules.print('a', ['2', '3'], 10);
  modules.print('a', ['4']);
  assert.deepEqual([slow.reported, slow.listeners], [['a: 1'], 1]);
  slow.drain();
  assert.deepEqual(slow.reported, ['a: 1', 'skipped 13']);
  modules.print('a', ['5']);
  assert.deepEqual(slow.reported.slice(2), ['a: 5']);
});

test('what it has missed is reported with the next line, where that comes first', () => {
  const { modules, watches, slow, client } = bench();
  watches.watch(client, ['a']);
  slow.pendingBytes = tooMany;
  modules.print('a', ['1']);
  slow.pendingBytes = 0;
  modules.print('a', ['2'], 5);
  slow.drain();
  assert.deepEqual(slow.reported, ['a: 2, skipped 6']);
});

test('who watches no more, or is gone, learns nothing of what it has missed', () => {
  const ends = [
    ({ watches, client }: ReturnType<typeof bench>) => watches.unwatch(client, ['a', 'b']),
    ({ watches, client }: ReturnType<typeof bench>) => watches.leave(client),
  ];
  for (const end of ends) {
    const each = bench();
    each.watches.watchAll(each.client);
    each.slow.pendingBytes = tooMany;
    each.modules.print('a', ['1']);
    end(each);
    each.slow.drain();
    assert.deepEqual([each.slow.reported, each.modules.watchedLogs], [[], []]);
  }
});

test('the lines of a module are asked for as long as anybody watches it', () => {
  const { modules, watches, client } = bench();
  const other = new SlowClient() as unknown as ChannelClient;
  watches.watch(client, ['b', 'a']);
  watches.watch(other, ['a']);
  assert.deepEqual(modules.watchedLogs, ['a', 'b']);
  watches.leave(client);
  assert.deepEqual(modules.watchedLogs, ['a']);
  watches.watchAll(client);
  assert.equal(modules.watchedLogs, 'all');
  watches.unwatch(client, ['a']);
  assert.deepEqual(modules.watchedLogs, ['a', 'b']);
});
