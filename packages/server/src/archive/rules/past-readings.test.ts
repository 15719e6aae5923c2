import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { ArchivingBench } from '../../../test/archiving-bench.ts';
import { replaces } from '../records.ts';

const startUs = 1_700_000_000_000_000;
const [good, bad] = [quality.good, quality.bad.sensorFailure];
const onChange = { archMode: 'change' } as const;

describe('a reading of the past', () => {
  test('AR-27: is archived alone, as a live one would be, and replaces a record of the same time', () => {
    const bench = new ArchivingBench();
    const ranges = { rawRangeLo: '0', rawRangeHi: '100', euRangeLo: '0', euRangeHi: '1' };
    bench.put({ name: 'p', datatype: 'd', ...onChange, ...ranges });
    bench.put({ name: 'follower', datatype: 'd', leader: 'p' });
    bench.read('follower', 1);
    bench.read('p', 50);
    bench.news();
    const seen: number[] = [];
    bench.measurements.onChanges(({ count }) => seen.push(count));
    assert.equal(bench.past('p', [20, startUs - 300], [120, startUs - 200], [undefined, startUs - 100, bad]), 3);
    const limited = quality.uncertain.engineeringUnitsExceeded | quality.limit.high;
    assert.deepEqual(bench.news(), [
      ['p', 'd0.2', startUs - 300, good | replaces],
      ['p', 'd1.2', startUs - 200, limited | replaces],
      ['p', 'd1.2', startUs - 100, bad | replaces],
    ]);
    assert.deepEqual(seen, []);
    const handle = bench.measurements.find('p');
    assert.deepEqual([bench.measurements.valueOf(handle), bench.measurements.timeOf(handle)], [0.5, startUs]);
  });

  test('AR-27: is not archived where changes are not, nor while the object is simulated', async () => {
    const bench = new ArchivingBench();
    bench.put({ name: 'p', datatype: 'd', archMode: 'none', archPeriod: 1000 });
    assert.equal(bench.past('p', [1, startUs - 1]), 0);
    assert.equal(bench.archiving.counts.suppressed.notArchived, 1);
    bench.put({ name: 'p', datatype: 'd', ...onChange });
    await bench.simulate('p', 'd7');
    bench.news();
    assert.equal(bench.past('p', [1, startUs - 1]), 0);
    assert.deepEqual(bench.news(), []);
  });

  test('AR-28: passes the deadbands among its like, and not against live records', () => {
    const bench = new ArchivingBench();
    bench.put({ name: 'p', datatype: 'd', ...onChange, archValueDeadband: '5', archTimeDeadband: 10 });
    bench.read('p', 100);
    bench.news();
    const at = (ms: number) => startUs - 100_000 + ms * 1000;
    bench.past('p', [100, at(0)], [103, at(20)], [106, at(5)], [106, at(20)], [106, at(21), bad], [200, at(31), bad]);
    assert.deepEqual(
      bench.news().map(([, value, timeUs]) => [value, (timeUs - at(0)) / 1000]),
      [
        ['d100', 0],
        ['d106', 20],
        ['d106', 21],
        ['d200', 31],
      ],
    );
    bench.past('p', [1, at(2)]);
    assert.equal(bench.news().length, 1, 'an earlier one is always archived');
  });

  test('AR-29: of a time to come or of none is left out, and every one is counted', () => {
    const bench = new ArchivingBench();
    bench.put({ name: 'p', datatype: 'd', ...onChange });
    const before = bench.archiving.counts;
    assert.equal(bench.past('p', [1, startUs + 1_000_000], [2, 0], [3, Number.NaN], [4, startUs - 5]), 1);
    const { offered, handedOn, suppressed } = bench.archiving.counts;
    assert.equal(suppressed.notPast, 3);
    assert.equal(offered - before.offered, handedOn - before.handedOn + 3);
  });
});
