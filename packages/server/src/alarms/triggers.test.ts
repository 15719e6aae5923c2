// Promises of triggers: when an alarm follows its measurement, and when it does not.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Alarm, type Datatype, parseText, quality, type Value } from '@telltale/schema';
import { AlarmBench, triggered } from '../../test/alarm-bench.ts';

const { good, bad, uncertain, simulated } = quality;

test('AL-5: a trigger activates and deactivates once, however often its measurement changes', () => {
  const bench = new AlarmBench().with('d');
  for (const [at, value] of [9, 10, 11, 12, 11, 10, 9, 10.5].entries()) bench.set('m', value, good, at);
  assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 2', 'a INACT_UNACK trigger 5', 'a ACT_UNACK trigger 7']);
});

test('AL-5: every alarm of a measurement follows it, and no alarm of another', () => {
  const bench = new AlarmBench().with('i');
  bench.measurements.add('n', 'i');
  bench.alarms.put(triggered({ name: 'low', trgOperator: 'lt', trgRefValue: '0' }));
  bench.alarms.put(triggered({ name: 'other', trgMeasurement: 'n' }));
  bench.alarms.put({ name: 'plain', severity: 0 });
  bench.set('m', 11);
  bench.set('m', -1);
  const states = ['a ACT_UNACK trigger 0', 'a INACT_UNACK trigger 0', 'low ACT_UNACK trigger 0'];
  assert.deepEqual(bench.news().sort(), states);
});

test('AL-10: a transition by a simulated value says so, with a delay by the value at its end', async () => {
  const bench = new AlarmBench().with('d');
  bench.alarms.put(triggered({ name: 'late', properties: { onDelay: '10' } }));
  bench.set('m', 11, good | simulated, 1);
  bench.set('m', 9, good, 2);
  bench.set('m', 11, good, 3);
  bench.set('m', 12, good | simulated, 4);
  bench.clock.advance(10);
  assert.deepEqual(
    bench.news().map((each) => each.replace(/ \d+$/, '')),
    [
      'a ACT_UNACK trigger, simulated',
      'a INACT_UNACK trigger',
      'a ACT_UNACK trigger',
      'late ACT_UNACK trigger, simulated',
    ],
  );
});

describe('AL-6: with a hysteresis of 2 around 10', () => {
  const cases: {
    datatype: Datatype;
    operator: NonNullable<Alarm['trgOperator']>;
    raises: string;
    holds: string;
    clears: string;
  }[] = [
    { datatype: 'd', operator: 'lt', raises: '9.5', holds: '11.5', clears: '12' },
    { datatype: 'f', operator: 'le', raises: '10', holds: '12', clears: '12.5' },
    { datatype: 'i', operator: 'gt', raises: '11', holds: '9', clears: '8' },
    { datatype: 'l', operator: 'ge', raises: '10', holds: '8', clears: '7' },
    { datatype: 'l', operator: 'eq', raises: '12', holds: '8', clears: '13' },
    { datatype: 'd', operator: 'ne', raises: '12.5', holds: '7.5', clears: '12' },
  ];
  for (const { datatype, operator, raises, holds, clears } of cases) {
    test(`${operator} over ${datatype} is raised by ${raises}, held by ${holds}, cleared by ${clears}`, () => {
      const bench = new AlarmBench().with(datatype, { trgOperator: operator, trgHysteresis: '2' });
      const states = [clears, raises, holds, clears].map((text) => {
        bench.set('m', parseText(datatype, text));
        return bench.stateOf('a');
      });
      assert.deepEqual(states, ['INACT_ACK', 'ACT_UNACK', 'ACT_UNACK', 'INACT_UNACK']);
    });
  }
});

test('AL-7: booleans, states and texts trigger as numbers do', () => {
  const cases: [Datatype, string, Value, Value][] = [
    ['b', '1', true, false],
    ['q', '3', 3, 2],
    ['s', 'open', 'open', 'opened'],
  ];
  for (const [datatype, reference, raises, clears] of cases) {
    const bench = new AlarmBench().with(datatype, { trgOperator: 'eq', trgRefValue: reference });
    bench.set('m', raises);
    bench.set('m', clears);
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 0', 'a INACT_UNACK trigger 0'], datatype);
  }
});

test('AL-8: while the quality is bad the alarm holds its state; uncertain and simulated values count', () => {
  for (const q of [0, bad.notConnected, bad.lastKnownValue, bad.communicationFailure | simulated, 0x03]) {
    const bench = new AlarmBench().with('d');
    bench.set('m', 11, q);
    assert.deepEqual(bench.news(), []);
    bench.set('m', 11, good);
    bench.set('m', 0, q);
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 0']);
  }
  for (const q of [uncertain.nonSpecific, uncertain.engineeringUnitsExceeded | 2, good | simulated, 0xd8]) {
    const bench = new AlarmBench().with('d');
    bench.set('m', 11, q);
    const authority = (q & simulated) === 0 ? 'trigger' : 'trigger, simulated';
    assert.deepEqual(bench.news(), [`a ACT_UNACK ${authority} 0`], String(q));
  }
});

