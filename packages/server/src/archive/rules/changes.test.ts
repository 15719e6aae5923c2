import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { quality, type Value } from '@telltale/schema';
import { ArchivingBench, type Handed } from '../../../test/archiving-bench.ts';
import { simulated } from '../records.ts';

const startUs = 1_700_000_000_000_000;
const good = quality.good;

/** A measurement p that is archived when it changes. */
function benchOf(datatype: 'b' | 'q' | 'i' | 'l' | 'f' | 'd' | 's', rules: object = {}): ArchivingBench {
  const bench = new ArchivingBench();
  bench.put({ name: 'p', datatype, archMode: 'change', ...rules });
  return bench;
}

/** Reads the values a millisecond apart, and tells those that were archived. */
function archivedOf(bench: ArchivingBench, ...values: Value[]): string[] {
  for (const value of values) {
    bench.clock.advance(1);
    bench.read('p', value);
  }
  return bench.news().map(([, value]) => value);
}

describe('a change', () => {
  test('AR-1: of every datatype is archived exactly, with its own time and the low byte of its quality', () => {
    const values: [Parameters<typeof benchOf>[0], Value, string][] = [
      ['b', true, 'b1'],
      ['q', 2, 'q2'],
      ['i', -2147483648, 'i-2147483648'],
      ['l', 9007199254740993n, 'l9007199254740993'],
      ['f', 0.5, 'f0.5'],
      ['d', 0.1, 'd0.1'],
      ['s', 'ö\u0000"', 'sö\u0000"'],
    ];
    for (const [datatype, value, shown] of values) {
      const bench = benchOf(datatype);
      bench.read('p', value, startUs + 123_457, 0x4054);
      bench.read('p', value, startUs + 123_458, 0x4054);
      bench.read('p', value, startUs + 123_459, 0x4000 | good);
      const expected: Handed[] = [
        ['p', shown, startUs + 123_457, 0x54],
        ['p', shown, startUs + 123_458, 0x54],
        ['p', shown, startUs + 123_459, good],
      ];
      assert.deepEqual(bench.news(), expected);
      assert.deepEqual(bench.sink.sources, [{ kind: 'measurements', name: 'p', datatype }]);
    }
  });

  test('AR-1: is not archived without archMode, or with none', () => {
    const bench = new ArchivingBench();
    bench.put({ name: 'unset', datatype: 'd' });
    bench.put({ name: 'none', datatype: 'd', archMode: 'none' });
    bench.scan({ unset: 1, none: 1 });
    assert.deepEqual([bench.news(), bench.archiving.counts.offered, bench.sink.sources], [[], 0, []]);
  });

  test('AR-1: of a name that is a word of the language is archived as any other', () => {
    const bench = new ArchivingBench();
    for (const name of ['__proto__', 'constructor']) {
      bench.put({ name, datatype: 'd', archMode: 'change', leader: 'toString' });
      bench.read(name, 1);
    }
    assert.deepEqual(
      bench.news().map(([name]) => name),
      ['__proto__', 'constructor'],
    );
  });

  test('AR-23: of a simulated measurement is marked; a good value is good with local override, others keep their low byte', async () => {
    const low = [
      [0xc0, 0xd8],
      [0xc3, 0xd8],
      [0x40, 0x40],
      [0x7f01, 0x01],
      [0x18, 0x18],
    ] as const;
    for (const [given, archived] of low) {
      const bench = benchOf('d');
      bench.read('p', 1);
      bench.clock.advance(10);
      await bench.simulate('p', 'd2', given);
      assert.deepEqual(bench.news().slice(1), [['p', 'd2', startUs + 10_000, archived | simulated]]);
    }
  });

  test('AR-4: of the same value, simulated or no longer, is archived whatever the deadbands', async () => {
    for (const given of [0xc0, 0xd8, 0x40]) {
      const bench = benchOf('d', { archValueDeadband: '100', archTimeDeadband: 60_000 });
      bench.read('p', 1, startUs, given);
      bench.clock.advance(10);
      await bench.simulate('p', 'd1', given);
      bench.clock.advance(10);
      await bench.simulate('p', 'd2', given);
      await bench.measurements.stopSimulation('p');
      const forced = given === 0x40 ? 0x40 : 0xd8;
      assert.deepEqual(bench.news().slice(1), [
        ['p', 'd1', startUs + 10_000, forced | simulated],
        ['p', 'd1', startUs + 20_000, given],
      ]);
    }
  });

  test('AR-1: of a command is archived with its time', async () => {
    const bench = new ArchivingBench();
    bench.putCommand({ name: 'v', datatype: 'd', archMode: 'change', archValueDeadband: '2' });
    bench.clock.advance(5);
    for (const value of ['d1', 'd2', 'd3']) await bench.commands.write('v', value);
    assert.deepEqual(bench.news(), [
      ['commands/v', 'd1', startUs + 5000, 0],
      ['commands/v', 'd3', startUs + 5002, 0],
    ]);
  });

  test('AR-2: of less than the value deadband since the last record is held back', () => {
    const values = [10, 11.9, 8.1, 12, 13.9, 10.1, 14, 12.5, 12];
    assert.deepEqual(archivedOf(benchOf('d', { archValueDeadband: '2' }), ...values), ['d10', 'd12', 'd14', 'd12']);
    assert.deepEqual(archivedOf(benchOf('i', { archValueDeadband: '2' }), 1, 2, 3, 2, 1), ['i1', 'i3', 'i1']);
    assert.deepEqual(archivedOf(benchOf('f', { archValueDeadband: '0.5' }), 1, 1.25, 1.5), ['f1', 'f1.5']);
    assert.deepEqual(archivedOf(benchOf('d'), 1, 1, 1).length, 3);
    assert.deepEqual(archivedOf(benchOf('d', { archValueDeadband: '0' }), 1, 1).length, 2);
  });

  test('AR-2: of a 64-bit integer is compared exactly', () => {
    const base = 2n ** 62n;
    const bench = benchOf('l', { archValueDeadband: '3' });
    const values = [base, base + 2n, base - 2n, base + 3n, base, -(2n ** 63n), 2n ** 63n - 1n];
    assert.deepEqual(
      archivedOf(bench, ...values),
      [base, base + 3n, base, -(2n ** 63n), 2n ** 63n - 1n].map((value) => `l${value}`),
    );
  });

  test('AR-2: of a text, a boolean or a state passes, whatever is configured', () => {
    assert.deepEqual(archivedOf(benchOf('s', { archValueDeadband: '5' }), '1', '2'), ['s1', 's2']);
    assert.deepEqual(archivedOf(benchOf('b', { archValueDeadband: '5' }), true, false), ['b1', 'b0']);
    assert.deepEqual(archivedOf(benchOf('d', { archValueDeadband: 'x' }), 1, 1.1), ['d1', 'd1.1']);
  });

  test('AR-3: that comes within the time deadband of the last record is held back, by the times of both', () => {
    for (const datatype of ['d', 'l'] as const) {
      const bench = benchOf(datatype, { archTimeDeadband: 10 });
      const value = (at: number) => (datatype === 'l' ? BigInt(at) : at);
      const timesMs = [0, 9, 9.999, 10, 15, 20];
      for (const at of timesMs.keys()) bench.read('p', value(at), startUs + 1000 * (timesMs[at] as number));
      assert.deepEqual(
        bench.news().map(([, , timeUs]) => (timeUs - startUs) / 1000),
        [0, 10, 20],
      );
      assert.equal(bench.archiving.counts.suppressed.timeDeadband, 3);
    }
  });

  test('AR-3: with a time before that of the last record is never held back by the time deadband', () => {
    const bench = benchOf('d', { archTimeDeadband: 3_600_000 });
    const hourUs = 3_600_000_000;
    const timesUs = [0, hourUs, 1, 2, 0, hourUs - 1, hourUs].map((us) => startUs + us);
    for (const [at, timeUs] of timesUs.entries()) bench.read('p', at, timeUs);
    assert.deepEqual(
      bench.news().map(([, value]) => value),
      ['d0', 'd1', 'd2', 'd4', 'd6'],
    );
  });

  test('AR-4: of the quality is archived whatever the deadbands say; of vendor flags it is none', () => {
    const bench = benchOf('d', { archValueDeadband: '5', archTimeDeadband: 1000 });
    for (const [at, status] of [good, 0x40, 0x4040, 0x10, good].entries()) bench.read('p', 1, startUs + at, status);
    assert.deepEqual(
      bench.news().map(([, , , status]) => status),
      [good, 0x40, 0x10, good],
    );
  });

  test('AR-4: by the loss of the link is archived, at the time of the loss', () => {
    const bench = benchOf('d', { archValueDeadband: '5', archTimeDeadband: 1000 });
    bench.read('p', 1);
    bench.measurements.setLink('connector', 'c', false, startUs + 3);
    assert.deepEqual(bench.news().slice(1), [['p', 'd1', startUs + 3, quality.bad.communicationFailure]]);
  });

  test('AR-7: before there is a value is not archived', async () => {
    const bench = benchOf('d', { archPeriod: 1000 });
    bench.put({ name: 'leader', datatype: 'd', archMode: 'change' });
    bench.put({ name: 'follower', datatype: 'd', leader: 'leader' });
    bench.putCommand({ name: 'v', datatype: 'd', archMode: 'change', archPeriod: 1000 });
    bench.clock.advance(3000);
    assert.deepEqual(bench.news(), []);
    bench.read('leader', 1);
    assert.deepEqual(bench.news().length, 1);
    assert.equal(bench.archiving.counts.suppressed.noValue, 3 + 3 + 3 + 1);
  });

  test('AR-8: that says what the last record says of the same time is not archived again', () => {
    const values: [Parameters<typeof benchOf>[0], Value, Value][] = [
      ['d', 1, 2],
      ['d', 0, -0],
      ['l', 2n ** 60n, 2n ** 60n + 1n],
      ['s', 'a', 'b'],
      ['b', true, false],
    ];
    for (const [datatype, one, other] of values) {
      const bench = benchOf(datatype);
      for (const value of [one, one, other, one]) bench.read('p', value, startUs);
      bench.read('p', one, startUs, 0x40);
      assert.equal(bench.news().length, 4, datatype);
      assert.equal(bench.archiving.counts.suppressed.repeated, 1);
    }
  });
});

