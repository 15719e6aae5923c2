import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PolledPlant, point, settled, timeoutMs } from '../../test/polled-plant.ts';
import { pollersOfTests } from '../../test/running-poller.ts';
import { NotConnected } from '../connector.ts';

const { start, stop } = pollersOfTests();
const noAnswer = '0x18';

describe('points that change while it runs', () => {
  test('are all read again at once, the new ones with them', async () => {
    const plant = new PolledPlant();
    plant.setPoints([point('a/1')]);
    start(plant);
    await plant.advance(1500);
    plant.take();
    plant.setPoints([point('a/1'), point('b/2'), point('a/3', 300)]);
    await plant.advance(5);
    assert.deepEqual([plant.shown('a/1'), plant.shown('b/2'), plant.shown('a/3')], [1, 2, 3]);
    plant.takeSent();
    await plant.advance(1000);
    const times = (cell: number) => plant.sent.filter(({ start: first }) => first === cell).map(({ ms }) => ms);
    assert.deepEqual([times(1), times(3)], [[2000], [1800, 2100, 2400]]);
  });

  test('end a running scan early, and nothing that is gone is asked for again', async () => {
    const plant = new PolledPlant();
    plant.device('a').answersAfterMs = 50;
    plant.setPoints(Array.from({ length: 10 }, (_, at) => point(`a/${at * 2}`)));
    start(plant);
    await plant.advance(120);
    plant.takeSent();
    plant.setPoints([point('a/1')]);
    await plant.advance(3000);
    assert.deepEqual([...new Set(plant.sent.map(({ start: first }) => first))], [1]);
    assert.equal(plant.shown('a/1'), 1);
    assert.equal(plant.poller.detail().devices?.length, 1);
  });

  test('never get what was still under way for where they lay before', async () => {
    const plant = new PolledPlant();
    plant.device('a').answersAfterMs = 50;
    plant.device('b').answersAfterMs = 50;
    const named = (name: string, address: string) => ({ ...point(name), address });
    plant.setPoints([named('moves', 'a/1'), named('turns', 'a/9'), named('leaves', 'b/3')]);
    start(plant);
    await plant.advance(70); // the first request of a has been answered, the second is under way, as is that of b
    plant.setPoints([named('moves', 'a/2'), named('turns', 'a/1'), named('leaves', 'a/9')]);
    plant.take();
    await plant.advance(500);
    assert.deepEqual(
      plant.reported.map(({ readings }) => readings),
      [{ turns: 1, moves: 2, leaves: 9 }],
    );
  });

  test('of a device that does not answer are bad as well', async () => {
    const plant = new PolledPlant();
    plant.device('a').isSilent = true;
    plant.setPoints([point('a/1'), point('b/1')]);
    start(plant);
    await plant.advance(500);
    plant.take();
    plant.setPoints([point('a/1'), point('a/9'), point('b/1')]);
    await plant.advance(5);
    assert.deepEqual([plant.shown('a/1'), plant.shown('a/9'), plant.shown('b/1')], [noAnswer, noAnswer, 1]);
  });

  test('and take a whole device away leave nothing of it', async () => {
    const plant = new PolledPlant();
    plant.device('a').isSilent = true;
    plant.setPoints([point('a/1', 500), point('b/1')]);
    start(plant);
    await plant.advance(1700);
    plant.setPoints([point('b/1')]);
    plant.takeSent();
    await plant.advance(60_000);
    assert.ok(plant.sent.every(({ device }) => device === 'b'));
    assert.equal(plant.clock.pending, 1);
  });
});

