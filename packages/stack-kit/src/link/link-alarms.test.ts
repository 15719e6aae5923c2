import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { untilAborted } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import type { Connector, DeviceAlarm, DeviceAlarmState } from '../connector.ts';
import { written } from '../write-result.ts';
import { Connection } from './connection.ts';

const high: DeviceAlarm = { id: 1, name: 'high', address: 'a', properties: {} };

/** A connection to a stack of which only what has to do with alarms is of interest. */
async function running(script: Partial<Connector> = {}) {
  const clock = new ManualClock();
  const heard: string[] = [];
  const lines: string[] = [];
  const out: { publish: (states: readonly DeviceAlarmState[]) => void } = { publish: () => assert.fail() };
  const log = (text: string) => lines.push(text);
  const connection = new Connection({
    create: async (_, publishAlarms) => {
      out.publish = publishAlarms;
      return {
        setPoints: () => undefined,
        connect: async () => undefined,
        run: untilAborted,
        close: async () => undefined,
        ...script,
      };
    },
    clock,
    random: () => 0,
    log: { debug: log, info: log, warn: log, error: log },
    writeTimeoutMs: 3000,
    reconnectMaxMs: () => 5000,
    isMeasurement: () => false,
    command: () => undefined,
    alarm: (id) => (id < 10 ? { ...high, id } : undefined),
    onAccepted: () => undefined,
    onReadings: () => 0,
    onAlarms: (states) => heard.push(...states.map(({ id, isActive, timeUs }) => `${id} ${isActive} ${timeUs}`)),
    onLink: (up) => heard.push(up ? 'up' : 'down'),
    onState: () => undefined,
  });
  connection.setPoints({ measurements: [], commands: [] });
  while (connection.status().state !== 'up') await new Promise(setImmediate);
  const state = (id: number, timeUs: number, more: object = {}) =>
    ({ id, isActive: timeUs % 2 === 1, isAcknowledged: false, timeUs, ...more }) as DeviceAlarmState;
  const acknowledge = () => connection.acknowledge({ alarmId: 1, authority: 'anna', askedMs: clock.monotonicMs() });
  return {
    clock,
    heard,
    lines,
    connection,
    publish: (...states: DeviceAlarmState[]) => out.publish(states),
    state,
    acknowledge,
  };
}

describe('states of alarms', () => {
  test('go on in order while the link is up, those of alarms that are there', async () => {
    const { heard, publish, state, connection } = await running();
    publish(state(1, 1), state(2, 2), state(99, 3));
    publish(state(1, 4));
    assert.deepEqual(heard, ['up', '1 true 1', '2 false 2', '1 false 4']);
    await connection.stop();
    publish(state(1, 5));
    assert.deepEqual(heard.slice(4), ['down']);
  });

  test('that make no sense are left out, and what is no list is an error', async () => {
    const { heard, publish, state, connection } = await running();
    for (const wrong of [null, 5, {}, state(1, Number.NaN), state(1, -1), { ...state(1, 1), isActive: 1 }]) {
      publish(wrong as DeviceAlarmState);
    }
    assert.deepEqual(heard, ['up']);
    (publish as (states: unknown) => void)({});
    assert.deepEqual(heard, ['up']);
    assert.equal(connection.status().counters.errors, 0);
  });

  test('beyond 2,000 a second the newest of each goes on, a second later, and those passed over are counted', async () => {
    const { heard, publish, state, clock, connection, lines } = await running();
    for (let at = 1; at <= 5001; at++) publish(state(1, at));
    publish(state(2, 7));
    assert.equal(heard.length, 1 + 2001 + 1);
    assert.equal(heard.at(-1), '2 true 7', 'another alarm is heard at once');
    clock.advance(1000);
    assert.deepEqual(heard.slice(2003), ['1 true 5001']);
    assert.equal(connection.status().counters.conflated, 2999);
    assert.match(lines.join(), /more transitions of alarms than can be followed/);
    for (let at = 1; at <= 3000; at++) publish(state(1, at));
    await connection.stop();
    assert.deepEqual(heard.slice(-2), ['1 false 3000', 'down'], 'nothing waits beyond the end of the link');
  });
});

describe('an acknowledgement', () => {
  test('ends as the stack says', async () => {
    const results = [written.accepted, written.refused('no'), written.notSent('gone'), written.unknown('who knows')];
    const { acknowledge } = await running({ acknowledge: async () => results.shift() as never });
    assert.deepEqual(await acknowledge(), { kind: 'accepted' });
    assert.deepEqual(await acknowledge(), { kind: 'refused', reason: 'no' });
    assert.deepEqual(await acknowledge(), { kind: 'notConnected', reason: 'gone' });
    assert.deepEqual(await acknowledge(), { kind: 'timeout', sent: true, reason: 'who knows' });
    const { kind } = await acknowledge();
    assert.equal(kind, 'timeout', 'what says nothing leaves it open');
  });

  test('that throws, comes late or loses its link may have been taken', async () => {
    const throwing = await running({
      acknowledge: async () => {
        throw new Error('oops');
      },
    });
    assert.deepEqual(await throwing.acknowledge(), { kind: 'timeout', sent: true, reason: 'the stack failed: oops' });
    const silent = await running({ acknowledge: () => new Promise(() => {}) });
    const late = silent.acknowledge();
    silent.clock.advance(3000);
    silent.clock.advance(0);
    assert.deepEqual(await late, { kind: 'timeout', sent: true, reason: 'no answer' });
    const cut = silent.acknowledge();
    const stopped = silent.connection.stop();
    silent.clock.advance(0);
    assert.equal((await cut).kind, 'timeout');
    await stopped;
    assert.equal((await silent.acknowledge()).kind, 'notConnected');
  });

  test('is not sent for an alarm that is gone, too late, or by a stack that cannot', async () => {
    const { connection, clock, acknowledge } = await running();
    assert.equal((await acknowledge()).kind, 'refused');
    const gone = await connection.acknowledge({ alarmId: 99, authority: 'anna', askedMs: clock.monotonicMs() });
    assert.equal(gone.kind, 'superseded');
    const able = await running({ acknowledge: () => assert.fail('it is sent') });
    const askedMs = able.clock.monotonicMs() - 3000;
    const late = await able.connection.acknowledge({ alarmId: 1, authority: 'anna', askedMs });
    assert.deepEqual(late, { kind: 'timeout', sent: false, reason: 'its timeout had expired' });
  });
});
