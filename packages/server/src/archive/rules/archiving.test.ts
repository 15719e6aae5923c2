import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, type Command, type Measurement, quality } from '@telltale/schema';
import fc from 'fast-check';
import { ArchivingBench } from '../../../test/archiving-bench.ts';
import { unpackAlarm } from '../alarm-text.ts';
import { replaces } from '../records.ts';

const startUs = 1_700_000_000_000_000;
const good = quality.good;
const onChange = { archMode: 'change' } as const;

/** Names and times of records, the times in milliseconds since the start. */
const timed = (bench: ArchivingBench) => bench.news().map(([name, , timeUs]) => [name, (timeUs - startUs) / 1000]);
const values = (bench: ArchivingBench) => bench.news().map(([name, value]) => `${name} ${value}`);

describe('a period', () => {
  test('AR-5: that has passed without a record archives the current value, at the time of day', () => {
    const bench = new ArchivingBench();
    bench.put({ name: 'p', datatype: 'd', ...onChange, archPeriod: 1000, archValueDeadband: '10' });
    bench.put({ name: 'q', datatype: 'l', archPeriod: 700 });
    bench.scan({ p: 1, q: 5n });
    bench.clock.advance(600);
    bench.read('p', 20);
    bench.clock.advance(600);
    bench.read('p', 25); // held back: it puts nothing off
    bench.clock.advance(1500);
    assert.deepEqual(bench.news(), [
      ['p', 'd1', startUs, good],
      ['p', 'd20', startUs + 600_000, good],
      ['q', 'l5', startUs + 700_000, good],
      ['q', 'l5', startUs + 1_400_000, good],
      ['p', 'd25', startUs + 1_600_000, good],
      ['q', 'l5', startUs + 2_100_000, good],
      ['p', 'd25', startUs + 2_600_000, good],
    ]);
  });

  test('AR-5: goes on evenly while the time of day jumps', () => {
    for (const jumpMs of [3_600_000, -3_600_000, 86_400_000, -86_400_000]) {
      const bench = new ArchivingBench();
      bench.put({ name: 'p', datatype: 'd', archPeriod: 1000 });
      bench.read('p', 1);
      bench.clock.advance(2500);
      bench.clock.jump(jumpMs);
      bench.clock.advance(2500);
      const after = [3000, 4000, 5000].map((ms) => ['p', ms + jumpMs]);
      assert.deepEqual(timed(bench), [['p', 1000], ['p', 2000], ...after]);
    }
  });

  test('AR-5: is followed when it is configured otherwise, and ends with its point', () => {
    const bench = new ArchivingBench();
    bench.put({ name: 'p', datatype: 'd', archPeriod: 10_000 });
    bench.read('p', 1);
    bench.clock.advance(500);
    bench.put({ name: 'p', datatype: 'd', archPeriod: 1000 });
    bench.clock.advance(500);
    assert.deepEqual(timed(bench), [['p', 1000]]);
    bench.put({ name: 'p', datatype: 'd', archPeriod: 0 });
    bench.clock.advance(5000);
    bench.put({ name: 'p', datatype: 'd', archPeriod: 100 });
    bench.clock.advance(100);
    assert.deepEqual(timed(bench), [['p', 6100]]);
    bench.remove('p');
    bench.clock.advance(5000);
    assert.deepEqual(bench.news(), []);
  });

  test('AR-5: of a command counts as well, and of one that lasts for ever nothing comes', async () => {
    const bench = new ArchivingBench();
    bench.putCommand({ name: 'v', datatype: 'd', initialValue: '3', archPeriod: 1000 });
    bench.put({ name: 'p', datatype: 'd', archPeriod: Number.MAX_SAFE_INTEGER });
    bench.read('p', 1);
    bench.clock.advance(1000);
    assert.deepEqual(values(bench), ['commands/v d3']);
  });

  test('AR-5: of 100,000 points is one timer', () => {
    const bench = new ArchivingBench();
    const before = bench.clock.waiting;
    const batch = new Batch();
    for (let at = 0; at < 100_000; at++) {
      bench.put({ name: `p${at}`, datatype: 'd', archPeriod: 60_000 });
      batch.number(at, at, good, startUs);
    }
    assert.equal(bench.clock.waiting, before + 1);
    bench.measurements.readings('c', batch);
    bench.clock.advance(120_000);
    const records = bench.news();
    assert.equal(records.length, 200_000);
    assert.equal(new Set(records.map(([name, , timeUs]) => `${name} ${timeUs}`)).size, 200_000);
    bench.close();
    assert.equal(bench.clock.waiting, 0);
  });
});

