// The rule for a device that falls silent, held by the poller and the connection together: within two scan periods or
// 5 s, whichever is longer, all its points are bad in one batch.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PolledPlant, point, settled } from '../../test/polled-plant.ts';
import type { StackPoints } from '../connector.ts';
import { Connection } from './connection.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const communicationFailure = '0x18';

async function setUp(points: StackPoints['measurements']) {
  const plant = new PolledPlant();
  const links: { up: boolean; ms: number }[] = [];
  const connection = new Connection({
    create: async () => ({
      setPoints: ({ measurements }) => plant.setPoints(measurements),
      connect: (signal) => plant.poller.probe(signal),
      run: (signal) => plant.poller.run(signal),
      close: async () => {},
    }),
    clock: plant.clock,
    random: () => 0,
    log: quiet,
    writeTimeoutMs: 1000,
    reconnectMaxMs: () => 5000,
    isMeasurement: () => true,
    command: () => undefined,
    onAccepted: () => undefined,
    onReadings: () => 0,
    onLink: (up) => links.push({ up, ms: plant.clock.monotonicMs() }),
    onState: () => undefined,
  });
  connection.setPoints({ measurements: points, commands: [] });
  await plant.advance(20);
  assert.deepEqual(
    links.map(({ up }) => up),
    [true],
  );
  const stop = async () => {
    const stopped = connection.stop();
    for (let turn = 0; turn < 20; turn++) await settled();
    await stopped;
  };
  return { plant, links, stop };
}

const cases = [
  { periodsMs: [50], silentAfterMs: 130, withinMs: 5000 },
  { periodsMs: [1000], silentAfterMs: 10, withinMs: 5000 },
  { periodsMs: [1000], silentAfterMs: 990, withinMs: 5000 },
  { periodsMs: [100, 20_000], silentAfterMs: 550, withinMs: 5000 },
  { periodsMs: [4000], silentAfterMs: 3999, withinMs: 8000 },
  { periodsMs: [10_000], silentAfterMs: 1, withinMs: 20_000 },
];

for (const { periodsMs, silentAfterMs, withinMs } of cases) {
  const points = (device: string) => periodsMs.map((periodMs, at) => point(`${device}/${at}`, periodMs));
  const name = `scanned every ${periodsMs.join(' and ')} ms, silent after ${silentAfterMs} ms, within ${withinMs} ms`;

  describe(name, () => {
    test('one device of two: its points turn bad in one batch, those of the other stay', async () => {
      const { plant, links, stop } = await setUp([...points('lost'), ...points('other')]);
      await plant.advance(silentAfterMs);
      plant.device('lost').isSilent = true;
      plant.take();
      await plant.advance(withinMs);
      const bad = plant.take().filter(({ readings }) => Object.values(readings).includes(communicationFailure));
      const wanted = Object.fromEntries(points('lost').map((each) => [each.name, communicationFailure]));
      assert.deepEqual(
        bad.map(({ readings }) => readings),
        [wanted],
      );
      assert.equal(links.length, 1);
      await stop();
    });

    test('the only one: the link is lost, which turns all points bad', async () => {
      const { plant, links, stop } = await setUp(points('lost'));
      await plant.advance(silentAfterMs);
      plant.device('lost').isSilent = true;
      await plant.advance(withinMs);
      assert.equal(links[1]?.up, false);
      await stop();
    });
  });
}
