import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { NotConnected } from '@telltale/stack-kit';
import { SimulatedLink } from '../test/simulated-link.ts';

const b = 'b' as const;
const measurements = [
  { name: 'count', address: 'counter()' },
  { name: 'other', address: 'counter()' },
  { name: 'saw', address: 'ramp(high=1000, period=1000)' },
  { name: 'all_bad', address: 'bad_quality()', datatype: b },
  { name: 'count_bad', address: 'bad_quality(of=count)', datatype: b },
  { name: 'count_stuck', address: 'freeze(of=count)', datatype: b },
  { name: 'refusing', address: 'refuse_write()', datatype: b },
];
const commands = [
  { name: 'x', address: 'echo(x)' },
  { name: 'y', address: 'echo(y)' },
  { name: 'spoil', address: 'bad_quality(of=count, quality=80)', datatype: b },
  { name: 'spoil_all', address: 'bad_quality()' },
  { name: 'stick', address: 'freeze(of=count)', datatype: b },
  { name: 'stick_all', address: 'freeze()', datatype: 'i' as const },
  { name: 'slow', address: 'slow_write(of=x, delay=20)', datatype: b },
  { name: 'refuse', address: 'refuse_write(of=x, reason="interlock open")', datatype: b },
  { name: 'refuse_all', address: 'refuse_write()', datatype: b },
  { name: 'drop', address: 'drop_link()' },
];

async function started(): Promise<SimulatedLink> {
  const link = new SimulatedLink();
  link.setPoints(measurements, commands);
  await link.start();
  link.clock.advance(2000);
  return link;
}

describe('bad quality', () => {
  test('strikes its measurement alone, which keeps its value, until it is switched off', async () => {
    const link = await started();
    await link.write('spoil', true);
    link.clock.advance(3000);
    const { timeUs, ...reading } = link.readings.get('count') ?? assert.fail();
    assert.deepEqual([reading, timeUs], [{ value: undefined, quality: 80 }, link.clock.now()]);
    assert.deepEqual([link.value('other'), link.value('count_bad'), link.value('all_bad')], [5, 1, 0]);
    await link.write('spoil', false);
    link.clock.advance(500);
    assert.deepEqual([link.value('count'), link.quality('count'), link.value('count_bad')], [5, quality.good, 0]);
    await link.stop();
  });

  test('of all lasts for the seconds that are written, and ends at once with 0; points that show faults are spared', async () => {
    const link = await started();
    await link.write('spoil_all', 2);
    link.clock.advance(1500);
    for (const name of ['count', 'other']) assert.equal(link.quality(name), quality.bad.sensorFailure);
    assert.deepEqual([link.value('all_bad'), link.quality('all_bad'), link.value('count_bad')], [1, quality.good, 0]);
    link.clock.advance(500);
    assert.deepEqual([link.quality('count'), link.value('all_bad')], [quality.good, 0]);
    await link.write('spoil_all', 1000);
    await link.write('spoil_all', 0);
    link.clock.advance(500);
    assert.equal(link.quality('count'), quality.good);
    await link.stop();
  });
});

describe('a frozen measurement', () => {
  test('stands still at what it showed last, stays good, and then is where it would have been', async () => {
    const link = await started();
    link.clock.advance(999); // 3 would be counted a millisecond later: what was shown counts
    await link.write('stick', true);
    link.clock.advance(5001);
    assert.deepEqual([link.value('count'), link.quality('count'), link.value('other')], [2, quality.good, 8]);
    assert.equal(link.value('count_stuck'), 1);
    link.setPoints([...measurements].reverse(), commands);
    link.clock.advance(500);
    assert.equal(link.value('count'), 2);
    await link.write('stick', false);
    link.clock.advance(500);
    assert.equal(link.value('count'), 9);
    await link.stop();
  });

  test('may be every one of them, a new one at its first value, and bad quality goes before', async () => {
    const link = await started();
    const saw = link.value('saw');
    link.clock.advance(499);
    await link.write('stick_all', 60);
    link.clock.advance(1);
    assert.equal(link.value('saw'), saw);
    await link.write('spoil', true);
    link.setPoints([...measurements, { name: 'new', address: 'counter(low=7)' }], commands);
    link.clock.advance(10_000);
    assert.deepEqual([link.quality('count'), link.value('other'), link.value('new')], [80, 2, 7]);
    await link.write('spoil', false);
    link.clock.advance(500);
    assert.deepEqual([link.value('count'), link.quality('count')], [2, quality.good]);
    link.clock.advance(50_000);
    assert.deepEqual([link.value('count'), link.value('other'), link.value('new')], [63, 63, 67]);
    await link.stop();
  });
});

