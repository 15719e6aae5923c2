import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { BackOff, NotConnected } from '@telltale/stack-kit';
import { BrokerList } from './broker-list.ts';
import stack from './stack.ts';

/** Brokers a, b and c, each of them there, gone, silent or unwelcoming. */
class Brokers {
  readonly clock = new ManualClock();
  readonly list: BrokerList;
  readonly state = new Map<string, 'gone' | 'silent' | 'unwelcoming'>();
  tried: string[] = [];
  closed = 0;

  constructor(otherBrokers = 'b:1, c:1') {
    const { values } = stack.connector?.readVariables({ host: 'a', port: '1', otherBrokers }) ?? {};
    this.list = new BrokerList((values ?? assert.fail()) as ConstructorParameters<typeof BrokerList>[0], this.clock);
  }

  /** Which is used. */
  async connect(signal = new AbortController().signal): Promise<string | undefined> {
    this.tried = [];
    await this.list.connect(
      signal,
      async ({ host }, wanted) => {
        this.tried.push(host);
        const state = this.state.get(host);
        if (state === 'gone') throw new NotConnected('ECONNREFUSED');
        if (state === 'unwelcoming') throw new BackOff(30_000, 'not authorized');
        if (state !== 'silent') return;
        const { promise, reject } = Promise.withResolvers<never>();
        wanted.addEventListener('abort', () => reject(wanted.reason));
        await promise;
      },
      async () => void this.closed++,
    );
    return this.tried.at(-1);
  }

  get detail() {
    return this.list.detail().map(({ name, isUp, lastError }) => [name, isUp, lastError]);
  }
}

describe('a list of brokers', () => {
  test('is used in its order, and the next one is used where one is lost', async () => {
    const brokers = new Brokers();
    assert.equal(await brokers.connect(), 'a');
    assert.deepEqual(brokers.detail, [['mqtt://a:1', true, undefined]]);
    brokers.list.lost('reset');
    brokers.state.set('a', 'gone');
    assert.equal(await brokers.connect(), 'b');
    assert.deepEqual(brokers.tried, ['b']);
    assert.deepEqual(brokers.detail, [
      ['mqtt://a:1', false, 'reset'],
      ['mqtt://b:1', true, undefined],
    ]);
    brokers.list.lost('silence');
    brokers.state.set('c', 'gone');
    brokers.state.delete('a');
    assert.equal(await brokers.connect(), 'a');
    assert.deepEqual(brokers.tried, ['c', 'a']);
    assert.equal(brokers.closed, 1, 'what the attempt at c has left is closed');
  });

  test('is not left for another broker as long as the one in use was not lost', async () => {
    const brokers = new Brokers();
    brokers.state.set('a', 'gone');
    assert.equal(await brokers.connect(), 'b');
    brokers.state.clear();
    assert.equal(await brokers.connect(), 'b');
  });

  test('gives each its share of the time, and says what is wrong with each where none can be used', async () => {
    const brokers = new Brokers();
    brokers.state.set('a', 'gone').set('b', 'silent').set('c', 'silent');
    const connecting = brokers.connect();
    const failed = assert.rejects(connecting, {
      name: 'NotConnected',
      message:
        'no broker can be used: mqtt://a:1: ECONNREFUSED; mqtt://b:1: no answer for 3000 ms; mqtt://c:1: no answer for 3000 ms',
    });
    for (const host of ['b', 'c']) {
      while (brokers.tried.at(-1) !== host) await Promise.resolve();
      brokers.clock.advance(3000);
    }
    await failed;
    assert.equal(brokers.closed, 3);
  });

  test('leaves those alone that have asked for it, and all of them where all have', async () => {
    const brokers = new Brokers();
    brokers.state.set('a', 'unwelcoming').set('b', 'gone').set('c', 'gone');
    await assert.rejects(brokers.connect(), { name: 'NotConnected' });
    brokers.clock.advance(1000);
    await assert.rejects(brokers.connect(), { name: 'NotConnected' });
    assert.deepEqual(brokers.tried, ['b', 'c']);
    brokers.state.set('b', 'unwelcoming').set('c', 'unwelcoming');
    await assert.rejects(brokers.connect(), { name: 'BackOff', ms: 29_000 });
    brokers.clock.advance(29_000);
    brokers.state.clear();
    assert.equal(await brokers.connect(), 'a');
  });

  test('ends when it is aborted, with the reason', async () => {
    const brokers = new Brokers();
    brokers.state.set('a', 'silent');
    const controller = new AbortController();
    const connecting = brokers.connect(controller.signal);
    controller.abort(new Error('stopped'));
    await assert.rejects(connecting, { message: 'stopped' });
    assert.deepEqual(brokers.tried, ['a']);
  });

  test('of one has no time limit and no words of its own', async () => {
    const brokers = new Brokers('');
    brokers.state.set('a', 'unwelcoming');
    await assert.rejects(brokers.connect(), { name: 'BackOff', ms: 30_000, message: 'not authorized' });
    assert.deepEqual(brokers.detail, []);
    await assert.rejects(brokers.connect(), { message: 'not authorized' });
  });
});
