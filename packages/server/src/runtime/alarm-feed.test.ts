import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alarm } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { PlainDisk } from '../../test/plain-disk.ts';
import { Alarms } from '../alarms/index.ts';
import { Measurements } from '../points/index.ts';
import { AlarmFeed } from './alarm-feed.ts';

const level = { name: 'level', datatype: 'd' } as const;
const above = (name: string, trgRefValue: string): Alarm => ({
  name,
  severity: 1,
  trgMeasurement: 'level',
  trgOperator: 'gt',
  trgRefValue,
});

/** The provider `out` serves `level`, until it is told otherwise. */
function setUp() {
  const clock = new ManualClock();
  const measurements = new Measurements({ clock, store: new PlainDisk() });
  const store = { saveAlarm: async () => undefined, deleteAlarm: async () => undefined };
  const alarms = new Alarms({ measurements, store, clock });
  measurements.onChanges((changes) => alarms.evaluate(changes));
  measurements.put(level);
  const served = new Set(['out']);
  const reported: string[] = [];
  const feed = new AlarmFeed({
    alarms,
    measurements,
    providersOf: (handle) => (handle === measurements.find('level') ? served : []),
    idOf: (handle) => handle,
    host: {
      setAlarms: (_role, provider, set) =>
        void reported.push(`${provider} set ${set.map(({ id, name }) => `${id} ${name}`)}`),
      publishAlarms: (provider, states) =>
        void reported.push(`${provider} ${states.map(({ id, isActive }) => `${id} ${isActive}`)}`),
    },
  });
  const put = (alarm: Alarm, before?: Alarm) => {
    alarms.put(alarm);
    feed.put(alarm.name, before?.trgMeasurement, alarm.trgMeasurement);
  };
  const remove = (alarm: Alarm) => {
    alarms.remove(alarm.name);
    feed.remove(alarm.name, alarm.trgMeasurement);
  };
  const simulate = (value: string) =>
    measurements.simulate('level', { value, quality: undefined, validForS: undefined, by: 'tester' });
  return { feed, alarms, served, reported, put, remove, simulate };
}

test('a provider has its alarms when the rendering is whole, with their states, and all states again on demand', () => {
  const { feed, reported, put } = setUp();
  put(above('high', '5'));
  put(above('higher', '7'));
  put({ name: 'by_hand', severity: 1 });
  assert.deepEqual(reported.splice(0), []);
  feed.done([]);
  assert.deepEqual(reported.splice(0), ['out set 0 high,1 higher', 'out 0 false,1 false']);
  feed.publishAll('out');
  feed.publishAll('stranger');
  assert.deepEqual(reported.splice(0), ['out 0 false,1 false']);
  feed.done([]);
  feed.done(['stranger']);
  assert.deepEqual(reported, [], 'where nothing changed, nothing is told');
});

test('what changes at once is reported at once', async () => {
  const { feed, reported, put, simulate, alarms } = setUp();
  put(above('high', '5'));
  put(above('higher', '7'));
  feed.done([]);
  reported.length = 0;
  await simulate('d8');
  assert.deepEqual(reported.splice(0), ['out 0 true,1 true']);
  await alarms.operate('high', 'acknowledge', 'anna');
  assert.deepEqual(reported, ['out 0 true']);
});

test('an alarm that a provider was not given is not reported to it, though it has the handle of one that it was', async () => {
  const { feed, reported, put, remove, simulate } = setUp();
  const high = above('high', '5');
  put(high);
  feed.done([]);
  reported.length = 0;
  remove(high);
  put(above('other', '6'));
  await simulate('d8');
  feed.publishAll('out');
  assert.deepEqual(reported, []);
  assert.equal(feed.serves('out', 'other'), false);
  feed.done([]);
  assert.deepEqual(reported, ['out set 0 other', 'out 0 true']);
  assert.equal(feed.serves('out', 'other'), true);
});

test('what happened to an alarm is reported before its handle is that of another one', async () => {
  const { feed, reported, put, remove, simulate } = setUp();
  await simulate('d8');
  const [high, raised] = [above('high', '10'), above('high', '5')];
  put(high);
  feed.done([]);
  reported.length = 0;
  put(raised, high);
  remove(raised);
  put(above('other', '100'));
  feed.done([]);
  await new Promise(setImmediate);
  assert.deepEqual(reported, ['out 0 true', 'out set 0 other', 'out 0 false']);
});

test('a provider that serves the trigger no longer learns that there are none, once', () => {
  const { feed, reported, put, served } = setUp();
  put(above('high', '5'));
  feed.done([]);
  reported.length = 0;
  served.clear();
  feed.done(['out']);
  feed.done(['out']);
  assert.deepEqual(reported, ['out set ']);
  served.add('out');
  feed.done(['out']);
  feed.forget('out');
  assert.equal(feed.serves('out', 'high'), false);
});
