import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import type { IPublishPacket } from 'mqtt';
import { CommandAnswers } from './command-answers.ts';
import { readCommand } from './command-settings.ts';
import { Payload } from './payload.ts';

const lateMs = 60_000;

function world() {
  const clock = new ManualClock();
  const answers = new CommandAnswers({ clock, lateMs, refused: new Map() });
  const outcomes: string[] = [];
  let ids = 0;
  /** As a write of a command with these properties does. */
  const ask = (properties: Record<string, string> = {}, expected?: string, address = 'valve/set') => {
    const { settings, fault } = readCommand(
      address,
      { datatype: 'd', properties: { ackTopic: 'valve/answer', ...properties } },
      { qos: '1', retain: false },
    );
    if (settings === undefined) throw new Error(fault);
    const id = `id${++ids}`;
    const answer = answers.await(settings, id, expected);
    if (typeof answer === 'string') throw new Error(answer);
    answer.promise.then(({ kind }) => outcomes.push(`${id} ${kind}`));
    return answer;
  };
  const hear = async (text: string, correlation?: string) => {
    const properties = correlation === undefined ? {} : { correlationData: Buffer.from(correlation) };
    const packet = { retain: false, properties } as IPublishPacket;
    answers.hear('valve/answer', new Payload().load(Buffer.from(text)), packet);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { clock, answers, outcomes, ask, hear };
}

const cannotBeReported = { message: /an earlier command has not been answered at valve\/answer/ };

describe('an answer that comes late', () => {
  test('is awaited before the next command is sent, and is not taken for its answer', async () => {
    const { ask, hear, outcomes } = world();
    ask().end(true);
    assert.throws(() => ask(), cannotBeReported);
    await hear('ok');
    ask();
    assert.deepEqual(outcomes, []);
    await hear('no');
    assert.deepEqual(outcomes, ['id3 refused']);
  });

  test('is given up after a while, which begins again with a new connection', () => {
    const { ask, answers, clock } = world();
    ask().end(true);
    clock.advance(lateMs - 1);
    assert.throws(() => ask(), cannotBeReported);
    answers.end();
    answers.begin();
    clock.advance(lateMs - 1);
    assert.throws(() => ask(), cannotBeReported);
    clock.advance(1);
    ask();
  });

  test('is not awaited of a command that the device does not have, or has answered', async () => {
    const { ask, hear, outcomes } = world();
    ask().end(false);
    const answered = ask();
    await hear('ok');
    answered.end(true);
    ask();
    assert.deepEqual(outcomes, ['id2 accepted']);
  });

  test('of a state stands in the way of the same state alone', async () => {
    const { ask, hear, outcomes } = world();
    const state = { ackTopic: 'valve/answer#/v', ackExpect: '{value}' };
    ask(state, '7').end(true);
    assert.throws(() => ask(state, '7'), cannotBeReported);
    ask({ ...state, ackTopic: 'valve/answer#/w' }, '7').end(false);
    const three = ask(state, '3');
    await hear('{"v":7}');
    await hear('{"v":3}');
    three.end(false);
    assert.deepEqual(outcomes, ['id4 accepted']);
    ask(state, '7');
  });

  test('with the identifier of its command stands in nobody’s way who has one, and in that of others', async () => {
    const { ask, hear, outcomes } = world();
    const own = { payload: '{"id":"{id}"}', ackTopic: 'valve/answer#/r', ackId: '/id' };
    ask(own).end(true);
    const next = ask(own);
    await hear('{"id":"id1","r":"ok"}');
    assert.deepEqual(outcomes, []);
    await hear('{"id":"id2","r":"ok"}');
    assert.deepEqual(outcomes, ['id2 accepted']);
    next.end(true);
    ask(own).end(true);
    assert.throws(() => ask(), cannotBeReported);
    const pending = ask(own);
    assert.throws(() => ask(), { message: /another command waits/ });
    pending.end(false);
  });

  test('of a device that gives correlation data back stands in nobody’s way, until it does so no more', async () => {
    const { ask, hear, outcomes } = world();
    const first = ask();
    await hear('ok', 'id1');
    first.end(true);
    const second = ask();
    second.end(true);
    const third = ask();
    await hear('ok', 'id2');
    await hear('ok');
    assert.deepEqual(outcomes, ['id1 accepted']);
    third.end(true);
    assert.throws(() => ask(), cannotBeReported);
  });
});
