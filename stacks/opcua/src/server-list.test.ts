import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { type Health, healthOf, ServerList } from './server-list.ts';

test('the health of a server follows its ServerState and ServiceLevel', () => {
  const cases: [unknown, unknown, Health][] = [
    [0, 255, 'healthy'],
    [0, 200, 'healthy'],
    [0, 199, 'degraded'],
    [0, 2, 'degraded'],
    [0, 1, 'unusable'],
    [0, 0, 'unusable'],
    [3, 255, 'unusable'],
    [undefined, undefined, 'healthy'],
  ];
  for (const [state, level, health] of cases) assert.equal(healthOf(state, level), health, `${state} ${level}`);
});

describe('a list of servers', () => {
  class Servers {
    readonly clock = new ManualClock();
    readonly list = new ServerList(['a', 'b', 'c'], this.clock);
    readonly health = new Map<string, Health | 'gone' | 'silent'>();
    readonly open = new Set<string>();
    readonly tried: string[] = [];

    connect(signal = new AbortController().signal): Promise<{ readonly url: string }> {
      return this.list.connect(
        signal,
        async (url, attempt) => {
          this.tried.push(url);
          const health = this.health.get(url);
          if (health === 'gone') throw new Error('ECONNREFUSED');
          if (health === 'silent') {
            const { promise, reject } = Promise.withResolvers<never>();
            attempt.addEventListener('abort', () => reject(attempt.reason));
            await promise;
          }
          this.open.add(url);
          return { url, close: async () => void this.open.delete(url) };
        },
        async ({ url }) => (this.health.get(url) ?? 'healthy') as Health,
      );
    }
  }

  test('is used in its order, and the next one stands in for one that is lost', async () => {
    const servers = new Servers();
    assert.equal((await servers.connect()).url, 'a');
    assert.equal(servers.list.used, 'a');
    servers.list.lost('the link was lost');
    assert.equal(servers.list.used, undefined);
    servers.health.set('a', 'gone');
    assert.equal((await servers.connect()).url, 'b');
    servers.list.lost('lost');
    servers.health.set('c', 'gone').set('b', 'gone');
    servers.health.delete('a');
    assert.equal((await servers.connect()).url, 'a');
    assert.deepEqual(
      servers.list.detail().map(({ name, isUp, lastError }) => [name, isUp, lastError]),
      [
        ['a', true, 'the link was lost'],
        ['b', false, 'lost'],
        ['c', false, 'ECONNREFUSED'],
      ],
    );
  });

  test('gives the healthiest, and leaves no other link open', async () => {
    const servers = new Servers();
    servers.health.set('a', 'degraded').set('b', 'unusable');
    assert.equal((await servers.connect()).url, 'c');
    assert.deepEqual([...servers.open], ['c']);
    servers.health.set('c', 'degraded');
    servers.open.clear();
    servers.list.lost('degraded');
    assert.equal((await servers.connect()).url, 'a', 'the first that is degraded, where none is healthy');
    assert.deepEqual([...servers.open], ['a']);
  });

  test('does not wait for long for one that is silent', async () => {
    const servers = new Servers();
    servers.health.set('a', 'silent');
    const connected = servers.connect();
    servers.clock.advance(3000);
    assert.equal((await connected).url, 'b');
    assert.match(servers.list.detail()[0]?.lastError ?? '', /no answer for 3000 ms/);
  });

  test('of which none can be used says what is wrong with each', async () => {
    const servers = new Servers();
    servers.health.set('a', 'gone').set('b', 'unusable').set('c', 'gone');
    await assert.rejects(servers.connect(), {
      name: 'NotConnected',
      message: /a: ECONNREFUSED; b: its ServerState or ServiceLevel .*; c: ECONNREFUSED$/,
    });
    assert.equal(servers.open.size, 0);
  });

  test('is given up when it is told to, with every link closed', async () => {
    const servers = new Servers();
    servers.health.set('a', 'degraded').set('b', 'silent');
    const stop = new AbortController();
    const connected = servers.connect(stop.signal);
    await new Promise(setImmediate);
    stop.abort(new Error('stopped'));
    await assert.rejects(connected, { message: 'stopped' });
    assert.equal(servers.open.size, 0);
  });
});
