import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PolledPlant, point, timeoutMs } from '../../test/polled-plant.ts';
import { pollersOfTests } from '../../test/running-poller.ts';
import { GroupPlan } from './group-plan.ts';

const { start, stop } = pollersOfTests();
const badAddress = '0x4';
const noAnswer = '0x18';

describe('scans', () => {
  test('come in an even rhythm, each group by its period, all values of a scan in one batch', async () => {
    const plant = new PolledPlant();
    plant.setPoints([point('a/1'), point('a/2'), point('a/7'), point('a/8', 250)]);
    start(plant);
    await plant.advance(2100);
    const times = (name: string) => plant.reported.filter(({ readings }) => name in readings).map(({ ms }) => ms);
    // Two requests of a millisecond each in the slower group; the faster one has its turn between them.
    assert.deepEqual(times('a/1'), [3, 1003, 2003]);
    assert.deepEqual(times('a/8'), [2, 251, 501, 751, 1002, 1251, 1501, 1751, 2002]);
    assert.deepEqual(plant.reported.find(({ readings }) => 'a/1' in readings)?.readings, {
      'a/1': 1,
      'a/2': 2,
      'a/7': 7,
    });
    assert.equal(plant.meter.answers, plant.sent.length);
    const [slow, fast] = plant.poller.detail().scanGroups ?? [];
    assert.deepEqual(slow, { periodMs: 1000, points: 3, requests: 2, scans: 3, overruns: 0, tookMs: 3 });
    assert.deepEqual([fast?.periodMs, fast?.scans, plant.poller.groupOf(point('a/8', 250))], [250, 9, 250]);
  });

  test('keep their rhythm when the time of day is set', async () => {
    const plant = new PolledPlant();
    plant.setPoints([point('a/1')]);
    start(plant);
    await plant.advance(1500);
    plant.clock.jump(-3_600_000);
    await plant.advance(1000);
    plant.clock.jump(7_200_000);
    await plant.advance(1000);
    assert.deepEqual(
      plant.sent.map(({ ms }) => ms),
      [0, 1000, 2000, 3000],
    );
    assert.equal(plant.meter.overruns, 0);
  });

  test('are left out and counted while the one before has not ended, of that device alone', async () => {
    const plant = new PolledPlant();
    plant.device('slow').answersAfterMs = 2500;
    plant.setPoints([point('slow/1'), point('a/1')]);
    start(plant);
    await plant.advance(6100);
    const sent = (name: string) => plant.sent.filter(({ device }) => device === name).map(({ ms }) => ms);
    assert.deepEqual(sent('slow'), [0, 3000, 6000]);
    assert.deepEqual(sent('a'), [0, 1000, 2000, 3000, 4000, 5000, 6000]);
    assert.equal(plant.meter.overruns, 4);
    const [group] = plant.poller.detail().scanGroups ?? [];
    assert.deepEqual([group?.scans, group?.overruns, group?.tookMs], [7, 4, 2500]);
  });

  test('that a late timer has missed are not made up for, and counted', async () => {
    const plant = new PolledPlant();
    plant.setPoints([point('a/1')]);
    start(plant);
    await plant.advance(10);
    const later = plant.clock.after;
    plant.clock.after = (ms, call) => later.call(plant.clock, ms > 500 ? ms + 2400 : ms, call);
    await plant.advance(1000);
    plant.clock.after = later;
    await plant.advance(4000);
    assert.deepEqual(
      plant.sent.map(({ ms }) => ms),
      [0, 1000, 4400, 5000],
    );
    assert.equal(plant.meter.overruns, 1);
  });

  test('have as many requests under way as allowed, and no more', async () => {
    const cells = Array.from({ length: 12 }, (_, at) => point(`a/${at * 2}`));
    for (const [requestsAtOnce, most] of [
      [1, 1],
      [4, 4],
    ] as const) {
      const plant = new PolledPlant({ requestsAtOnce });
      plant.setPoints(cells);
      start(plant);
      await plant.advance(100);
      assert.equal(plant.mostUnderWay, most);
      assert.equal(plant.reported.length, 1);
      assert.equal(Object.keys(plant.reported[0]?.readings ?? {}).length, 12);
      await stop();
    }
  });

  test('of devices on one line take turns on it', async () => {
    const plant = new PolledPlant({ inAll: 1 });
    plant.setPoints([point('a/1'), point('a/9'), point('b/1'), point('b/9'), point('c/1')]);
    start(plant);
    await plant.advance(20);
    assert.equal(plant.mostUnderWay, 1);
    assert.deepEqual(
      plant.sent.map(({ device }) => device),
      ['a', 'b', 'c', 'a', 'b'],
    );
  });
});

