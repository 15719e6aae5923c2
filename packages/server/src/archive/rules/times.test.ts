import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ArchivingBench } from '../../../test/archiving-bench.ts';

const startUs = 1_700_000_000_000_000;
const onChange = { archMode: 'change' } as const;

const values = (bench: ArchivingBench) => bench.news().map(([name, value]) => `${name} ${value}`);

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
    assert.equal(bench.clock.pending, 0);
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
