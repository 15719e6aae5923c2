import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import type { StackPoint } from '@telltale/stack-kit';
import { SimulatedLink } from '../test/simulated-link.ts';

const explain = (link: SimulatedLink, name: string) => link.connector.explain?.({ name } as StackPoint);

describe('an explanation of the simulator', () => {
  test('has the value of the last scan, whatever function made it', async () => {
    const link = new SimulatedLink({ scanPeriodMs: 100 });
    const addresses = ['sine()', 'walk()', 'counter(period=0.1)', 'square(period=1)'];
    link.setPoints([
      ...addresses.map((address, at) => ({ name: `p${at}`, address })),
      { name: 'word', address: 'text(words="a|b")', datatype: 's' as const },
    ]);
    assert.equal(explain(link, 'p0'), undefined, 'nothing was read yet');
    await link.start();
    for (let scans = 0; scans < 20; scans++) {
      link.clock.advance(100);
      const timeUs = link.scans.at(-1)?.timeUs;
      for (const [name, { value }] of link.readings) {
        const { request, ...reported } = explain(link, name) ?? assert.fail(name);
        assert.deepEqual(reported, {
          timeUs,
          raw: undefined,
          value,
          error: undefined,
          device: undefined,
          scanPeriodMs: 100,
        });
        assert.match(request, /^compute /);
      }
    }
    assert.equal(explain(link, 'nobody'), undefined);
    await link.stop();
  });

  test('names the fault that struck it, and what it stands still at', async () => {
    const link = new SimulatedLink({ scanPeriodMs: 100 });
    link.setPoints(
      [{ name: 'count', address: 'counter(period=0.1)' }],
      [
        { name: 'spoil', address: 'bad_quality(of=count, quality=16)' },
        { name: 'freeze', address: 'freeze(of=count)' },
      ],
    );
    await link.start();
    link.clock.advance(300);
    await link.write('freeze', 10);
    const frozen = link.value('count');
    link.clock.advance(500);
    const { value, request } = explain(link, 'count') ?? {};
    assert.deepEqual([value, request], [frozen, 'compute counter(period=0.1), frozen by freeze()']);
    await link.write('spoil', 10);
    link.clock.advance(100);
    const struck = explain(link, 'count');
    assert.deepEqual([struck?.value, struck?.error], [undefined, 'bad_quality() makes it bad, sensor failure']);
    await link.stop();
  });

  test('of an address that means nothing says that there is no value', async () => {
    const link = new SimulatedLink();
    link.setPoints([{ name: 'odd', address: 'nonsense' }]);
    await link.start();
    const { value, error } = explain(link, 'odd') ?? {};
    assert.deepEqual([value, error], [undefined, 'there is no value: bad, configuration error']);
    await link.stop();
  });
});

test('the scans of the simulator are one group, and those that were left out are counted', async () => {
  const link = new SimulatedLink({ scanPeriodMs: 100 });
  link.setPoints([{ name: 'count', address: 'counter()' }]);
  const group = () => link.connector.detail?.().scanGroups?.[0];
  assert.deepEqual(group(), { periodMs: 100, points: 1, requests: 0, scans: 0, overruns: 0, tookMs: undefined });
  await link.start();
  link.clock.advance(400);
  const { scans, overruns, tookMs = -1 } = group() ?? {};
  assert.deepEqual([scans, overruns, tookMs >= 0], [5, 0, true]);
  await link.stop();

  class LateClock extends ManualClock {
    override after(ms: number, call: () => void): () => void {
      return super.after(ms + 250, call);
    }
  }
  const late = new SimulatedLink({ scanPeriodMs: 100 }, new LateClock(0));
  late.setPoints([]);
  await late.start();
  late.clock.advance(1000); // scans at 0, 350, 650 and 950, and none at 200, 300, 500, 600, 800 and 900
  assert.equal(late.connector.detail?.().scanGroups?.[0]?.overruns, 6);
  await late.stop();
});