test('AL-8: a measurement before its first value triggers nothing', () => {
  const bench = new AlarmBench().with('i', { trgOperator: 'eq', trgRefValue: '0' });
  bench.alarms.measurementsChanged(['m']);
  assert.deepEqual(bench.news(), []);
});

describe('AL-9: a delay', () => {
  const delayed = (onDelay: string, offDelay: string) =>
    new AlarmBench().with('d', { properties: { onDelay, offDelay } });

  test('runs out by itself, and the time is then that of the clock', () => {
    const bench = delayed('100', '50');
    bench.set('m', 11, good, 7);
    bench.clock.advance(99);
    assert.deepEqual(bench.news(), []);
    bench.clock.advance(1);
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 1000100000']);
    bench.set('m', 1, good, 8);
    bench.clock.advance(50);
    assert.deepEqual(bench.news(), ['a INACT_UNACK trigger 1000150000']);
    assert.equal(bench.clock.pending, 0);
  });

  test('goes on while the condition holds, and starts again after it did not', () => {
    const bench = delayed('100', '0');
    bench.set('m', 11);
    bench.clock.advance(60);
    bench.set('m', 12);
    bench.clock.advance(30);
    bench.set('m', 9);
    bench.set('m', 12);
    bench.clock.advance(99);
    assert.deepEqual(bench.news(), []);
    bench.clock.advance(1);
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 1000190000']);
  });

  test('ends when the quality turns bad, also of a value that did not change', () => {
    const bench = delayed('100', '100');
    bench.set('m', 11);
    bench.set('m', 11, bad.communicationFailure);
    bench.clock.advance(1000);
    assert.deepEqual(bench.news(), []);
    bench.set('m', 11);
    bench.clock.advance(100);
    bench.set('m', 0);
    bench.set('m', 0, bad.sensorFailure);
    bench.clock.advance(1000);
    assert.equal(bench.news().length, 1);
  });

  test('of a text or a 64-bit integer is the same', () => {
    for (const [datatype, value, other] of [
      ['s', 'zz', ''],
      ['l', 11n, 0n],
    ] as const) {
      const bench = new AlarmBench().with(datatype, { properties: { onDelay: '10' } });
      bench.set('m', value);
      bench.clock.advance(9);
      bench.set('m', value);
      bench.clock.advance(1);
      assert.equal(bench.stateOf('a'), 'ACT_UNACK');
      bench.set('m', other);
      assert.equal(bench.stateOf('a'), 'INACT_UNACK');
    }
  });

  test('ends with the alarm, and with the service', async () => {
    const bench = delayed('100', '100');
    bench.set('m', 11);
    bench.alarms.remove('a');
    assert.equal(bench.clock.pending, 0);
    bench.alarms.put(triggered({ properties: { onDelay: '5' } }));
    assert.equal(bench.clock.pending, 1);
    const closing = bench.alarms.close();
    assert.equal(bench.clock.pending, 0);
    bench.set('m', 9);
    bench.set('m', 11);
    assert.equal(bench.clock.pending, 0);
    await bench.disk.answerAll();
    await closing;
  });

  test('that is no number, or is inherited, is none', () => {
    for (const properties of [{ onDelay: 'soon' }, { onDelay: '-5' }, JSON.parse('{"__proto__":{"onDelay":"5"}}')]) {
      const bench = new AlarmBench().with('d', { properties });
      bench.set('m', 11);
      assert.equal(bench.stateOf('a'), 'ACT_UNACK');
    }
  });
});

test('AL-11: an operation to the other side ends a delay, an acknowledgement does not', async () => {
  const bench = new AlarmBench().with('d', { properties: { onDelay: '100', offDelay: '100' } });
  bench.set('m', 11);
  const activated = bench.alarms.operate('a', 'activate', 'ann');
  await bench.disk.answerAll();
  await activated;
  bench.clock.advance(1000);
  assert.deepEqual(bench.news(), ['a ACT_UNACK ann 1000000000']);
  bench.set('m', 0);
  bench.clock.advance(60);
  const acknowledged = bench.alarms.operate('a', 'acknowledge', 'ann');
  await bench.disk.answerAll();
  await acknowledged;
  bench.clock.advance(40);
  assert.deepEqual(bench.news(), ['a ACT_ACK ann 1001060000', 'a INACT_ACK trigger 1001100000']);
});

