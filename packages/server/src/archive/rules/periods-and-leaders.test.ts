import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, quality } from '@telltale/schema';
import { ArchivingBench } from '../../../test/archiving-bench.ts';

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
    const before = bench.clock.pending;
    const batch = new Batch();
    for (let at = 0; at < 100_000; at++) {
      bench.put({ name: `p${at}`, datatype: 'd', archPeriod: 60_000 });
      batch.number(at, at, good, startUs);
    }
    assert.equal(bench.clock.pending, before + 1);
    bench.measurements.readings('c', batch);
    bench.clock.advance(120_000);
    const records = bench.news();
    assert.equal(records.length, 200_000);
    assert.equal(new Set(records.map(([name, , timeUs]) => `${name} ${timeUs}`)).size, 200_000);
    bench.close();
    assert.equal(bench.clock.pending, 0);
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
    bench.archiving.remove('commands', bench.commands.find('x'), 'x');
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
