import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { benchWith, type PointsBench, problemOf } from '../../test/points-bench.ts';
import { allHeard } from '../../test/slow-disk.ts';

function setUp(): PointsBench {
  const bench = benchWith({ datatype: 'd' });
  bench.read('c', { point: 'p', value: 7, timeUs: 3 });
  return bench;
}

/** What reads show, and what a restart would show: undefined where nothing is forced. */
function forced(bench: PointsBench): [shown: string | undefined, stored: string | undefined] {
  return [bench.measurements.simulations()[0]?.value, bench.disk.simulations.get('p')?.value];
}

const minuteMs = 60_000;

describe('operations on one measurement', () => {
  test('SI-9: are carried out in the order in which they came, while the disk is slow', async () => {
    const bench = setUp();
    const release = bench.disk.stall();
    const operations = [bench.simulate('p', { value: 'd1' }), bench.measurements.stopSimulation('p')];
    release();
    await Promise.all(operations);
    assert.deepEqual(forced(bench), [undefined, undefined]);
    assert.deepEqual(bench.vtq('p'), ['d7', 3, 0xc0]);
  });

  test('SI-9: the last of several simulations counts, though the one before them expires meanwhile', async () => {
    const bench = setUp();
    await bench.simulate('p', { value: 'd1', validForS: 1 });
    const release = bench.disk.stall();
    const operations = [
      bench.simulate('p', { value: 'd2', validForS: 60 }),
      bench.measurements.stopSimulation('p'),
      bench.simulate('p', { value: 'd3' }),
      bench.simulate('p', { value: 'd4' }),
    ];
    bench.clock.advance(1000);
    release();
    await Promise.all(operations);
    await allHeard();
    assert.deepEqual(forced(bench), ['d4', 'd4']);
  });

  test('SI-11: are those of another node of the site, which has stored them: nothing is stored of it here', async () => {
    const bench = setUp();
    const { measurements } = bench;
    const simulated = { name: 'p', value: 'd4', quality: 0x80c0, sinceUs: 1, untilUs: undefined, by: 'anna' };
    measurements.storedElsewhere('p', simulated);
    measurements.storedElsewhere('later', { ...simulated, name: 'later' });
    assert.deepEqual(forced(bench), ['d4', undefined]);
    assert.deepEqual([...measurements.storedSimulations()], [{ ...simulated, reason: undefined }]);
    measurements.storedElsewhere('p', undefined);
    measurements.storedElsewhere('later', undefined);
    await allHeard();
    assert.deepEqual([...forced(bench), bench.vtq('p')[0]], [undefined, undefined, 'd7']);
  });

  test('SI-9: one that is refused does not keep the next from its turn', async () => {
    const bench = setUp();
    const release = bench.disk.stall();
    const refused = problemOf(bench.simulate('p', { value: 'i1' }));
    const taken = bench.simulate('p', { value: 'd2' });
    release();
    assert.equal(await refused, 'invalid-value');
    await taken;
    assert.deepEqual(forced(bench), ['d2', 'd2']);
  });

  test('SI-9: whatever comes, disk and reads agree in the end, and the last that was taken counts', async () => {
    const anyStep = fc.oneof(
      fc.record({ simulate: fc.integer({ min: 1, max: 9 }), validForS: fc.constantFrom(undefined, 1, 5) }),
      fc.constant('stop' as const),
      fc.constantFrom(0, 500, 1000, 5000),
      fc.constantFrom('full' as const, 'empty' as const, 'stall' as const, 'release' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
        const bench = setUp();
        let release = () => {};
        let last: Promise<string> | undefined;
        let expected: string | undefined;
        const underWay: Promise<void>[] = [];
        const follow = (operation: Promise<void>, value: string | undefined) => {
          last = problemOf(operation);
          underWay.push(
            last.then((problem) => {
              if (problem === 'none') expected = value;
            }),
          );
        };
        for (const step of steps) {
          if (typeof step === 'number') bench.clock.advance(step);
          else if (step === 'stop') follow(bench.measurements.stopSimulation('p'), undefined);
          else if (step === 'full' || step === 'empty') bench.disk.isFull = step === 'full';
          else if (step === 'stall') {
            release();
            release = bench.disk.stall();
          } else if (step === 'release') release();
          else {
            const value = `d${step.simulate}`;
            // One with an end is over when it is looked at.
            const left = step.validForS === undefined ? value : undefined;
            follow(bench.simulate('p', { value, validForS: step.validForS }), left);
          }
          await allHeard();
        }
        release();
        bench.disk.isFull = false;
        await Promise.all(underWay);
        bench.clock.advance(minuteMs);
        await allHeard();
        assert.deepEqual(forced(bench), [expected, expected]);
        assert.equal(bench.measurements.unsaved, 0);
      }),
    );
  });
});