describe('AL-12, AL-13: a definition', () => {
  test('that is new is evaluated at once', () => {
    const bench = new AlarmBench();
    bench.measurements.add('m', 'd');
    bench.set('m', 11, good, 5);
    bench.alarms.put(triggered());
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 5']);
  });

  test('that changed keeps the state, and is evaluated at once unless the quality is bad', () => {
    const bench = new AlarmBench().with('d');
    bench.set('m', 11, good, 5);
    bench.alarms.put(triggered({ trgRefValue: '20' }));
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 5', 'a INACT_UNACK trigger 5']);
    bench.set('m', 15, bad.notConnected, 6);
    bench.alarms.put(triggered({ trgRefValue: '12' }));
    assert.deepEqual([bench.news(), bench.stateOf('a')], [[], 'INACT_UNACK']);
    bench.alarms.put({ name: 'a', severity: 2, description: 'by hand' });
    bench.set('m', 15, good, 7);
    assert.deepEqual([bench.news(), bench.stateOf('a')], [[], 'INACT_UNACK']);
  });

  test('whose trigger is the same lets a delay go on; another trigger starts it again', () => {
    const bench = new AlarmBench().with('d', { properties: { onDelay: '100' } });
    bench.set('m', 11);
    bench.clock.advance(60);
    bench.alarms.put(triggered({ description: 'new', properties: { onDelay: '100', colour: 'red' } }));
    bench.clock.advance(40);
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 1000100000']);
    bench.set('m', 1);
    bench.set('m', 11);
    bench.clock.advance(60);
    bench.alarms.put(triggered({ trgRefValue: '10.5', properties: { onDelay: '100' } }));
    bench.clock.advance(99);
    assert.deepEqual(bench.news(), ['a INACT_UNACK trigger 0']);
    bench.clock.advance(1);
    assert.equal(bench.stateOf('a'), 'ACT_UNACK');
  });

  test('with another measurement follows that one alone', () => {
    const bench = new AlarmBench().with('d');
    bench.measurements.add('n', 'd');
    bench.alarms.put(triggered({ trgMeasurement: 'n' }));
    bench.set('m', 11);
    assert.deepEqual(bench.news(), []);
    bench.set('n', 11);
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 0']);
  });

  test('may come and go among many of one measurement', () => {
    const bench = new AlarmBench().with('d');
    const names = Array.from({ length: 300 }, (_, index) => `a${index}`);
    for (const name of names) bench.alarms.put(triggered({ name }));
    for (const name of names.filter((_, index) => index % 3 !== 1)) bench.alarms.remove(name);
    bench.alarms.remove('a');
    bench.alarms.put(triggered({ name: 'late' }));
    bench.news();
    bench.set('m', 11);
    const raised = bench.news().map((text) => text.split(' ')[0]);
    assert.deepEqual(raised.sort(), [...names.filter((_, index) => index % 3 === 1), 'late'].sort());
  });
});

describe('AL-14: a trigger', () => {
  test('rests while its measurement is missing, and wakes when it comes', () => {
    const bench = new AlarmBench();
    bench.alarms.put(triggered({ properties: { offDelay: '10' } }));
    bench.measurements.add('m', 'd');
    bench.measurements.set('m', 11, good, 3);
    bench.alarms.measurementsChanged(['m', 'unknown', '__proto__']);
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 3']);
    bench.set('m', 0);
    bench.measurements.remove('m');
    bench.alarms.measurementsChanged(['m']);
    bench.clock.advance(1000);
    assert.deepEqual([bench.news(), bench.stateOf('a')], [[], 'ACT_UNACK']);
  });

  test('rests while its texts do not fit the datatype, and is read again when that changes', () => {
    const bench = new AlarmBench().with('i', { trgRefValue: '10.5' });
    bench.set('m', 11);
    assert.deepEqual(bench.news(), []);
    bench.measurements.remove('m');
    bench.measurements.add('m', 'd');
    bench.alarms.measurementsChanged(['m']);
    bench.set('m', 10.4);
    bench.set('m', 10.6);
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 0']);
    bench.measurements.remove('m');
    bench.measurements.add('m', 's');
    bench.alarms.measurementsChanged(['m']);
    bench.set('m', '10.4');
    assert.deepEqual(bench.news(), ['a INACT_UNACK trigger 0']);
  });

  test('follows its measurement by name where handles are exchanged', () => {
    const bench = new AlarmBench().with('d');
    bench.measurements.add('n', 'd');
    bench.alarms.put(triggered({ name: 'b', trgMeasurement: 'n' }));
    for (const order of [
      ['m', 'n'],
      ['n', 'm'],
    ]) {
      bench.measurements.remove('m');
      bench.measurements.remove('n');
      for (const name of order) bench.measurements.add(name, 'd');
      bench.alarms.measurementsChanged(['m', 'n']);
      bench.set('m', 11);
      bench.set('n', 11);
      bench.set('m', 0);
      bench.set('n', 0);
      const followed = bench.news().map((text) => text.split(' ').slice(0, 2).join(' '));
      assert.deepEqual(followed, ['a ACT_UNACK', 'b ACT_UNACK', 'a INACT_UNACK', 'b INACT_UNACK']);
    }
  });

  test('is not asked about a handle that no alarm ever knew', () => {
    const bench = new AlarmBench().with('d');
    for (let index = 0; index < 200; index++) bench.measurements.add(`m${index}`, 'd');
    bench.set('m199', 11);
    bench.set('m10', 11);
    assert.deepEqual(bench.news(), []);
  });
});