describe('a wrong address', () => {
  test('that cannot be read at all turns bad by itself', async () => {
    const plant = new PolledPlant();
    plant.setPoints([point('a/x'), point('a/1')]);
    start(plant);
    await plant.advance(10);
    assert.deepEqual([plant.shown('a/x'), plant.shown('a/1')], [badAddress, 1]);
  });

  test('may be any of very many, all of which the device refuses', () => {
    const points = Array.from({ length: 200_000 }, (_, at) => ({ ...point('a/1'), id: at }));
    const plan = new GroupPlan(points, (some) => some.map((each) => ({ points: [each] })));
    plan.takeOut(plan.requests.map((request) => ({ request, quality: 4, reason: 'refused' })));
    assert.deepEqual([plan.requests.length, plan.failed.length], [0, points.length]);
  });

  test('that the device refuses stands alone in the end, and the others are read in the same scan', async () => {
    const plant = new PolledPlant();
    plant.device('a').refused.add(5);
    plant.setPoints(Array.from({ length: 10 }, (_, at) => point(`a/${at}`)));
    start(plant);
    await plant.advance(50);
    for (let cell = 0; cell < 10; cell++) assert.equal(plant.shown(`a/${cell}`), cell === 5 ? badAddress : cell);
    assert.match(plant.lines.join(), /a\/5: a cannot read a\/5: illegal address/);
    plant.takeSent();
    await plant.advance(2000);
    // What is good is read in as few requests as can be again.
    assert.deepEqual(
      plant.sent.map(({ start: first, length }) => [first, length]),
      [
        [0, 5],
        [6, 4],
        [0, 5],
        [6, 4],
      ],
    );
  });

  test('is tried again about once a minute, and comes back', async () => {
    const plant = new PolledPlant();
    plant.device('a').refused.add(2);
    plant.setPoints([point('a/1'), point('a/2'), point('a/3')]);
    start(plant);
    await plant.advance(1000);
    plant.takeSent();
    await plant.advance(61_000);
    assert.equal(plant.takeSent().filter(({ start: first, length }) => first === 2 && length === 1).length, 1);
    plant.device('a').refused.clear();
    await plant.advance(61_000);
    assert.equal(plant.shown('a/2'), 2);
    plant.takeSent();
    await plant.advance(1000);
    assert.deepEqual(
      plant.sent.map(({ length }) => length),
      [3],
    );
  });

  test('between two good ones does not make the good ones be asked for together for ever', async () => {
    const plant = new PolledPlant({ maxGap: 5 });
    plant.device('a').refused.add(3);
    plant.setPoints([point('a/1'), point('a/5')]);
    start(plant);
    await plant.advance(100);
    assert.deepEqual([plant.shown('a/1'), plant.shown('a/5')], [1, 5]);
    assert.equal(plant.meter.failures, 1);
    await plant.advance(20_000);
    assert.equal(plant.meter.failures, 1);
  });

  test('of many is found beside the scans, which go on, and none is good meanwhile', async () => {
    const plant = new PolledPlant({ maxLength: 100 });
    const slow = plant.device('a');
    slow.answersAfterMs = 40;
    for (let cell = 0; cell < 60; cell++) slow.refused.add(cell);
    plant.setPoints([
      ...Array.from({ length: 60 }, (_, at) => point(`a/${at}`)),
      ...Array.from({ length: 4 }, (_, at) => point(`a/${500 + at}`)),
    ]);
    start(plant);
    await plant.advance(1200);
    for (let cell = 0; cell < 60; cell++) assert.equal(plant.shown(`a/${cell}`), badAddress, `a/${cell}`);
    await plant.advance(9000);
    const scans = plant.reported.filter(({ readings }) => 'a/500' in readings).map(({ ms }) => ms);
    assert.ok(scans.length >= 6, `the good ones were read at ${scans}`);
    for (let cell = 0; cell < 60; cell++) assert.equal(plant.shown(`a/${cell}`), badAddress, `a/${cell}`);
    slow.refused.clear();
    await plant.advance(90_000);
    for (let cell = 0; cell < 60; cell++) assert.equal(plant.shown(`a/${cell}`), cell);
  });

  test('that the device does not answer at all does not make the device dead', async () => {
    const plant = new PolledPlant();
    plant.device('a').mute.add(5);
    plant.setPoints([...Array.from({ length: 8 }, (_, at) => point(`a/${at}`)), point('a/100')]);
    const probing = plant.poller.probe(new AbortController().signal);
    await plant.advance(1);
    await probing;
    start(plant);
    await plant.advance(5000);
    for (const cell of [0, 1, 2, 3, 4, 6, 7, 100]) assert.equal(plant.shown(`a/${cell}`), cell);
    assert.equal(plant.shown('a/5'), noAnswer);
    plant.take();
    await plant.advance(3000);
    for (const { readings } of plant.take()) assert.ok(!Object.values(readings).includes(noAnswer));
    assert.equal(plant.poller.detail().devices?.[0]?.isUp, true);
  });
});