describe('writes', () => {
  test('that are refused give the reason, and nothing is written', async () => {
    const link = await started();
    await link.write('refuse', true);
    await assert.rejects(link.write('x', 1), { name: 'refused', message: 'interlock open' });
    await link.write('y', 1);
    await link.write('refuse_all', true);
    await assert.rejects(link.write('y', 1), { name: 'refused', message: 'refused by the simulator' });
    link.clock.advance(500);
    assert.equal(link.value('refusing'), 1);
    await link.write('refuse_all', false);
    await link.write('refuse', false);
    await link.write('x', 1);
    await link.stop();
  });

  test('that are slow are answered after the delay; nothing is written for somebody who has gone', async () => {
    const link = new SimulatedLink();
    link.setPoints([{ name: 'shown', address: 'echo(x)' }], commands);
    await link.start();
    await link.write('slow', true);
    const answered: number[] = [];
    const begin = link.clock.now();
    const written = link.write('x', 5).then(() => answered.push((link.clock.now() - begin) / 1_000_000));
    const impatient = new AbortController();
    const gone = assert.rejects(link.write('x', 6, impatient.signal), { name: 'notSent' });
    link.clock.advance(10_000);
    impatient.abort(new Error('enough'));
    await gone;
    link.clock.advance(9_999);
    assert.equal(link.value('shown'), 0);
    link.clock.advance(1);
    await written;
    assert.deepEqual(answered, [20]);
    link.clock.advance(500);
    assert.equal(link.value('shown'), 5);
    await link.stop();
  });
});

describe('a dropped link', () => {
  test('ends the run after its own write is answered, and comes back when its time is over', async () => {
    const link = await started();
    const { length } = link.scans;
    await link.write('drop', 10);
    await assert.rejects(link.write('x', 1), { name: 'notSent' });
    link.clock.advance(0);
    assert.ok((await link.lost()) instanceof NotConnected);
    await assert.rejects(link.start(), NotConnected);
    link.clock.advance(9999);
    await assert.rejects(link.start(), NotConnected);
    assert.equal(link.scans.length, length);
    link.clock.advance(1);
    await link.start();
    assert.equal(link.value('count'), 12);
    await link.write('x', 1);
    await link.stop();
  });

  test('ends slow writes, and leaves the other faults as they are', async () => {
    const link = await started();
    await link.write('slow', true);
    await link.write('stick', true);
    const slow = assert.rejects(link.write('x', 1), { name: 'notSent' });
    await link.write('drop', 1);
    link.clock.advance(0);
    await link.lost();
    await slow;
    link.clock.advance(1000);
    await link.start();
    link.clock.advance(500);
    assert.deepEqual([link.value('count'), link.value('count_stuck')], [2, 1]);
    await link.stop();
  });

  test('refuses writes before the first connect as well', async () => {
    const link = new SimulatedLink();
    link.setPoints([], commands);
    await assert.rejects(link.write('x', 1), { name: 'notSent' });
  });
});

describe('a fault is refused', () => {
  const refused = async (address: string, value: number | boolean, message: RegExp) => {
    const link = new SimulatedLink();
    const datatype = typeof value === 'boolean' ? b : ('d' as const);
    link.setPoints(measurements, [...commands, { name: 'fault', address, datatype }]);
    await link.start();
    await assert.rejects(link.write('fault', value), { name: 'refused', message });
    link.clock.advance(500);
    assert.equal(link.quality('count'), quality.good);
    await link.stop();
  };

  test('of a point that is not there, of the other kind, or that shows or injects faults, by its name', async () => {
    await refused('bad_quality(of=nobody)', true, /no measurement nobody/);
    await refused('bad_quality(of=__proto__)', true, /no measurement __proto__/);
    await refused('freeze(of=x)', true, /no measurement x/);
    await refused('freeze(of=count_bad)', true, /no measurement count_bad that faults affect/);
    await refused('refuse_write(of=count)', true, /no command count/);
    await refused('slow_write(of=drop)', 5, /no command drop that faults affect/);
  });

  test('for less than no time, or for ever and a day', async () => {
    await refused('freeze()', -1, /seconds, 0 to 1000000000, not -1/);
    await refused('drop_link()', 1e12, /seconds/);
  });
});