describe('what comes back', () => {
  test('AR-10: after a simulation is archived when it comes back', async () => {
    for (const archPeriod of [0, 600]) {
      const bench = benchOf('d', { archPeriod });
      bench.read('p', 0, startUs - 1);
      bench.read('p', 1);
      bench.clock.advance(1000);
      await bench.simulate('p', 'd9');
      bench.clock.advance(1000);
      bench.put({ name: 'p', datatype: 'd', archMode: 'change', archPeriod, description: 'configured otherwise' });
      await bench.measurements.stopSimulation('p');
      const records = bench.news();
      assert.deepEqual(records.at(1), ['p', 'd1', startUs, good]);
      assert.deepEqual(records.at(-1), ['p', 'd1', startUs + 2_000_000, good]);
      bench.clock.advance(500);
      bench.read('p', 2);
      assert.deepEqual(bench.news(), [['p', 'd2', startUs + 2_500_000, good]]);
    }
  });

  test('AR-10: with a newer value of the device keeps the time of that', async () => {
    const bench = benchOf('d');
    bench.read('p', 1);
    await bench.simulate('p', 'd9');
    bench.clock.advance(1000);
    bench.read('p', 2);
    bench.clock.advance(1000);
    await bench.measurements.stopSimulation('p');
    assert.deepEqual(bench.news().at(-1), ['p', 'd2', startUs + 1_000_000, good]);
  });

  test('AR-10: after a watchdog had its say is archived when it comes back', () => {
    const bench = new ArchivingBench();
    bench.put({ name: 'alive', datatype: 'b' });
    bench.put({ name: 'p', datatype: 'd', archMode: 'change' });
    bench.measurements.putLink('connector', 'c', 'alive');
    bench.read('alive', true);
    bench.read('p', 1);
    bench.clock.advance(1000);
    bench.read('alive', false);
    bench.clock.advance(1000);
    bench.read('alive', true);
    assert.deepEqual(bench.news().slice(-3), [
      ['p', 'd1', startUs, good],
      ['p', 'd1', startUs + 1_000_000, quality.bad.communicationFailure],
      ['p', 'd1', startUs + 2_000_000, good],
    ]);
  });

  test('AR-10: an earlier time that is new is the device’s own, and stays', () => {
    const bench = benchOf('d');
    bench.read('p', 1);
    bench.measurements.setLink('connector', 'c', false, startUs + 5000);
    bench.measurements.setLink('connector', 'c', true, startUs + 6000);
    bench.read('p', 1, startUs + 1000);
    assert.deepEqual(bench.news().at(-1), ['p', 'd1', startUs + 1000, good]);
  });
});
