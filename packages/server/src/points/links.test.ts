import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { driven, linkedBench } from '../../test/linked-bench.ts';
import { PointsBench } from '../../test/points-bench.ts';

const lost = 0x18;
const outOfService = 0x1c;

describe('a link', () => {
  test('LI-1: that is lost turns its points bad in one go, and their values stay', () => {
    const bench = linkedBench();
    const calls: number[] = [];
    bench.measurements.onChanges(({ count }) => calls.push(count));
    bench.measurements.setLink('connector', 'c', false, 10);
    assert.deepEqual(calls, [2]);
    assert.deepEqual(bench.news(), [
      ['a', 'd5', 10, lost],
      ['b', 'd5', 10, lost],
    ]);
    assert.deepEqual(
      [bench.vtq('free'), bench.vtq('loose')],
      [
        ['d5', 3, 0xc0],
        ['d0', 0, 0x08],
      ],
    );
    bench.measurements.setLink('connector', 'c', true, 11);
    assert.deepEqual(bench.news(), [], 'nothing is good before it was read');
    bench.read('c', { point: 'a', value: 5, timeUs: 12 });
    assert.deepEqual(bench.news(), [['a', 'd5', 12, 0xc0]]);
  });

  test('LI-1: of a provider, or that nobody knows, turns nothing bad', () => {
    const bench = linkedBench();
    bench.measurements.putLink('provider', 'c', undefined);
    bench.measurements.setLink('provider', 'c', false, 10);
    bench.measurements.setLink('connector', 'nobody', false, 10);
    assert.deepEqual(bench.news(), []);
  });

  test('LI-9: that is disabled turns its points bad, out of service, in one go, and enabled not connected', () => {
    const bench = linkedBench({});
    const calls: number[] = [];
    bench.measurements.onChanges(({ count }) => calls.push(count));
    bench.measurements.setDisabled('connector', 'c', true, 10);
    assert.deepEqual(calls, [4]);
    assert.deepEqual(bench.news(), [
      ['a', 'd5', 10, outOfService],
      ['b', 'd5', 10, outOfService],
      ['free', 'd5', 10, outOfService],
      ['w', 'b0', 10, 0xc0],
    ]);
    assert.deepEqual(bench.vtq('loose'), ['d0', 0, 0x08]);
    bench.measurements.setDisabled('connector', 'c', true, 11);
    bench.measurements.setLink('connector', 'c', false, 12);
    bench.measurements.setLink('connector', 'c', true, 13);
    bench.measurements.setSilent('connector', 'c', 'lost', 14);
    assert.deepEqual(bench.news(), [], 'whatever the link says');
    bench.measurements.setDisabled('connector', 'c', false, 20);
    assert.deepEqual(bench.news(), [
      ['a', 'd5', 20, 0x08],
      ['b', 'd5', 20, 0x08],
      ['free', 'd5', 20, 0x08],
      ['w', 'b0', 20, 0x08],
    ]);
    bench.measurements.setLink('connector', 'c', true, 21);
    assert.deepEqual(bench.news(), [['w', 'b1', 21, 0xc0]]);
    bench.read('c', { point: 'a', value: 5, timeUs: 22 });
    assert.deepEqual(bench.news(), [['a', 'd5', 22, 0xc0]]);
  });

  test('LI-9: that is disabled has no watchdog that makes its points lost, and none that brings back what was before', () => {
    const bench = linkedBench(driven);
    bench.read('c', { point: 'w', value: false, timeUs: 5 });
    bench.read('c', { point: 'a', value: 6, timeUs: 6 });
    assert.deepEqual(bench.vtq('a'), ['d5', 5, lost]);
    bench.measurements.setDisabled('connector', 'c', true, 10);
    for (const name of ['a', 'b', 'free', 'w']) assert.equal(bench.vtq(name)[2], outOfService, name);
    assert.equal(bench.measurements.refusalOf('c'), undefined, 'it is not for the watchdog');
    bench.measurements.setDisabled('connector', 'c', false, 20);
    bench.measurements.setLink('connector', 'c', true, 21);
    bench.news();
    bench.read('c', { point: 'b', value: 7, timeUs: 22 });
    assert.deepEqual(bench.news(), [], 'the watchdog has not been read');
    bench.read('c', { point: 'w', value: true, timeUs: 23 });
    assert.deepEqual(bench.news(), [
      ['w', 'b1', 23, 0xc0],
      ['b', 'd7', 22, 0xc0],
    ]);
    assert.deepEqual(bench.vtq('a'), ['d5', 20, 0x08]);
  });

  test('LI-9: that is disabled has points that come out of service, and those that leave are not', () => {
    const bench = linkedBench();
    bench.measurements.putLink('connector', 'd', undefined);
    bench.measurements.setDisabled('connector', 'c', true, 10);
    const now = bench.clock.now();
    bench.put({ name: 'late', datatype: 'd', connectorName: 'c', address: 'late' });
    bench.put({ name: 'a', datatype: 'd', connectorName: 'c', address: 'elsewhere' });
    bench.put({ name: 'b', datatype: 'd', connectorName: 'd', address: 'b' });
    bench.put({ name: 'free', datatype: 'i', connectorName: 'c', address: 'free', stackUmask: 1 });
    assert.deepEqual(
      ['late', 'a', 'b', 'free'].map((name) => bench.vtq(name)),
      [
        ['d0', now, outOfService],
        ['d5', now, outOfService],
        ['d5', now, 0x08],
        ['i0', now, outOfService],
      ],
    );
    bench.measurements.removeLink('connector', 'c');
    bench.measurements.putLink('connector', 'e', 'w', true);
    bench.put({ name: 'w', datatype: 'b' });
    bench.put({ name: 'a', datatype: 'd', connectorName: 'e', address: 'a' });
    assert.deepEqual([bench.vtq('a')[2], bench.vtq('w').slice(0, 1), bench.vtq('w')[2]], [outOfService, ['b0'], 0xc0]);
  });

  test('LI-9: that is disabled leaves simulated points as they are shown; behind them they are out of service', async () => {
    const bench = linkedBench();
    await bench.simulate('a', { value: 'd9' });
    bench.news();
    bench.measurements.setDisabled('connector', 'c', true, 10);
    assert.deepEqual(bench.news(), [
      ['b', 'd5', 10, outOfService],
      ['free', 'd5', 10, outOfService],
    ]);
    await bench.measurements.stopSimulation('a');
    assert.deepEqual(bench.vtq('a'), ['d5', 10, outOfService]);
  });

  test('LI-2: is reported by a watchdog without an address', () => {
    for (const role of ['connector', 'provider'] as const) {
      const bench = new PointsBench();
      bench.measurements.putLink(role, 'c', 'w');
      bench.put({ name: 'w', datatype: 'b' });
      assert.deepEqual(bench.vtq('w'), ['b0', 0, 0x08]);
      bench.measurements.setLink(role, 'c', false, 6);
      assert.deepEqual(bench.vtq('w'), ['b0', 6, 0xc0]);
      bench.news();
      bench.measurements.setLink(role, 'c', true, 7);
      bench.measurements.setLink(role, 'c', false, 8);
      assert.deepEqual(bench.news(), [
        ['w', 'b1', 7, 0xc0],
        ['w', 'b0', 8, 0xc0],
      ]);
    }
  });

  test('LI-2: that is up when its watchdog comes is reported up at once', () => {
    const bench = linkedBench();
    bench.put({ name: 'w', datatype: 'b' });
    bench.news();
    bench.measurements.putLink('connector', 'c', 'w');
    assert.deepEqual(bench.news(), [['w', 'b1', 1, 0xc0]]);
  });

  test('LI-3: counts as lost while the watchdog of the device is false', () => {
    const bench = linkedBench(driven);
    assert.equal(bench.measurements.refusalOf('c'), undefined);
    bench.read('c', { point: 'w', value: false, timeUs: 20 });
    assert.deepEqual(bench.news(), [
      ['w', 'b0', 20, 0xc0],
      ['a', 'd5', 20, lost],
      ['b', 'd5', 20, lost],
    ]);
    assert.match(bench.measurements.refusalOf('c') ?? '', /watchdog w/);
    assert.deepEqual(bench.vtq('free'), ['d5', 3, 0xc0]);
  });

  test('LI-3: counts as lost while the watchdog of the device is bad, and before it was read', () => {
    const bench = linkedBench(driven);
    bench.read('c', { point: 'w', value: true, quality: 0x0c, timeUs: 20 });
    assert.deepEqual(bench.vtq('a'), ['d5', 20, lost]);
    bench.read('c', { point: 'w', value: true, quality: 0x40, timeUs: 21 });
    assert.deepEqual(bench.vtq('a'), ['d5', 3, 0xc0], 'uncertain is good enough');
    const early = new PointsBench();
    early.measurements.putLink('connector', 'c', 'w');
    early.put({ name: 'w', datatype: 'b', ...driven });
    early.put({ name: 'a', datatype: 'd', connectorName: 'c', address: 'a' });
    early.measurements.setLink('connector', 'c', true, 1);
    early.news();
    early.read('c', { point: 'a', value: 1, timeUs: 2 });
    assert.deepEqual([early.news(), early.measurements.refusalOf('c') === undefined], [[], false]);
    early.read('c', { point: 'w', value: true, timeUs: 3 });
    assert.deepEqual(early.news(), [
      ['w', 'b1', 3, 0xc0],
      ['a', 'd1', 2, 0xc0],
    ]);
  });

  test('LI-4: that is believed again brings what was read meanwhile, the newest a point, and the rest as it was', () => {
    const bench = linkedBench(driven);
    bench.read('c', { point: 'w', value: false, timeUs: 20 });
    bench.news();
    bench.read('c', { point: 'a', value: 6, timeUs: 21 }, { point: 'free', value: 6, timeUs: 21 });
    bench.read('c', { point: 'a', value: 8, timeUs: 22 });
    assert.deepEqual(bench.news(), [['free', 'd6', 21, 0xc0]]);
    bench.read('c', { point: 'w', value: true, timeUs: 23 });
    assert.deepEqual(bench.news(), [
      ['w', 'b1', 23, 0xc0],
      ['b', 'd5', 3, 0xc0],
      ['a', 'd8', 22, 0xc0],
    ]);
    assert.equal(bench.measurements.counts.superseded, 1);
  });

  test('LI-5: that is lost takes with it what was kept back', () => {
    const bench = linkedBench(driven);
    bench.read('c', { point: 'w', value: false, timeUs: 20 });
    bench.read('c', { point: 'a', value: 6, timeUs: 21 });
    bench.measurements.setLink('connector', 'c', false, 22);
    bench.measurements.setLink('connector', 'c', true, 23);
    bench.news();
    bench.read('c', { point: 'w', value: true, timeUs: 24 });
    assert.deepEqual(bench.news(), [['w', 'b1', 24, 0xc0]]);
    assert.deepEqual(
      [bench.vtq('a'), bench.vtq('b')],
      [
        ['d5', 20, lost],
        ['d5', 20, lost],
      ],
    );
    bench.read('c', { point: 'a', value: 5, timeUs: 25 });
    assert.deepEqual(bench.vtq('a'), ['d5', 25, 0xc0]);
    assert.equal(bench.measurements.counts.superseded, 1);
  });

  test('LI-5: brings nothing of a point that reads something else by then, or is another', () => {
    const bench = linkedBench(driven);
    bench.read('c', { point: 'w', value: false, timeUs: 20 });
    bench.read('c', { point: 'a', value: 6, timeUs: 21 });
    bench.put({ name: 'a', datatype: 'd', connectorName: 'c', address: 'elsewhere' });
    const id = bench.measurements.find('b');
    bench.remove('b');
    bench.clock.advance(60_000);
    bench.put({ name: 'fresh', datatype: 'd', connectorName: 'c', address: 'fresh' });
    assert.equal(bench.measurements.find('fresh'), id);
    const redefined = bench.vtq('a');
    bench.read('c', { point: 'w', value: true, timeUs: 22 });
    assert.deepEqual([bench.vtq('a'), redefined[2]], [redefined, 0x08]);
    assert.deepEqual(bench.vtq('fresh'), ['d0', 0, 0x08]);
  });

  test('LI-6: that has another watchdog, or is gone, leaves no old one that says that it is up', () => {
    const bench = linkedBench({});
    bench.put({ name: 'w2', datatype: 'b' });
    bench.news();
    bench.measurements.putLink('connector', 'c', 'w2');
    assert.deepEqual(bench.news(), [
      ['w', 'b1', bench.clock.now(), 0x08],
      ['w2', 'b1', 1, 0xc0],
    ]);
    bench.measurements.removeLink('connector', 'c');
    assert.deepEqual(bench.news(), [['w2', 'b1', bench.clock.now(), 0x08]]);
  });

  test('LI-6: whose watchdog of the device is gone, or another, is believed', () => {
    for (const change of [
      (bench: PointsBench) => bench.measurements.putLink('connector', 'c', undefined),
      (bench: PointsBench) => bench.remove('w'),
      (bench: PointsBench) => bench.put({ name: 'w', datatype: 'b' }),
    ]) {
      const bench = linkedBench(driven);
      bench.read('c', { point: 'w', value: false, timeUs: 20 });
      bench.read('c', { point: 'a', value: 6, timeUs: 21 });
      change(bench);
      assert.deepEqual(
        [bench.vtq('a'), bench.vtq('b')],
        [
          ['d6', 21, 0xc0],
          ['d5', 3, 0xc0],
        ],
      );
      assert.equal(bench.measurements.refusalOf('c'), undefined);
    }
  });

  test('LI-6: gives its watchdog to another link, in whichever order they change', () => {
    const bench = linkedBench({});
    bench.measurements.putLink('provider', 'p', 'w');
    assert.deepEqual(bench.vtq('w').toSpliced(1, 1), ['b0', 0x08]);
    bench.measurements.setLink('connector', 'c', true, 9);
    bench.measurements.putLink('connector', 'c', undefined);
    assert.deepEqual(bench.vtq('w').toSpliced(1, 1), ['b0', 0x08]);
    bench.measurements.setLink('provider', 'p', true, 30);
    assert.deepEqual(bench.vtq('w'), ['b1', 30, 0xc0]);
  });

  test('LI-7: follows a watchdog that is simulated', async () => {
    const bench = linkedBench(driven);
    await bench.simulate('w', { value: 'b0' });
    assert.deepEqual(bench.vtq('a'), ['d5', bench.clock.now(), lost]);
    bench.read('c', { point: 'w', value: true, timeUs: 40 }, { point: 'a', value: 6, timeUs: 40 });
    assert.equal(bench.vtq('a')[2], lost);
    await bench.measurements.stopSimulation('w');
    assert.deepEqual(bench.vtq('a'), ['d6', 40, 0xc0]);
  });
});