describe('a leader', () => {
  test('AR-6: takes its followers along, and theirs, at the time of its record', () => {
    const bench = new ArchivingBench();
    bench.put({ name: 'third', datatype: 's', leader: 'second' });
    bench.putCommand({ name: 'second', datatype: 'd', initialValue: '2', leader: 'first' });
    bench.put({ name: 'own', datatype: 'd', ...onChange, archValueDeadband: '100', leader: 'first' });
    bench.put({ name: 'first', datatype: 'd', ...onChange, archValueDeadband: '10', archPeriod: 5000 });
    bench.scan({ third: 'x', own: 1 });
    assert.deepEqual(values(bench), ['own d1']);
    bench.clock.advance(100);
    bench.read('own', 50);
    bench.read('first', 1, startUs + 70_000);
    const all = ['first', 'commands/second', 'own', 'third'];
    assert.deepEqual(
      timed(bench),
      all.map((name) => [name, 70]),
    );
    bench.read('own', 60); // within the deadband of what was archived with the leader
    bench.read('first', 2);
    assert.deepEqual(bench.news(), []);
    bench.clock.advance(5000);
    assert.deepEqual(values(bench), ['first d2', 'commands/second d2', 'own d60', 'third sx']);
  });

  test('AR-6: is a command as well as a measurement, and the measurement where both have the name', async () => {
    const bench = new ArchivingBench();
    bench.putCommand({ name: 'x', datatype: 'd', ...onChange });
    bench.put({ name: 'f', datatype: 'd', leader: 'x' });
    bench.read('f', 1);
    await bench.commands.write('x', 'd1');
    assert.deepEqual(values(bench), ['commands/x d1', 'f d1']);
    bench.put({ name: 'x', datatype: 'd', ...onChange });
    bench.clock.advance(1);
    await bench.commands.write('x', 'd2');
    assert.deepEqual(values(bench), ['commands/x d2']);
    bench.read('x', 3);
    assert.deepEqual(values(bench), ['x d3', 'f d1']);
    bench.remove('x');
    bench.clock.advance(1);
    await bench.commands.write('x', 'd4');
    assert.deepEqual(values(bench), ['commands/x d4', 'f d1']);
    bench.archiving.removeCommand('x');
    bench.commands.remove('x');
    bench.put({ name: 'f', datatype: 'd', leader: 'y' });
    bench.putCommand({ name: 'x', datatype: 'd', ...onChange });
    await bench.commands.write('x', 'd5');
    assert.deepEqual(values(bench), ['commands/x d5']);
  });

  test('AR-6: and its follower are archived once each where they change in the same scan', () => {
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const bench = new ArchivingBench();
      bench.put({ name: 'a', datatype: 'd', ...onChange });
      bench.put({ name: 'b', datatype: 'd', ...onChange, leader: 'a' });
      for (const value of [1, 2]) {
        bench.clock.advance(1);
        bench.scan(Object.fromEntries(order.map((name) => [name, value])));
      }
      assert.deepEqual(values(bench).sort(), ['a d1', 'a d2', 'b d1', 'b d2']);
    }
  });

  test('AR-6: in a circle, as there may be while a rendering is applied, is archived once', () => {
    const bench = new ArchivingBench();
    for (const name of ['a', 'b', 'c']) bench.put({ name, datatype: 'd' });
    bench.scan({ a: 1, b: 2, c: 3 });
    bench.put({ name: 'a', datatype: 'd', ...onChange, leader: 'c' });
    bench.put({ name: 'b', datatype: 'd', leader: 'a' });
    bench.put({ name: 'c', datatype: 'd', leader: 'b' });
    bench.put({ name: 'd', datatype: 'd', ...onChange, leader: 'd' });
    bench.news();
    bench.clock.advance(1);
    bench.scan({ a: 4, d: 5 });
    assert.deepEqual(values(bench), ['a d4', 'b d2', 'c d3', 'd d5']);
  });

  test('AR-6: of 10,000 followers, and a chain of 10,000, takes all of them along', () => {
    const bench = new ArchivingBench();
    const count = 10_000;
    const batch = new Batch();
    for (let at = 0; at < count; at++) {
      bench.put({ name: `f${at}`, datatype: 'd', leader: 'leader' });
      bench.put({ name: `c${at}`, datatype: 'd', leader: at === 0 ? 'leader' : `c${at - 1}` });
      for (const name of [`f${at}`, `c${at}`]) batch.number(bench.measurements.find(name), at, good, startUs);
    }
    bench.put({ name: 'leader', datatype: 'd', ...onChange });
    bench.measurements.readings('c', batch);
    bench.read('leader', 1, startUs + 7);
    const records = bench.news();
    assert.equal(records.length, 2 * count + 1);
    assert.ok(records.every(([, , timeUs]) => timeUs === startUs + 7));
  });
});

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
        ['follower', 'd2', startUs + 1_000_000, good | replaces],
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
      bench.measurements.put(driven, bench.points.get('w'));
      assert.deepEqual(bench.news(), []);
      bench.archiving.putMeasurement(driven);
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
    bench.measurements.put({ name: 'w', datatype: 'b', leader: 'p' }, bench.points.get('w'));
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
    bench.archiving.removeCommand('v');
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