describe('the end', () => {
  test('comes at once when it is aborted, and nothing is left', async () => {
    const plant = new PolledPlant({ requestsAtOnce: 2 });
    plant.device('a').answersAfterMs = 500;
    plant.device('dead').isSilent = true;
    plant.setPoints([point('a/1'), point('a/9'), point('a/20'), point('dead/1'), point('b/1', 100)]);
    const state = start(plant);
    await plant.advance(1700);
    assert.ok(plant.underWay > 0);
    const sent = plant.sent.length;
    await stop();
    assert.deepEqual([state.ended, plant.underWay, plant.clock.pending], ['stopped', 0, 0]);
    await plant.advance(5000);
    assert.equal(plant.sent.length, sent);
  });

  test('comes at once while silent devices are probed, wait for it, or let others have the line', async () => {
    for (let ms = 1050; ms < 1650; ms += 50) {
      const plant = new PolledPlant({ inAll: 1 });
      for (const name of ['dead', 'gone']) plant.device(name).isSilent = true;
      plant.setPoints([point('a/1'), point('dead/1'), point('gone/1')]);
      const state = start(plant);
      await plant.advance(ms);
      await stop();
      assert.deepEqual([state.ended, plant.underWay, plant.clock.pending], ['stopped', 0, 0], `after ${ms} ms`);
    }
  });

  test('waits for a request that does not end at once', async () => {
    const plant = new PolledPlant();
    plant.device('a').lingersMs = 50;
    plant.setPoints([point('a/1')]);
    const state = start(plant);
    await settled();
    const stopping = stop();
    await plant.advance(49);
    assert.deepEqual([plant.underWay, state.ended], [1, undefined]);
    await plant.advance(1);
    await stopping;
    assert.deepEqual([plant.underWay, state.ended], [0, 'stopped']);
  });

  test('comes with the error when the link is lost, and it may run again', async () => {
    const plant = new PolledPlant();
    plant.setPoints([point('a/1'), point('a/9'), point('b/1')]);
    const state = start(plant);
    await plant.advance(1500);
    plant.device('a').isLinkLost = true;
    await plant.advance(1000);
    assert.ok(state.ended instanceof NotConnected);
    assert.deepEqual([plant.underWay, plant.clock.pending], [0, 0]);
    assert.deepEqual(
      plant.poller.detail().devices?.map(({ isUp }) => isUp),
      [false, false],
    );
    plant.device('a').isLinkLost = false;
    plant.take();
    start(plant);
    await plant.advance(10);
    assert.deepEqual([plant.shown('a/1'), plant.shown('b/1')], [1, 1]);
  });

  test('comes when no device answers any more, all points bad before, so that the link is made again', async () => {
    const plant = new PolledPlant();
    plant.setPoints([point('a/1'), point('b/1'), point('nothing/x')]);
    const state = start(plant);
    await plant.advance(500);
    plant.device('a').isSilent = true;
    await plant.advance(2000);
    assert.equal(state.ended, undefined);
    plant.device('b').isSilent = true;
    await plant.advance(1000);
    const { ended } = state as { ended: unknown };
    assert.ok(ended instanceof NotConnected);
    assert.match(ended.message, /all 2 devices are down; a is down: no answer within 100 ms/);
    assert.deepEqual([plant.shown('a/1'), plant.shown('b/1')], [noAnswer, noAnswer]);
    assert.deepEqual([plant.underWay, plant.clock.pending], [0, 0]);
  });

  test('a signal that is aborted already lets nothing begin', async () => {
    const plant = new PolledPlant();
    plant.setPoints([point('a/1')]);
    await plant.poller.run(AbortSignal.abort());
    assert.deepEqual([plant.sent.length, plant.clock.pending], [0, 0]);
  });
});

describe('a probe', () => {
  async function probed(plant: PolledPlant, ms: number, signal = new AbortController().signal) {
    let outcome: unknown = 'pending';
    plant.poller.probe(signal).then(
      () => {
        outcome = 'answered';
      },
      (error) => {
        outcome = error;
      },
    );
    await settled();
    await plant.advance(ms);
    return outcome;
  }

  test('succeeds as soon as one device of several has answered, and asks each for little', async () => {
    const plant = new PolledPlant();
    plant.device('a').isSilent = true;
    plant.setPoints([point('a/1'), point('b/1'), point('b/2')]);
    assert.equal(await probed(plant, 5), 'answered');
    assert.deepEqual([plant.underWay, plant.clock.pending, plant.reported.length], [0, 0, 0]);
    for (const { length } of plant.sent) assert.equal(length, 1);
  });

  test('takes a refusal for an answer, and no points for no need to ask', async () => {
    const plant = new PolledPlant();
    assert.equal(await probed(plant, 0), 'answered');
    plant.setPoints([point('a/x')]);
    assert.equal(await probed(plant, 0), 'answered');
    plant.device('a').refused.add(1);
    plant.setPoints([point('a/1')]);
    assert.equal(await probed(plant, 5), 'answered');
  });

  test('that failed asks for another point the next time: one that is never answered does not stop it', async () => {
    const plant = new PolledPlant();
    plant.device('a').mute.add(1);
    plant.setPoints([point('a/1'), point('a/2')]);
    assert.ok((await probed(plant, timeoutMs + 5)) instanceof NotConnected);
    assert.equal(await probed(plant, timeoutMs + 5), 'answered');
  });

  test('fails where none answers, and says so', async () => {
    const plant = new PolledPlant();
    plant.device('a').isSilent = true;
    plant.device('b').isSilent = true;
    plant.setPoints([point('a/1'), point('b/1')]);
    const error = await probed(plant, timeoutMs + 5);
    assert.ok(error instanceof NotConnected);
    assert.match(error.message, /all 2 devices are down; a is down: no answer within/);
  });

  test('ends at once when it is aborted', async () => {
    const plant = new PolledPlant();
    plant.device('a').isSilent = true;
    plant.setPoints([point('a/1')]);
    const controller = new AbortController();
    const asking = plant.poller.probe(controller.signal);
    await settled();
    controller.abort(new Error('enough'));
    await assert.rejects(asking, /enough/);
    assert.deepEqual([plant.underWay, plant.clock.pending], [0, 0]);
  });

  test('on a line of many silent devices finds the one behind them, if not at the first try', async () => {
    const plant = new PolledPlant({ inAll: 1 });
    const names = Array.from({ length: 20 }, (_, at) => `unit${at}`);
    for (const name of names.slice(0, 15)) plant.device(name).isSilent = true;
    plant.setPoints(names.map((name) => point(`${name}/1`)));
    const outcomes = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const controller = new AbortController();
      const cancel = plant.clock.after(1000, () => controller.abort(new NotConnected('no answer in time')));
      outcomes.push(await probed(plant, 1010, controller.signal));
      cancel();
    }
    assert.ok(outcomes.includes('answered'));
  });
});
