import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Command, type Measurement, quality, unpackAlarm } from '@telltale/schema';
import { ArchivingBench } from '../../../test/archiving-bench.ts';
import { replaces, simulated } from '../records.ts';

const startUs = 1_700_000_000_000_000;
const good = quality.good;
const onChange = { archMode: 'change' } as const;

const values = (bench: ArchivingBench) => bench.news().map(([name, value]) => `${name} ${value}`);

describe('what is configured', () => {
  test('AR-9: is archived as it is, once, where nothing of it was archived yet, and leads nobody', async () => {
    const bench = new ArchivingBench();
    const v: Command = { name: 'v', datatype: 'd', ...onChange };
    bench.putCommand(v);
    bench.put({ name: 'follower', datatype: 'd', leader: 'v' });
    bench.read('follower', 1);
    await bench.commands.write('v', 'd1');
    bench.clock.advance(1000);
    await bench.simulate('follower', 'd2');
    assert.deepEqual(bench.news(), [
      ['commands/v', 'd1', startUs, 0],
      ['follower', 'd1', startUs, good],
    ]);
    for (let turn = 0; turn < 2; turn++) {
      bench.clock.advance(1000);
      bench.restart();
      bench.put({ name: 'follower', datatype: 'd', ...onChange, leader: 'v' });
      bench.putCommand(v);
      assert.deepEqual(bench.news(), [
        ['follower', 'd2', startUs + 1_000_000, quality.goodLocalOverride | simulated | replaces],
        ['commands/v', 'd1', startUs, replaces],
      ]);
    }
    bench.putCommand({ ...v, description: 'again' });
    assert.deepEqual(bench.news(), []);
    bench.put({ name: 'late', datatype: 'd' });
    bench.read('late', 5, startUs + 77);
    bench.put({ name: 'late', datatype: 'd', ...onChange });
    assert.deepEqual(bench.news(), [['late', 'd5', startUs + 77, good | replaces]]);
  });

  test('AR-11: otherwise keeps its last record, and goes on under the new rules', () => {
    const bench = new ArchivingBench();
    const point: Measurement = { name: 'p', datatype: 'd', ...onChange, archValueDeadband: '10' };
    bench.put(point);
    bench.read('p', 1);
    bench.put({ ...point, archValueDeadband: '5', description: 'x' });
    for (const value of [5, 6, 10]) {
      bench.clock.advance(1);
      bench.read('p', value);
    }
    assert.deepEqual(values(bench), ['p d1', 'p d6']);
    bench.put({ ...point, archMode: 'none' });
    bench.read('p', 100);
    assert.deepEqual(bench.news(), []);
    bench.remove('p');
    assert.deepEqual(bench.news(), []);
  });

  test('AR-11: with another datatype goes on in another series, from its first value', () => {
    const bench = new ArchivingBench();
    bench.put({ name: 'p', datatype: 'd', ...onChange });
    bench.put({ name: 'f', datatype: 'd', leader: 'p', archPeriod: 1000 });
    bench.scan({ p: 1, f: 2 });
    assert.deepEqual(values(bench), ['p d1', 'f d2']);
    bench.put({ name: 'p', datatype: 'l', ...onChange });
    bench.put({ name: 'f', datatype: 's', leader: 'p', archPeriod: 1000 });
    assert.deepEqual(bench.news(), []);
    bench.clock.advance(1);
    bench.read('f', 'x');
    bench.read('p', 1n);
    assert.deepEqual(values(bench), ['p l1', 'f sx']);
    bench.clock.advance(1000);
    assert.deepEqual(values(bench), ['f sx']);
    assert.equal(bench.sink.sources.length, 4);
  });

  test('AR-11: with another datatype while the service drives it makes no record in the old series', () => {
    for (const status of [good, quality.uncertain.nonSpecific]) {
      const bench = new ArchivingBench();
      bench.measurements.putLink('connector', 'c', 'w');
      bench.put({ name: 'w', datatype: 'i', ...onChange });
      bench.read('w', 1, startUs - 1000, status);
      bench.news();
      const driven: Measurement = { name: 'w', datatype: 'b', ...onChange };
      bench.measurements.put(driven);
      assert.deepEqual(bench.news(), []);
      bench.archiving.put('measurements', bench.measurements.find('w'), driven);
      assert.deepEqual(values(bench), ['w b1']);
    }
  });

  test('AR-11: with another datatype while its leader changes makes no record in the old series', () => {
    const bench = new ArchivingBench();
    bench.measurements.putLink('connector', 'c', 'w');
    bench.put({ name: 'w', datatype: 'i', leader: 'p' });
    bench.put({ name: 'p', datatype: 'd', ...onChange });
    bench.read('w', 1);
    bench.read('p', 1);
    bench.read('w', 0); // the watchdog says that the link is lost
    assert.deepEqual(values(bench), ['p d1', 'w i1', 'p d1', 'w i0']);
    bench.clock.advance(1);
    bench.measurements.put({ name: 'w', datatype: 'b', leader: 'p' });
    assert.deepEqual(values(bench), ['p d1']);
  });

  test('AR-11: without a deadband that it had is held back no longer', () => {
    const bench = new ArchivingBench();
    for (const archValueDeadband of ['5', undefined]) {
      bench.put({ name: 'p', datatype: 'l', ...onChange, ...(archValueDeadband && { archValueDeadband }) });
      bench.read('p', 1n);
      bench.clock.advance(1);
      bench.read('p', 3n);
    }
    assert.deepEqual(values(bench), ['p l1', 'p l1', 'p l3']);
  });

  test('AR-18: says how long its records are kept', () => {
    const bench = new ArchivingBench();
    const { retentions } = bench.archiving;
    assert.equal(retentions.takeChanged(), false);
    bench.put({ name: '__proto__', datatype: 'd', properties: { archRetention: '90d' } });
    bench.putCommand({ name: 'v', datatype: 'd', properties: { archRetention: '12h' } });
    bench.putAlarm({ name: 'a', severity: 1, properties: { archRetention: '2y' } });
    bench.put({ name: 'q', datatype: 'd', properties: { archRetention: 'soon' } });
    assert.equal(retentions.takeChanged(), true);
    assert.deepEqual(Object.fromEntries(retentions.ofSeries), {
      'measurements/__proto__': 90 * 86_400e6,
      'commands/v': 12 * 3600e6,
      'alarms/a': 730 * 86_400e6,
    });
    bench.putAlarm({ name: 'a', severity: 2, properties: { archRetention: '2y' } });
    assert.equal(retentions.takeChanged(), false);
    bench.archiving.removeAlarm('a');
    bench.archiving.remove('commands', bench.commands.find('v'), 'v');
    assert.equal(retentions.takeChanged(), false, 'what is left of them ends with it');
    bench.put({ name: '__proto__', datatype: 'd' });
    assert.deepEqual([retentions.takeChanged(), [...retentions.ofSeries.keys()]], [true, ['commands/v', 'alarms/a']]);
  });

  test('AR-18: says so for good: a restart knows it of those that are gone', () => {
    const bench = new ArchivingBench();
    const { retentions } = bench.archiving;
    bench.archiving.restore(
      new Map([
        ['measurements/gone', 5e6],
        ['measurements/p', 6e6],
      ]),
      [],
    );
    assert.equal(retentions.takeChanged(), false);
    bench.put({ name: 'p', datatype: 'd' });
    assert.deepEqual([retentions.takeChanged(), [...retentions.ofSeries]], [true, [['measurements/gone', 5e6]]]);
  });
});