describe('a time', () => {
  test('AR-12: of a record is a whole number of microseconds, whatever was given', () => {
    const bench = new ArchivingBench();
    bench.putAlarm({ name: 'a', severity: 1, ...onChange });
    const most = Number.MAX_SAFE_INTEGER;
    const given = [0, 5.4, -0.2, most, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e300];
    for (const timeUs of given) {
      bench.archiving.onAlarm({ name: 'a', timeUs, state: 'ACT_ACK', description: '', authority: '' });
    }
    const times = bench.news().map(([, , timeUs]) => timeUs);
    assert.deepEqual(times, [0, 5, 0, most, startUs, startUs, startUs, startUs, startUs]);
    assert.equal(bench.archiving.counts.mistimed, 5);
    bench.clock.jump(-1e13);
    bench.archiving.onAlarm({ name: 'a', timeUs: Number.NaN, state: 'ACT_ACK', description: '', authority: '' });
    assert.deepEqual(bench.news().at(-1)?.[2], 0);
  });

  test('AR-13: of a wrong clock is kept, counted, and its point is known', () => {
    const bench = new ArchivingBench();
    const year2000Us = 946_684_800_000_000;
    const dayUs = 86_400_000_000;
    bench.put({ name: 'p', datatype: 'd', ...onChange });
    bench.put({ name: 'q', datatype: 'd', ...onChange });
    bench.read('q', 1);
    const times = [year2000Us - 1, 1, startUs + dayUs + 1, year2000Us, startUs + dayUs];
    for (const [at, timeUs] of times.entries()) bench.read('p', at, timeUs);
    assert.deepEqual(
      bench.news().map(([, , timeUs]) => timeUs),
      [startUs, ...times],
    );
    assert.equal(bench.archiving.counts.astray, 3);
    assert.deepEqual(bench.archiving.stats().astrayNames, ['measurements/p']);
    for (let at = 0; at < 1100; at++) {
      bench.put({ name: `p${at}`, datatype: 'd', ...onChange });
      bench.read(`p${at}`, at, 1);
    }
    assert.equal(bench.archiving.counts.astray, 1103);
    assert.equal(bench.archiving.stats().astrayNames.length, 1000);
  });

  test('AR-14: of day that jumps is reported, and loses no record', () => {
    const bench = new ArchivingBench();
    bench.put({ name: 'p', datatype: 'd', ...onChange, archTimeDeadband: 500 });
    const hourMs = 3_600_000;
    let count = 0;
    for (const jumpMs of [0, hourMs, -hourMs, 24 * hourMs, -24 * hourMs, 1000, -1001]) {
      bench.clock.jump(jumpMs);
      for (let turn = 0; turn < 5; turn++) {
        bench.clock.advance(700);
        bench.read('p', ++count);
      }
    }
    const records = values(bench);
    // After the jump of a second the first record is later by that much, and none is held back.
    assert.deepEqual(
      records,
      Array.from({ length: count }, (_, at) => `p d${at + 1}`),
    );
    const byUs = [hourMs, -hourMs, 24 * hourMs, -24 * hourMs, -1001].map((ms) => ms * 1000);
    assert.deepEqual(
      bench.jumps.map((jump) => jump.byUs),
      byUs,
    );
    assert.deepEqual(bench.archiving.stats().jumps, bench.jumps);
    assert.equal(bench.jumps[0]?.atUs, startUs + 4000 * 1000 + hourMs * 1000);
  });

  test('AR-14: of day that jumps again and again is counted, and the last hundred are kept', () => {
    const bench = new ArchivingBench();
    for (let turn = 1; turn <= 130; turn++) {
      bench.clock.jump(2000 * turn);
      bench.clock.advance(1000);
    }
    const { jumpCount, jumps } = bench.archiving.stats();
    assert.deepEqual([jumpCount, jumps.length, jumps[0]?.byUs, jumps[99]?.byUs], [130, 100, 62e6, 260e6]);
    bench.close();
    assert.equal(bench.clock.waiting, 0);
  });

  test('AR-14: of the device that jumps loses no record, and their order is that of arrival', () => {
    const anyTimes = fc.array(fc.constantFrom(-86_400e6, -3600e6, -1, 1, 3600e6, 86_400e6), { maxLength: 40 });
    fc.assert(
      fc.property(anyTimes, (steps) => {
        const bench = new ArchivingBench();
        bench.put({ name: 'p', datatype: 'i', ...onChange });
        let timeUs = startUs;
        const given = steps.map((step, at) => {
          timeUs += step;
          return [`i${at}`, timeUs];
        });
        for (const [at, [, us]] of given.entries()) bench.read('p', at, us as number);
        assert.deepEqual(
          bench.news().map(([, value, us]) => [value, us]),
          given,
        );
      }),
    );
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
