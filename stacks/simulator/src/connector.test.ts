import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { type Reading, SimulatedLink } from '../test/simulated-link.ts';

const valuesOf = (link: SimulatedLink, name: string) => link.scans.map(({ readings }) => readings.get(name)?.value);

describe('a scan', () => {
  test('comes once a period, all measurements in one batch, good, with its own time', async () => {
    const link = new SimulatedLink({ scanPeriodMs: 200 });
    link.setPoints([
      { name: 'wave', address: 'sine()' },
      { name: 'count', address: 'counter()', datatype: 'l' },
      { name: 'word', address: 'text(words="a|b")', datatype: 's' },
    ]);
    const beginUs = link.clock.now();
    await link.start();
    link.clock.advance(1000);
    assert.deepEqual(
      link.scans.map(({ timeUs }) => (timeUs - beginUs) / 1000),
      [0, 200, 400, 600, 800, 1000],
    );
    for (const { timeUs, readings } of link.scans) {
      assert.deepEqual([...readings.keys()], ['wave', 'count', 'word']);
      for (const reading of readings.values()) {
        assert.deepEqual([reading.quality, reading.timeUs], [quality.good, timeUs]);
      }
    }
    assert.deepEqual(valuesOf(link, 'count'), [0n, 0n, 0n, 0n, 0n, 1n]);
    assert.equal(await link.stop(), undefined);
  });

  /** Timers that come so much later than asked. */
  class ErringClock extends ManualClock {
    lateMs = 0;

    override after(ms: number, call: () => void): () => void {
      return super.after(ms + this.lateMs, call);
    }
  }

  async function erring(lateMs: number) {
    const clock = new ErringClock(0);
    clock.lateMs = lateMs;
    const link = new SimulatedLink({ scanPeriodMs: 100 }, clock);
    link.setPoints([{ name: 'count', address: 'counter(period=0.1)' }]);
    await link.start();
    return { clock, link, scanned: () => link.scans.map(({ timeUs }) => timeUs / 1000) };
  }

  test('keeps its rhythm when each comes late or early, and leaves out what was missed', async () => {
    for (const [lateMs, expected] of [
      [30, [0, 130, 230, 330, 430]],
      [250, [0, 350, 650, 950]],
      [-1, [0, 99, 199, 299, 399, 499]],
    ] as const) {
      const { clock, link, scanned } = await erring(lateMs);
      clock.advance(500);
      assert.deepEqual(
        scanned(),
        expected.filter((ms) => ms <= 500),
      );
      await link.stop();
    }
  });

  test('keeps its rhythm when the time of day is set; counters, faults and delays go on as if it were not', async () => {
    for (const byMs of [35_000, -3_600_000, 365 * 86_400_000]) {
      const link = new SimulatedLink({ scanPeriodMs: 100 });
      link.setPoints(
        [
          { name: 'count', address: 'counter(period=0.1)' },
          { name: 'late', address: 'echo(x, delay=1)' },
          { name: 'spoiled', address: 'bad_quality(of=late)', datatype: 'b' },
        ],
        [
          { name: 'x', address: 'echo(x)' },
          { name: 'spoil', address: 'bad_quality(of=late)' },
        ],
      );
      await link.start();
      await link.write('spoil', 2);
      await link.write('x', 5);
      link.clock.jump(byMs);
      link.clock.advance(900);
      assert.deepEqual([link.scans.length, link.value('count'), link.value('spoiled')], [10, 9, 1]);
      link.clock.jump(byMs);
      link.clock.advance(1000);
      assert.deepEqual([link.scans.length, link.value('count'), link.value('spoiled')], [20, 19, 1]);
      link.clock.advance(100);
      assert.deepEqual([link.value('late'), link.value('spoiled')], [5, 0]);
      assert.equal(link.connector.detail?.().scanGroups?.[0]?.overruns, 0);
      await link.stop();
    }
  });

  test('after which the connector has ended leaves no timer', async () => {
    const link = new SimulatedLink();
    link.setPoints(
      [{ name: 'level', address: 'sine()' }],
      [
        { name: 'slow', address: 'slow_write()', datatype: 'b' },
        { name: 'tag', address: 'echo(tag)' },
        { name: 'seen', address: 'bus(tag)' },
        { name: 'drop', address: 'drop_link()' },
      ],
    );
    await link.start();
    await link.write('slow', true);
    const pending = assert.rejects(link.write('tag', 1), { name: 'notSent' });
    assert.equal(link.clock.pending, 2);
    await link.stop();
    await pending;
    assert.equal(link.clock.pending, 0);
    await link.start();
    await link.write('drop', 10);
    link.setPoints([]);
    await link.stop();
    assert.equal(link.clock.pending, 0);
    const aborted = AbortSignal.abort();
    await link.connector.run(aborted);
    await link.connector.close();
    assert.equal(link.clock.pending, 0);
  });
});