test('AR-15: every transition of an alarm is archived where its archMode is change', () => {
  const bench = new ArchivingBench();
  const transition = { state: 'ACT_UNACK', description: 'high', authority: 'trigger' } as const;
  bench.putAlarm({ name: '__proto__', severity: 1, ...onChange });
  bench.putAlarm({ name: 'quiet', severity: 1, archMode: 'none' });
  for (const name of ['__proto__', 'quiet', 'unknown']) {
    bench.archiving.onAlarm({ ...transition, name, timeUs: startUs + 1 });
  }
  const acknowledged = { state: 'ACT_ACK', description: 'high', authority: 'Ann' } as const;
  bench.archiving.onAlarm({ ...acknowledged, name: '__proto__', timeUs: startUs + 1 });
  const records = bench.news();
  assert.deepEqual(
    records.map(([name, text, timeUs, status]) => [name, unpackAlarm(text.slice(1)), timeUs, status]),
    [
      ['alarms/__proto__', transition, startUs + 1, 0],
      ['alarms/__proto__', acknowledged, startUs + 1, 0],
    ],
  );
  bench.archiving.removeAlarm('__proto__');
  bench.archiving.onAlarm({ ...transition, name: '__proto__', timeUs: startUs + 2 });
  assert.deepEqual([bench.news(), bench.archiving.counts.offered], [[], 2]);
});

test('AR-24: a transition that a simulated value caused is marked, also where it is archived again after a restart', () => {
  const bench = new ArchivingBench();
  const forced = { name: 'a', state: 'ACT_UNACK', description: '', authority: 'trigger, simulated' } as const;
  bench.archiving.restore(new Map(), [{ ...forced, timeUs: startUs - 5 }]);
  bench.putAlarm({ name: 'a', severity: 1, ...onChange });
  bench.archiving.onAlarm({ ...forced, state: 'INACT_UNACK', timeUs: startUs + 1 });
  bench.archiving.onAlarm({ ...forced, authority: 'trigger', timeUs: startUs + 2 });
  assert.deepEqual(
    bench.news().map(([, , timeUs, status]) => [timeUs - startUs, status]),
    [
      [-5, replaces | simulated],
      [1, simulated],
      [2, 0],
    ],
  );
});

test('AR-19: the last transition of before a restart is archived in its place, once', () => {
  const bench = new ArchivingBench();
  const was = { name: 'a', state: 'ACT_UNACK', authority: 'Ann', timeUs: startUs - 5 } as const;
  const never = { name: 'never', state: 'INACT_ACK', authority: '', timeUs: 0 } as const;
  bench.archiving.restore(new Map(), [was, never, { ...was, name: 'quiet' }]);
  for (const name of ['a', 'never', 'a']) bench.putAlarm({ name, severity: 1, description: 'high', ...onChange });
  bench.putAlarm({ name: 'quiet', severity: 1 });
  const records = bench
    .news()
    .map(([name, text, timeUs, status]) => [name, unpackAlarm(text.slice(1)), timeUs, status]);
  const transition = { state: 'ACT_UNACK', description: 'high', authority: 'Ann' };
  assert.deepEqual(records, [['alarms/a', transition, startUs - 5, replaces]]);
});

test('nothing is archived after the end', async () => {
  const bench = new ArchivingBench();
  bench.put({ name: 'p', datatype: 'd', ...onChange, archPeriod: 1000 });
  bench.putCommand({ name: 'v', datatype: 'd', ...onChange });
  bench.putAlarm({ name: 'a', severity: 1, ...onChange });
  bench.read('p', 1);
  bench.news();
  bench.archiving.close();
  bench.read('p', 2);
  await bench.commands.write('v', 'd1');
  bench.archiving.onAlarm({ name: 'a', timeUs: startUs, state: 'ACT_ACK', description: '', authority: '' });
  bench.clock.advance(10_000);
  assert.deepEqual(bench.news(), []);
});
