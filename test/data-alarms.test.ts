// Alarms over HTTP: the table of states, who did it, triggers through simulation, delays, and what a restart keeps.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AlarmOperation, type AlarmState, alarmOperations, LiveAlarm } from '@telltale/schema';
import fc from 'fast-check';
import { oddNames } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const live = new LiveServer();
const { data } = live;

const alarm = (name: string) => live.read<LiveAlarm>(`/alarms/${name}`, LiveAlarm);
const stateOf = async (name: string) => (await alarm(name)).state;
const operate = (name: string, operation: AlarmOperation, query = '') =>
  data.done('POST', `/alarms/${name}/${operation}${query}`);
const level = (value: number, more = '') => data.done('PUT', `/measurements/level?value=d${value}${more}`);
const states = async (...names: string[]) => Promise.all(names.map(stateOf));

const table: Record<AlarmOperation, Partial<Record<AlarmState, AlarmState>>> = {
  activate: { INACT_ACK: 'ACT_UNACK', INACT_UNACK: 'ACT_UNACK' },
  deactivate: { ACT_UNACK: 'INACT_UNACK', ACT_ACK: 'INACT_ACK' },
  acknowledge: { ACT_UNACK: 'ACT_ACK', INACT_UNACK: 'INACT_ACK' },
};

const automatic: Record<AlarmOperation, Partial<Record<AlarmState, AlarmState>>> = {
  activate: { INACT_ACK: 'ACT_ACK' },
  deactivate: { ACT_ACK: 'INACT_ACK' },
  acknowledge: {},
};

describe('an alarm that is operated', () => {
  for (const [name, expected] of Object.entries({ manual: table, automatic })) {
    test(`goes from state to state as the table says, and stays where it says nothing (${name})`, async () => {
      const anyOperations = fc.array(fc.constantFrom(...alarmOperations), { minLength: 1, maxLength: 30 });
      const property = fc.asyncProperty(anyOperations, async (operations) => {
        let before = await alarm(name);
        for (const [at, operation] of operations.entries()) {
          await operate(name, operation, `?authority=step_${at}`);
          const now = await alarm(name);
          const next = expected[operation][before.state];
          if (next === undefined) assert.deepEqual(now, before);
          else {
            assert.deepEqual([now.state, now.authority], [next, `step_${at}`]);
            assert.ok(now.t[0] * 1e6 + now.t[1] >= before.t[0] * 1e6 + before.t[1]);
          }
          before = now;
        }
      });
      await fc.assert(property, { numRuns: 12 });
    });
  }

  test('names who did it: the one that is given, else the operator', async () => {
    await operate('manual', 'deactivate');
    await operate('manual', 'acknowledge');
    await operate('manual', 'activate');
    assert.equal((await alarm('manual')).authority, 'operator');
    const who = `Jörg "J" ${'💧'.repeat(119)}`;
    await operate('manual', 'acknowledge', `?authority=${encodeURIComponent(who)}`);
    assert.equal((await alarm('manual')).authority, who);
    const control = ['\n', '\0', '\u001b[31m', '\u007f', '\u009b', '\u2028', '\u202e'].map(encodeURIComponent);
    const wrong = ['', 'x'.repeat(129), '💧'.repeat(129), 'a&authority=b', ...control.map((each) => `a${each}b`)];
    for (const query of ['?who=me', ...wrong.map((each) => `?authority=${each}`)]) {
      await data.refused('invalid-query', 'POST', `/alarms/manual/deactivate${query}`);
    }
    assert.equal(await stateOf('manual'), 'ACT_ACK');
  });

  test('may have any name', async () => {
    for (const name of oddNames) {
      await operate(name, 'activate');
      assert.equal(await stateOf(name), 'ACT_UNACK');
    }
  });

  test('must exist and be enabled, and its name must be possible', async () => {
    for (const operation of alarmOperations) {
      for (const name of ['nobody', 'hidden', 'valueOf', 'names']) {
        await data.refused('unknown-object', 'POST', `/alarms/${name}/${operation}`);
      }
      for (const name of ['a-b', '%00', 'x'.repeat(65)]) {
        await data.refused('invalid-name', 'POST', `/alarms/${name}/${operation}`);
      }
      const { headers } = await data.ask('GET', `/alarms/manual/${operation}`);
      assert.equal(headers.get('allow'), 'POST');
    }
    await data.refused('unknown-path', 'POST', '/alarms/manual/reset');
  });
});

describe('an alarm with a trigger', () => {
  test('is active above its limit, and clears only when the value has come back by the hysteresis', async () => {
    await level(80);
    assert.equal(await stateOf('high'), 'INACT_ACK');
    await level(80.001);
    const { state, authority } = await alarm('high');
    assert.deepEqual([state, authority], ['ACT_UNACK', 'trigger, simulated']);
    await level(75.001);
    assert.equal(await stateOf('high'), 'ACT_UNACK');
    await operate('high', 'acknowledge');
    await level(75);
    assert.equal(await stateOf('high'), 'INACT_ACK');
  });

  test('holds its state while the quality is bad', async () => {
    await level(85);
    await level(0, '&quality=0');
    assert.equal(await stateOf('high'), 'ACT_UNACK');
    await level(0, '&quality=64');
    assert.equal(await stateOf('high'), 'INACT_UNACK');
    await level(85, '&quality=24');
    assert.equal(await stateOf('high'), 'INACT_UNACK');
    await operate('high', 'acknowledge');
  });

  test('has the time of the value that triggered it', async () => {
    await level(81);
    const { vtq } = await data.read<{ vtq: [string, [number, number], number] }>('/measurements/level');
    assert.deepEqual((await alarm('high')).t, vtq[1]);
    await level(0);
  });

  test('waits for its delay before it goes on, and before it goes off', async () => {
    await level(95);
    await until('the short delay', async () => (await stateOf('soon_on')) === 'ACT_UNACK');
    assert.deepEqual(await states('late_on', 'late_off', 'soon_off'), ['INACT_ACK', 'ACT_UNACK', 'ACT_UNACK']);
    await level(10);
    await until('the short delay', async () => (await stateOf('soon_off')) === 'INACT_UNACK');
    assert.deepEqual(await states('late_on', 'late_off', 'soon_on'), ['INACT_ACK', 'ACT_UNACK', 'INACT_UNACK']);
  });
});

test('states, times and authorities outlive a restart', async () => {
  await operate('manual', 'activate', '?authority=me');
  const before = await data.read('/alarms/');
  await live.restart('SIGKILL');
  assert.deepEqual(await data.read('/alarms/'), before);
});

test('everything that was answered here is in the reference', async () => {
  assert.deepEqual(await data.undocumented(), []);
});
