import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Measurement } from '@telltale/schema';
import { PointsBench } from '../../test/points-bench.ts';

const lost = 0x18;
const lastUsable = 0x44;
const outOfService = 0x1c;

/** Connector c with the points a and b, and free, which watches no link; its watchdog is w where `watchdog` is given. */
function setUp(watchdog?: Partial<Measurement>): PointsBench {
  const bench = new PointsBench();
  bench.measurements.putLink('connector', 'c', watchdog === undefined ? undefined : 'w');
  for (const name of ['a', 'b']) bench.put({ name, datatype: 'd', connectorName: 'c', address: name });
  bench.put({ name: 'free', datatype: 'd', connectorName: 'c', address: 'free', stackUmask: 1 });
  bench.put({ name: 'loose', datatype: 'd' });
  if (watchdog !== undefined) bench.put({ name: 'w', datatype: 'b', ...watchdog });
  bench.measurements.setLink('connector', 'c', true, 1);
  if (watchdog?.address !== undefined) bench.read('c', { point: 'w', value: true, timeUs: 2 });
  bench.read('c', ...['a', 'b', 'free'].map((point) => ({ point, value: 5, timeUs: 3 })));
  bench.news();
  return bench;
}

const driven = { connectorName: 'c', address: 'alive' };

describe('a link', () => {
  test('LI-1: that is lost turns its points bad in one go, and their values stay', () => {
    const bench = setUp();
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
    const bench = setUp();
    bench.measurements.putLink('provider', 'c', undefined);
    bench.measurements.setLink('provider', 'c', false, 10);
    bench.measurements.setLink('connector', 'nobody', false, 10);
    assert.deepEqual(bench.news(), []);
  });

  test('LI-9: that is disabled turns its points bad, out of service, in one go, and enabled not connected', () => {
    const bench = setUp({});
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
    const bench = setUp(driven);
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
    const bench = setUp();
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
    const bench = setUp();
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

  test('LI-8: that nothing is heard of turns its points bad, and as they were when it is heard of again', () => {
    const bench = setUp();
    bench.measurements.setSilent('connector', 'c', 'lost', 10);
    assert.deepEqual(bench.news(), [
      ['a', 'd5', 10, lost],
      ['b', 'd5', 10, lost],
    ]);
    bench.read('c', { point: 'a', value: 6, timeUs: 12 });
    assert.deepEqual(bench.news(), [['a', 'd6', 12, 0xc0]], 'what is read counts at once');
    bench.measurements.setSilent('connector', 'c', 'lost', 20);
    assert.deepEqual(bench.news(), [['a', 'd6', 20, lost]]);
    bench.measurements.setSilent('connector', 'c', undefined, 30);
    assert.deepEqual(bench.news(), [
      ['b', 'd5', 3, 0xc0],
      ['a', 'd6', 12, 0xc0],
    ]);
  });

  test('LI-8: that is late turns its points uncertain, last usable value, and bad only later; what is bad stays as it is', () => {
    const bench = setUp();
    bench.read('c', { point: 'b', value: 5, quality: 0x10, timeUs: 4 });
    bench.news();
    bench.measurements.setSilent('connector', 'c', 'late', 10);
    assert.deepEqual(bench.news(), [['a', 'd5', 10, lastUsable]]);
    bench.measurements.setSilent('connector', 'c', 'lost', 20);
    assert.deepEqual(bench.news(), [
      ['a', 'd5', 20, lost],
      ['b', 'd5', 20, lost],
    ]);
    bench.measurements.setSilent('connector', 'c', undefined, 30);
    assert.deepEqual(bench.news(), [
      ['a', 'd5', 3, 0xc0],
      ['b', 'd5', 4, 0x10],
    ]);
    assert.deepEqual(bench.vtq('free'), ['d5', 3, 0xc0], 'whatever the thread does');
  });

  test('LI-8: that is late again before it was heard of for long: what was read meanwhile is uncertain, the rest stays bad', () => {
    const bench = setUp();
    bench.measurements.setSilent('connector', 'c', 'late', 10);
    bench.measurements.setSilent('connector', 'c', 'lost', 20);
    bench.read('c', { point: 'a', value: 6, timeUs: 22 });
    bench.measurements.setSilent('connector', 'c', 'late', 25);
    assert.deepEqual([bench.vtq('a'), bench.vtq('b')[2]], [['d6', 25, lastUsable], lost]);
    bench.measurements.setSilent('connector', 'c', undefined, 30);
    assert.deepEqual(
      [bench.vtq('a'), bench.vtq('b')],
      [
        ['d6', 22, 0xc0],
        ['d5', 3, 0xc0],
      ],
    );
  });

  test('LI-8: that is late has its watchdog as it was, and a watchdog that fails meanwhile wins over what was before', () => {
    const reported = setUp({});
    reported.measurements.setSilent('connector', 'c', 'late', 10);
    assert.deepEqual(reported.vtq('w'), ['b1', 1, 0xc0]);
    const bench = setUp(driven);
    bench.measurements.setSilent('connector', 'c', 'late', 10);
    assert.deepEqual([bench.vtq('w'), bench.vtq('a')[2]], [['b1', 10, lastUsable], lastUsable], 'nothing is held');
    bench.read('c', { point: 'w', value: false, timeUs: 12 });
    bench.measurements.setSilent('connector', 'c', undefined, 20);
    assert.deepEqual(bench.vtq('a'), ['d5', 12, lost]);
    bench.read('c', { point: 'w', value: true, timeUs: 30 });
    assert.deepEqual(bench.vtq('a'), ['d5', 3, 0xc0]);
  });

  test('LI-8: what is reported bad meanwhile, or is another point, stays bad, and so does everything where the link is lost', () => {
    const bench = setUp();
    bench.measurements.setSilent('connector', 'c', 'lost', 10);
    bench.read('c', { point: 'a', value: 5, quality: lost, timeUs: 12 });
    bench.put({ name: 'b', datatype: 'd', connectorName: 'c', address: 'another' });
    bench.measurements.setSilent('connector', 'c', undefined, 20);
    assert.deepEqual([bench.vtq('a')[2], bench.vtq('b')[2] === 0xc0], [lost, false]);
    const gone = setUp();
    gone.measurements.setSilent('connector', 'c', 'lost', 10);
    gone.read('c', { point: 'a', value: 6, timeUs: 12 });
    gone.measurements.setLink('connector', 'c', false, 15);
    assert.deepEqual(gone.vtq('a'), ['d6', 15, lost]);
    gone.measurements.setLink('connector', 'c', true, 16);
    gone.measurements.setSilent('connector', 'c', undefined, 20);
    assert.deepEqual([gone.vtq('a')[2], gone.vtq('b')[2]], [lost, lost]);
  });

  test('LI-8: its watchdog says so, whoever drives it, and lets go what it held when it is heard of again', () => {
    const reported = setUp({});
    reported.measurements.setSilent('connector', 'c', 'lost', 10);
    assert.deepEqual(reported.vtq('w'), ['b0', 10, 0xc0]);
    reported.measurements.setSilent('connector', 'c', undefined, 20);
    assert.deepEqual(reported.vtq('w'), ['b1', 20, 0xc0]);
    const bench = setUp(driven);
    bench.measurements.setSilent('connector', 'c', 'lost', 10);
    bench.read('c', { point: 'a', value: 6, timeUs: 12 });
    assert.deepEqual([bench.vtq('w')[2], bench.vtq('a')[2]], [lost, lost]);
    bench.measurements.setSilent('connector', 'c', undefined, 20);
    assert.deepEqual(
      ['w', 'a', 'b'].map((name) => bench.vtq(name)),
      [
        ['b1', 2, 0xc0],
        ['d6', 12, 0xc0],
        ['d5', 3, 0xc0],
      ],
    );
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
    const bench = setUp();
    bench.put({ name: 'w', datatype: 'b' });
    bench.news();
    bench.measurements.putLink('connector', 'c', 'w');
    assert.deepEqual(bench.news(), [['w', 'b1', 1, 0xc0]]);
  });

  test('LI-3: counts as lost while the watchdog of the device is false', () => {
    const bench = setUp(driven);
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
    const bench = setUp(driven);
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
    const bench = setUp(driven);
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
    const bench = setUp(driven);
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
    const bench = setUp(driven);
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
    const bench = setUp({});
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
      const bench = setUp(driven);
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
    const bench = setUp({});
    bench.measurements.putLink('provider', 'p', 'w');
    assert.deepEqual(bench.vtq('w').toSpliced(1, 1), ['b0', 0x08]);
    bench.measurements.setLink('connector', 'c', true, 9);
    bench.measurements.putLink('connector', 'c', undefined);
    assert.deepEqual(bench.vtq('w').toSpliced(1, 1), ['b0', 0x08]);
    bench.measurements.setLink('provider', 'p', true, 30);
    assert.deepEqual(bench.vtq('w'), ['b1', 30, 0xc0]);
  });

  test('LI-7: follows a watchdog that is simulated', async () => {
    const bench = setUp(driven);
    await bench.simulate('w', { value: 'b0' });
    assert.deepEqual(bench.vtq('a'), ['d5', bench.clock.now(), lost]);
    bench.read('c', { point: 'w', value: true, timeUs: 40 }, { point: 'a', value: 6, timeUs: 40 });
    assert.equal(bench.vtq('a')[2], lost);
    await bench.measurements.stopSimulation('w');
    assert.deepEqual(bench.vtq('a'), ['d6', 40, 0xc0]);
  });
});