test('whoever is published to may end the connector or change its points then and there', async () => {
  const link = new SimulatedLink();
  const points = [{ name: 'count', address: 'counter()' }];
  link.setPoints(points);
  await link.start();
  link.onScan = () => link.setPoints(points);
  link.clock.advance(500);
  assert.equal(link.clock.pending, 1);
  link.onScan = () => link.stop();
  link.clock.advance(500);
  await link.lost();
  assert.equal(link.clock.pending, 0);
});

describe('time', () => {
  test('runs faster by the speed, for functions and not for delays', async () => {
    const slow = new SimulatedLink({ speed: 1 }, new ManualClock(0));
    const fast = new SimulatedLink({ speed: 60 }, new ManualClock(0));
    for (const link of [slow, fast]) {
      link.setPoints(
        [
          { name: 'saw', address: 'ramp(high=60, period=3600)' },
          { name: 'count', address: 'counter(period=60)' },
          { name: 'late', address: 'echo(x, delay=10)' },
        ],
        [{ name: 'x', address: 'echo(x)' }],
      );
      await link.start();
      await link.write('x', 5);
    }
    slow.clock.advance(600_000);
    fast.clock.advance(10_000);
    assert.deepEqual([slow.value('saw'), slow.value('count')], [10, 10]);
    assert.deepEqual([fast.value('saw'), fast.value('count')], [10, 10]);
    assert.equal(fast.value('late'), 5);
    assert.equal(fast.scans.at(-2)?.readings.get('late')?.value, 0);
    await Promise.all([slow.stop(), fast.stop()]);
  });

  test('does not jump with a restart: what follows the clock goes on as if nothing had been', async () => {
    const address = fc.constantFrom('sine(period=7)', 'ramp(period=9, fall=2)', 'square(period=3)', 'sine(phase=-4)');
    await fc.assert(
      fc.asyncProperty(address, fc.integer({ min: 0, max: 100_000 }), async (address, ms) => {
        const seen: (Reading | undefined)[] = [];
        for (const startMs of [0, ms]) {
          const link = new SimulatedLink({ scanPeriodMs: 1000 }, new ManualClock(startMs * 1000));
          link.setPoints([{ name: 'x', address }]);
          await link.start();
          link.clock.advance(100_000 - startMs);
          link.setPoints([{ name: 'x', address }]);
          link.clock.advance(0);
          seen.push(link.readings.get('x'));
          await link.stop();
        }
        assert.deepEqual(seen[0], seen[1]);
      }),
      { numRuns: 30 },
    );
  });
});