describe('a simulation that is refused', () => {
  test('SI-9: since its measurement has another datatype by then leaves nothing on disk', async () => {
    const bench = setUp();
    const release = bench.disk.stall();
    const done = problemOf(bench.simulate('p', { value: 'd1' }));
    bench.put({ name: 'p', datatype: 'i', connectorName: 'c', address: 'a' });
    release();
    assert.equal(await done, 'invalid-value');
    assert.deepEqual(forced(bench), [undefined, undefined]);
  });

  test('SI-9: leaves the one before it, which the disk has got', async () => {
    const bench = setUp();
    await bench.simulate('p', { value: 'd1' });
    bench.disk.isFull = true;
    assert.equal(await problemOf(bench.simulate('p', { value: 'd2' })), 'storage-failed');
    bench.disk.isFull = false;
    bench.clock.advance(1000);
    await allHeard();
    assert.deepEqual(forced(bench), ['d1', 'd1']);
  });
});

describe('a simulation that has ended while the disk refuses', () => {
  const ends: Record<string, (bench: PointsBench) => void> = {
    'its time is over': (bench) => bench.clock.advance(minuteMs),
    'its measurement goes': (bench) => bench.remove('p'),
    'its measurement has another datatype': (bench) => bench.put({ name: 'p', datatype: 'i' }),
  };
  for (const [title, end] of Object.entries(ends)) {
    test(`SI-10: is forgotten as soon as the disk takes it, and does not come back: ${title}`, async () => {
      const bench = setUp();
      await bench.simulate('p', { value: 'd1', validForS: 60 });
      bench.disk.isFull = true;
      end(bench);
      await allHeard();
      bench.clock.advance(5000);
      await allHeard();
      assert.deepEqual(forced(bench), [undefined, 'd1']);
      assert.equal(bench.measurements.unsaved, 1);
      bench.disk.isFull = false;
      bench.clock.advance(1000);
      await allHeard();
      assert.deepEqual(forced(bench), [undefined, undefined]);
      assert.deepEqual([bench.measurements.unsaved, bench.clock.pending], [0, 0]);
    });
  }

  test('SI-10: is forgotten before a stop of it is answered', async () => {
    const bench = setUp();
    await bench.simulate('p', { value: 'd1', validForS: 60 });
    bench.disk.isFull = true;
    bench.clock.advance(minuteMs);
    await allHeard();
    assert.equal(await problemOf(bench.measurements.stopSimulation('p')), 'storage-failed');
    bench.disk.isFull = false;
    await bench.measurements.stopSimulation('p');
    assert.equal(bench.disk.simulations.size, 0);
  });

  test('SI-10: is forgotten when the server ends, if the disk takes it by then', async () => {
    const bench = setUp();
    await bench.simulate('p', { value: 'd1', validForS: 60 });
    bench.disk.isFull = true;
    bench.clock.advance(minuteMs);
    await allHeard();
    bench.disk.isFull = false;
    bench.measurements.close();
    await allHeard();
    assert.deepEqual([bench.disk.simulations.size, bench.clock.pending], [0, 0]);
  });
});
