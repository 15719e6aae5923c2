import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@telltale/schema/testing';
import type { BrokerLink } from '../broker-link.ts';
import { Payload } from '../payload.ts';
import { HostState } from './host-state.ts';

const topic = 'spBv1.0/STATE/scada';

/** A link whose broker acknowledges when it is told to. */
function setUp(hostId = 'scada') {
  const clock = new ManualClock();
  const state = new HostState({ clock, hostId });
  const said: { online: boolean; timestamp: number }[] = [];
  const waiting: PromiseWithResolvers<number>[] = [];
  const broker = { hasRoom: true };
  const link = {
    isUp: true,
    publish: (_topic: string, text: string) => {
      if (!broker.hasRoom) throw new Error('no room');
      said.push(JSON.parse(text));
      const acknowledged = Promise.withResolvers<number>();
      waiting.push(acknowledged);
      return acknowledged.promise;
    },
  } as unknown as BrokerLink;
  const acknowledge = async () => {
    waiting.shift()?.resolve(0);
    await turn();
  };
  const hear = (text: string, at = topic) => state.hear(at, new Payload().load(Buffer.from(text)));
  return { clock, state, said, link, broker, acknowledge, hear };
}

describe('the STATE of a host application', () => {
  test('is born with the time of its last will, and answers every death; those before an acknowledgement share the next answer', async () => {
    const { clock, state, said, link, acknowledge, hear } = setUp();
    const { will } = state.will();
    const birth = { online: true, timestamp: clock.now() / 1000 };
    assert.deepEqual(JSON.parse(String(will?.payload)), { ...birth, online: false });
    clock.advance(50);
    hear('{"online":false,"timestamp":1}');
    assert.deepEqual(said, []);
    state.begin(link);
    assert.deepEqual(said, [birth]);
    // The broker may have taken these before the birth, or after it.
    for (let at = 0; at < 5; at++) hear(`{"online":false,"timestamp":${at}}`);
    assert.deepEqual(said, [birth]);
    await acknowledge();
    assert.deepEqual(said, [birth, birth]);
    await acknowledge();
    assert.deepEqual(said, [birth, birth]);
    for (const answers of [3, 4, 5]) {
      hear('{"online":false,"timestamp":9}');
      assert.equal(said.length, answers);
      await acknowledge();
    }
    for (const text of ['{"online":true,"timestamp":9}', 'offline', '', '{}']) hear(text);
    hear('{"online":false,"timestamp":9}', 'spBv1.0/STATE/another');
    assert.equal(said.length, 5);
  });

  test('is said again as soon as the broker has room for it', async () => {
    const { clock, state, said, link, broker, hear } = setUp();
    state.will();
    broker.hasRoom = false;
    state.begin(link);
    await turn();
    hear('{"online":false,"timestamp":1}');
    assert.deepEqual(said, []);
    broker.hasRoom = true;
    clock.advance(100);
    assert.equal(said.length, 1);
  });

  test('ends with a death of now; where the broker has no room for it, the last will has to do', () => {
    const { clock, state, said, link, broker } = setUp();
    state.will();
    state.begin(link);
    clock.advance(5000);
    assert.equal(state.end(), true);
    assert.deepEqual(said.at(-1), { online: false, timestamp: clock.now() / 1000 });
    state.begin(link);
    broker.hasRoom = false;
    assert.equal(state.end(), false);
  });

  test('of none says nothing, and subscribes to nothing', () => {
    const { state, said, link } = setUp('');
    assert.deepEqual([state.will(), state.subscriptions], [{}, []]);
    state.begin(link);
    assert.equal(state.end(), true);
    assert.deepEqual(said, []);
  });
});