describe('points that change while it runs', () => {
  const counting = { name: 'count', address: 'counter()' };
  const walking = { name: 'walk', address: 'walk()' };

  test('those that stay go on, under another id as well; new ones begin, gone ones stop, all are reported at once', async () => {
    const link = new SimulatedLink({ scanPeriodMs: 10_000 });
    const alone = new SimulatedLink({ scanPeriodMs: 10_000 });
    for (const each of [link, alone]) {
      each.setPoints([counting, walking, { name: 'gone', address: 'sine()' }]);
      await each.start();
      each.clock.advance(20_000);
    }
    link.setPoints([walking, counting, { name: 'new', address: 'counter(low=3)' }]);
    link.clock.advance(1);
    assert.deepEqual([...(link.scans.at(-1)?.readings.keys() ?? [])], ['walk', 'count', 'new']);
    assert.deepEqual([link.value('count'), link.value('new')], [20, 3]);
    for (const each of [link, alone]) each.clock.advance(10_000);
    assert.equal(link.value('walk'), alone.value('walk'));
    link.setPoints([{ ...counting, address: 'counter(low=50)' }]);
    link.clock.advance(1);
    assert.equal(link.value('count'), 50);
    await Promise.all([link.stop(), alone.stop()]);
  });

  test('a fault whose command is gone has ended; one whose command stays holds on', async () => {
    const link = new SimulatedLink();
    const faults = [
      { name: 'stick', address: 'freeze(of=count)', datatype: 'b' as const },
      { name: 'spoil', address: 'bad_quality(of=count, quality=80)', datatype: 'b' as const },
    ];
    link.setPoints([counting], faults);
    await link.start();
    for (const { name } of faults) await link.write(name, true);
    link.setPoints([counting], faults.slice(0, 1));
    link.clock.advance(5000);
    assert.deepEqual([link.value('count'), link.quality('count')], [0, quality.good]);
    link.setPoints([counting]);
    link.clock.advance(500);
    assert.equal(link.value('count'), 5);
    await link.stop();
  });

  test('an address that nobody can read is bad, configuration error, and harms no other', async () => {
    const link = new SimulatedLink();
    link.setPoints(
      [{ name: '__proto__', address: 'nonsense' }, { name: 'constructor', address: 'model(tank1_level)' }, counting],
      [{ name: 'toString', address: 'sine(' }],
    );
    await link.start();
    assert.equal(link.quality('__proto__'), quality.bad.configurationError);
    assert.equal(link.quality('constructor'), quality.bad.configurationError);
    assert.equal(link.quality('count'), quality.good);
    await assert.rejects(link.write('toString', 1), { name: 'refused', message: /toString/ });
    await link.stop();
  });
});

describe('an echo', () => {
  test('shows what was written after its delay, in its own datatype', async () => {
    const link = new SimulatedLink();
    link.setPoints(
      [
        { name: 'now', address: 'echo(valve.position)' },
        { name: 'late', address: 'echo(valve.position, delay=3)' },
        { name: 'whole', address: 'echo(valve.position)', datatype: 'i' },
        { name: 'word', address: 'echo(valve.position)', datatype: 's' },
      ],
      [{ name: 'position', address: 'echo(valve.position)' }],
    );
    await link.start();
    const shown = () => ['now', 'late', 'whole', 'word'].map((name) => link.value(name));
    assert.deepEqual(shown(), [0, 0, 0, '']);
    await link.write('position', 40);
    link.clock.advance(500);
    assert.deepEqual(shown(), [40, 0, 40, undefined]);
    assert.equal(link.quality('word'), quality.bad.sensorFailure);
    await link.write('position', 40.5);
    link.clock.advance(2500);
    assert.deepEqual(shown(), [40.5, 40, undefined, undefined]);
    assert.equal(link.quality('whole'), quality.bad.sensorFailure);
    link.clock.advance(500);
    assert.equal(link.value('late'), 40.5);
    await link.stop();
  });

  test('begins with what its command shows, and so does a fault that is switched', async () => {
    const link = new SimulatedLink();
    const commands = [
      { name: 'panel', address: 'echo(panel)', datatype: 's' as const, last: 'closed today' },
      { name: 'stuck', address: 'freeze(of=shown)', datatype: 'b' as const, last: true },
      { name: 'dropped', address: 'drop_link()', last: 10 },
    ];
    const measurements = [
      { name: 'shown', address: 'echo(panel, delay=5)', datatype: 's' as const },
      { name: 'stuck', address: 'freeze(of=shown)', datatype: 'b' as const },
    ];
    link.setPoints(measurements, commands);
    await link.start();
    assert.deepEqual([link.value('shown'), link.value('stuck')], ['closed today', 1]);
    await link.stop();
  });
});
