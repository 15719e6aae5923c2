// Promises of what is read of alarms: one, some and all, with odd names and after every kind of change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlarmField, alarmFields, checker, LiveAlarm, parseJson } from '@telltale/schema';
import { AlarmBench, triggered } from '../../test/alarm-bench.ts';
import { gathered } from '../../test/gathered.ts';
import type { Gathering } from '../points/index.ts';

const textOf = (steps: Gathering) => gathered(steps).toString();
const read = (bench: AlarmBench, selection?: { names?: string[]; fields?: AlarmField[] }) =>
  new Map(Object.entries(parseJson(textOf(bench.alarms.collection(selection))) as object));

const names = ['__proto__', 'constructor', 'toString', 'a', '0', '10', '9'];

function withNames() {
  const bench = new AlarmBench();
  bench.measurements.add('m', 'd');
  for (const name of names) bench.alarms.put(triggered({ name, description: `"${name}"\n` }));
  return bench;
}

test('AL-23: an alarm has its six fields, in order', () => {
  const bench = new AlarmBench().with('d', { severity: 3, description: 'a "hot" day' });
  bench.set('m', 11, 192, 1_700_000_000_250_001);
  const text = bench.alarms.text(bench.alarms.find('a'));
  assert.equal(
    text,
    '{"name":"a","severity":3,"t":[1700000000,250001],"authority":"trigger","state":"ACT_UNACK","description":"a \\"hot\\" day"}',
  );
  assert.deepEqual(checker(LiveAlarm).faults(JSON.parse(text)), []);
  assert.equal(bench.alarms.text(bench.alarms.find('a')), text);
});

test('AL-23: an alarm has its area where it has one, and an empty one where that is asked for', () => {
  const bench = new AlarmBench();
  bench.alarms.put({ name: 'placed', severity: 1, area: 'works.dosing' });
  bench.alarms.put({ name: 'not_set', severity: 1 });
  bench.alarms.put({ name: 'empty', severity: 1, area: '' });
  const whole = (name: string) => JSON.parse(bench.alarms.text(bench.alarms.find(name)));
  assert.equal(whole('placed').area, 'works.dosing');
  for (const name of ['not_set', 'empty']) assert.ok(!('area' in whole(name)), name);
  const asked = { placed: { area: 'works.dosing' }, not_set: { area: '' }, empty: { area: '' } };
  assert.deepEqual(Object.fromEntries(read(bench, { fields: ['area'] })), asked);
  assert.deepEqual(JSON.parse(textOf(bench.alarms.array([bench.alarms.find('placed')])))[0], whole('placed'));
  assert.deepEqual(read(bench).get('placed'), whole('placed'));
  bench.alarms.put({ name: 'placed', severity: 1, area: 'works' });
  assert.equal(whole('placed').area, 'works');
});

test('AL-23: every name is an ordinary one', () => {
  const bench = withNames();
  assert.deepEqual([...read(bench).keys()].sort(), [...names].sort());
  assert.equal(bench.alarms.find('hasOwnProperty'), -1);
  for (const [name, alarm] of read(bench)) assert.equal(alarm.name, name);
  assert.deepEqual([...bench.alarms.names()].sort(), [...names].sort());
});

test('AL-23: names and fields select; unknown names are left out, and none counts twice', () => {
  const bench = withNames();
  const chosen = textOf(
    bench.alarms.collection({ names: ['a', 'x', '__proto__', 'a'], fields: ['state', 'name', 'name'] }),
  );
  assert.equal(chosen, '{"a":{"name":"a","state":"INACT_ACK"},"__proto__":{"name":"__proto__","state":"INACT_ACK"}}');
  assert.equal(textOf(bench.alarms.collection({ names: ['x'] })), '{}');
  assert.equal(textOf(bench.alarms.collection({ names: ['a'], fields: [] })), '{"a":{}}');
  const all = new Map(Array.from(read(bench), ([name, alarm]) => [name, { ...alarm, area: '' }]));
  assert.deepEqual(read(bench, { fields: [...alarmFields] }), all);
  assert.deepEqual(
    [...read(bench, { names: ['9'] }).values()],
    [JSON.parse(bench.alarms.text(bench.alarms.find('9')))],
  );
});

test('AL-23: what is read is new after every change, whichever block it is in', async () => {
  const bench = new AlarmBench();
  assert.equal(textOf(bench.alarms.collection()), '{}');
  bench.measurements.add('m', 'd');
  const many = Array.from({ length: 1000 }, (_, index) => `a${index}`);
  for (const name of many) bench.alarms.put(triggered({ name, trgRefValue: name.slice(1) }));
  const states = () => [...read(bench).values()].filter(({ state }) => state === 'ACT_UNACK').length;
  assert.deepEqual([read(bench).size, states()], [1000, 0]);
  bench.set('m', 0.5);
  assert.equal(states(), 1);
  bench.set('m', 700.5);
  assert.equal(states(), 701);
  bench.alarms.put(triggered({ name: 'a600', trgRefValue: '600', description: 'new' }));
  assert.equal(read(bench).get('a600').description, 'new');
  for (const name of many.slice(0, 600)) bench.alarms.remove(name);
  assert.deepEqual([read(bench).size, bench.alarms.size, states()], [400, 400, 101]);
  bench.alarms.put({ name: 'late', severity: 9 });
  assert.equal(read(bench).get('late').severity, 9);
  assert.deepEqual(read(bench), read(bench, { names: [...bench.alarms.names()] }));
  for (const name of [...bench.alarms.names()]) bench.alarms.remove(name);
  assert.equal(textOf(bench.alarms.collection()), '{}');
  assert.deepEqual(bench.alarms.counts().byState, { INACT_ACK: 0, ACT_UNACK: 0, ACT_ACK: 0, INACT_UNACK: 0 });
});

test('AL-24: the version is another after every change, and only then', () => {
  const bench = new AlarmBench().with('d');
  const seen = [bench.alarms.version];
  const changed = () => {
    const before = seen.at(-1);
    seen.push(bench.alarms.version);
    return seen.at(-1) !== before;
  };
  bench.set('m', 1);
  textOf(bench.alarms.collection());
  assert.equal(changed(), false);
  bench.set('m', 11);
  assert.equal(changed(), true);
  bench.alarms.put(triggered({ description: 'x' }));
  assert.equal(changed(), true);
  bench.alarms.remove('a');
  assert.equal(changed(), true);
  bench.alarms.remove('a');
  assert.equal(changed(), false);
});

test('AL-22: a listener hears every transition once, and can read a removed alarm for the last time', () => {
  const bench = new AlarmBench().with('d');
  const read: string[] = [];
  const stop = bench.alarms.onChange((handle, isRemoved) => read.push(`${isRemoved} ${bench.alarms.text(handle)}`));
  const heard: number[] = [];
  const stopOnce = bench.alarms.onChange((handle) => {
    heard.push(handle);
    stopOnce();
  });
  bench.alarms.onChange((handle) => heard.push(handle));
  bench.set('m', 11);
  bench.alarms.remove('a');
  assert.deepEqual(heard, [0, 0, 0]);
  assert.match(read[0] ?? '', /^false .*"state":"ACT_UNACK"/);
  assert.match(read[1] ?? '', /^true .*"state":"ACT_UNACK"/);
  stop();
  bench.alarms.put(triggered());
  assert.equal(read.length, 2);
  assert.throws(() => bench.alarms.text(5), RangeError);
  assert.equal(bench.alarms.counts().transitions, 2);
});