describe('a device that falls silent', () => {
  const points = ['a/1', 'a/2', 'a/50', 'b/1', 'b/2'].map((address) => point(address));

  async function running() {
    const plant = new PolledPlant();
    plant.setPoints([...points, point('a/70', 60_000)]);
    const state = start(plant);
    await plant.advance(1500);
    plant.take();
    plant.takeSent();
    return { plant, state };
  }

  test('has all its points bad in one batch, within two periods, and the others go on untouched', async () => {
    const { plant } = await running();
    plant.device('a').isSilent = true;
    await plant.advance(2000);
    const bad = plant.reported.filter(({ readings }) => Object.values(readings).includes(noAnswer));
    assert.equal(bad.length, 1);
    assert.deepEqual(bad[0]?.readings, { 'a/1': noAnswer, 'a/2': noAnswer, 'a/50': noAnswer, 'a/70': noAnswer });
    assert.ok((bad[0]?.ms ?? 0) < 1500 + 2000);
    const others = plant.reported.filter(({ readings }) => 'b/1' in readings);
    assert.deepEqual(
      others.map(({ ms }) => ms),
      [2001, 3001],
    );
    const { devices = [] } = plant.poller.detail();
    assert.deepEqual(
      devices.map(({ name, isUp, lastError }) => [name, isUp, lastError]),
      [
        ['a', false, `no answer within ${timeoutMs} ms`],
        ['b', true, undefined],
      ],
    );
  });

  for (const [periodMs, limitMs] of [
    [1000, 1000],
    [1500, 1900],
    [100, 2000],
    [3000, 1000],
    [200, 4700],
    [10_000, 1000],
  ] as const) {
    test(`is reported bad within 5 s or two periods, if it is scanned every ${periodMs} ms and has ${limitMs} ms`, async () => {
      const plant = new PolledPlant({ timeoutMs: limitMs });
      plant.setPoints([point('a/1', periodMs), point('a/50', periodMs), point('a/9', 3_600_000), point('b/1')]);
      start(plant);
      await plant.advance(periodMs + 10);
      plant.device('a').isSilent = true;
      plant.take();
      const lostMs = plant.clock.monotonicMs();
      await plant.advance(Math.max(2 * periodMs, 5000));
      for (const name of ['a/1', 'a/50', 'a/9']) assert.equal(plant.shown(name), noAnswer, name);
      assert.ok((plant.reported.find(({ readings }) => 'a/1' in readings)?.ms ?? 0) > lostMs);
    });
  }

  test('once, is asked again at once, and nobody notices', async () => {
    const { plant } = await running();
    plant.device('a').isSilent = true;
    await plant.advance(510);
    plant.device('a').isSilent = false;
    await plant.advance(3000);
    assert.ok(plant.meter.failures > 0);
    assert.ok(!plant.reported.some(({ readings }) => Object.values(readings).includes(noAnswer)));
  });

  test('is probed with one small request, more and more rarely', async () => {
    const { plant } = await running();
    plant.device('a').isSilent = true;
    await plant.advance(1000);
    plant.takeSent();
    const beganMs = plant.clock.monotonicMs();
    await plant.advance(40_000);
    const probes = plant.sent.filter(({ device }) => device === 'a');
    for (const { length } of probes) assert.equal(length, 1);
    const pauses = probes.map(({ ms }, at) => ms - (probes[at - 1]?.ms ?? beganMs) - (at === 0 ? 0 : timeoutMs));
    assert.deepEqual(pauses.slice(1, 8), [2000, 4000, 5000, 5000, 5000, 5000, 5000]);
  });

  test('is scanned at once, all its groups, when it answers a probe', async () => {
    const { plant } = await running();
    plant.device('a').isSilent = true;
    await plant.advance(4000);
    plant.device('a').isSilent = false;
    plant.take();
    await plant.advance(5000);
    const back = plant.reported.filter(({ readings }) => 'a/1' in readings || 'a/70' in readings);
    const [first] = back;
    assert.deepEqual(Object.keys({ ...first?.readings, ...back[1]?.readings }).sort(), ['a/1', 'a/2', 'a/50', 'a/70']);
    assert.ok((back[1]?.ms ?? 0) - (first?.ms ?? 0) < 10);
    assert.equal(plant.poller.detail().devices?.[0]?.isUp, true);
    assert.match(plant.lines.join(), /a is down: no answer.*a is up again/);
  });

  test('among many such on one line leaves the line to those that answer, and is found when it does again', async () => {
    const plant = new PolledPlant({ inAll: 1, timeoutMs: 1000 });
    const dead = Array.from({ length: 60 }, (_, at) => `dead${at}`);
    for (const name of dead) plant.device(name).isSilent = true;
    plant.setPoints([point('a/1'), point('a/9'), ...dead.map((name) => point(`${name}/1`))]);
    start(plant);
    await plant.advance(150_000, 10);
    plant.take();
    await plant.advance(60_000, 10);
    const scans = plant.reported.filter(({ readings }) => 'a/1' in readings).map(({ ms }) => ms);
    assert.ok(scans.length >= 50, `${scans.length} scans in 60 s`);
    plant.device('dead30').isSilent = false;
    await plant.advance(150_000, 10);
    assert.equal(plant.shown('dead30/1'), 1);
  });

  test('has its points probed in turn: one that it never answers does not keep it dead', async () => {
    const plant = new PolledPlant();
    plant.device('a').isSilent = true;
    plant.device('a').mute.add(1);
    plant.setPoints([point('a/1'), point('a/2'), point('b/1')]);
    start(plant);
    await plant.advance(500);
    plant.device('a').isSilent = false;
    await plant.advance(10_000);
    assert.deepEqual([plant.shown('a/1'), plant.shown('a/2')], [noAnswer, 2]);
  });

  test('publishes nothing good after the bad', async () => {
    const { plant } = await running();
    plant.device('a').mute.add(50);
    plant.device('a').mute.add(70);
    await plant.advance(450);
    plant.take();
    plant.device('a').answersAfterMs = 20;
    await plant.advance(75); // the first request of the scan is answered, the second is under way
    plant.device('a').isSilent = true;
    await plant.advance(3000);
    const kinds = plant.reported.filter(({ readings }) => 'a/1' in readings).map(({ readings }) => readings['a/1']);
    assert.deepEqual(kinds, [1, noAnswer]);
  });
});
