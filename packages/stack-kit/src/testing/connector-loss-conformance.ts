// What is asked of every connector when its device falls silent, or the way to it is cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectorBench } from './connector-bench.ts';
import type { Hosting } from './connector-conformance.ts';
import { isSame } from './hosted-connector.ts';
import { until } from './until.ts';
import type { Way } from './way.ts';

interface Loss {
  readonly name: string;
  readonly strike: (way: Way) => void | Promise<void>;
}

/** The device is gone, and is noticed to be. */
const silences: readonly Loss[] = [
  { name: 'does not answer any more', strike: (way) => way.setFaults({ toClient: { kind: 'discard' } }) },
  {
    name: 'is cut off without a word',
    strike: (way) => way.setFaults({ toClient: { kind: 'discard' }, toDevice: { kind: 'discard' } }),
  },
  { name: 'answers far too late', strike: (way) => way.setFaults({ toClient: { kind: 'stall' } }) },
  { name: 'is not there any more', strike: (way) => way.cut() },
];

/** The link is gone and can be had again at once. */
const ends: readonly Loss[] = [
  { name: 'resets the link', strike: (way) => way.reset() },
  { name: 'ends the link', strike: (way) => way.hangUp() },
];

export function testLoss(world: ConnectorBench['world'], bench: () => ConnectorBench, hosting: Hosting): void {
  for (const { name, strike } of silences) {
    test(`a device that ${name}: all points turn bad, and come back by themselves`, () =>
      hosting(async (hosted) => {
        await bench().untilRight(hosted);
        await strike(bench().way);
        await bench().untilBad(hosted);
        await bench().change();
        const good = () => [...hosted.points.values()].reduce((sum, shown) => sum + shown.good, 0);
        const before = good();
        await bench().later();
        assert.equal(good(), before, 'a reading was good though the device said nothing');
        await bench().way.repair();
        await bench().untilRight(hosted);
        await bench().change();
        await bench().untilRight(hosted);
      }));
  }

  for (const { name, strike } of world.transport === 'tcp' ? ends : []) {
    test(`a device that ${name}: it is lost, and comes back by itself`, () =>
      hosting(async (hosted) => {
        await bench().untilRight(hosted);
        const { connects } = hosted.connection.status().counters;
        await strike(bench().way);
        await bench().untilRelinked(hosted, connects);
        await bench().change();
        await bench().untilRight(hosted);
      }));
  }

  test('a device that forgets its clients, though connections stay: it comes back by itself', async (t) => {
    const { device } = bench();
    if (device.forgetClients === undefined) {
      t.skip('it has nothing to forget');
      return;
    }
    await hosting(async (hosted) => {
      await bench().untilRight(hosted);
      await device.forgetClients?.();
      await bench().change();
      await bench().untilRight(hosted);
    });
  });

  test('a device that is not there at first is found when it comes', async () => {
    await bench().begin();
    await bench().way.cut();
    const hosted = bench().host();
    try {
      hosted.setPoints();
      await until('an attempt has failed', () => hosted.connection.status().counters.errors > 0);
      await bench().later();
      await bench().way.repair();
      await bench().untilRight(hosted);
    } finally {
      await hosted.stop();
    }
    assert.deepEqual(hosted.wrong, []);
  });

  test('a device that is away for long is tried every 5 s at least, so that it is found within 10 s', () =>
    hosting(async (hosted) => {
      await bench().untilRight(hosted);
      await bench().way.cut();
      const { clock } = hosted;
      const beganMs = clock.pausedMs;
      // As the host counts them: in the test, pauses are short.
      await until('it was away for 75 s', () => clock.pausedMs - beganMs >= 75_000, { deadlineMs: 60_000 });
      assert.ok(clock.longestPauseMs <= 5000, `${clock.longestPauseMs} ms between two tries`);
      await bench().way.repair();
      await bench().change();
      await bench().untilRight(hosted);
    }));

  test('it is stopped at once while a device that says nothing is connected to', async () => {
    await bench().begin();
    bench().way.setFaults({ toClient: { kind: 'discard' } });
    const { touched } = bench().way;
    const hosted = bench().host();
    hosted.setPoints();
    await until('it tries', () => bench().way.touched > touched);
    await hosted.stop();
    assert.deepEqual(hosted.wrong, []);
    await bench().way.repair();
    await until('no connection is left', () => bench().way.open === 0);
  });

  const [command] = world.commands;
  if (command === undefined) return;
  const { address } = command;

  test('a write without a link is answered at once, and never sent', () =>
    hosting(async (hosted) => {
      await bench().untilRight(hosted);
      const before = await bench().device.get(address);
      const value = await bench().other(command);
      await bench().way.cut();
      await bench().untilBad(hosted);
      const outcome = await hosted.write(address, value);
      if (world.transport === 'tcp') assert.equal(outcome.kind, 'notConnected', JSON.stringify(outcome));
      else assert.notEqual(outcome.kind, 'accepted', 'nobody was there to accept it');
      await bench().way.repair();
      await bench().untilRight(hosted);
      await bench().later();
      assert.ok(isSame(await bench().device.get(address), before), 'it was sent when the link came back');
    }));

  test('a write into a link that is dead, as nobody knows yet, is not accepted and never sent again', () =>
    hosting(async (hosted) => {
      await bench().untilRight(hosted);
      const before = await bench().device.get(address);
      const value = await bench().other(command);
      bench().way.setFaults({ toClient: { kind: 'discard' }, toDevice: { kind: 'discard' } });
      const writing = hosted.write(address, value);
      await bench().untilBad(hosted);
      const outcome = await writing;
      if (world.writesAreAnswered !== false) assert.notEqual(outcome.kind, 'accepted', 'the device never had it');
      await bench().way.repair();
      await bench().untilRight(hosted);
      await bench().later();
      assert.ok(isSame(await bench().device.get(address), before), 'it was sent when the link came back');
    }));

  test('a write whose answer is lost may have been taken, is reported so, and is never sent twice', () =>
    hosting(async (hosted) => {
      await bench().untilRight(hosted);
      const before = await bench().device.get(address);
      const value = await bench().other(command);
      bench().way.setFaults({ toClient: { kind: 'discard' } });
      const writing = hosted.write(address, value);
      await until('the device has it', async () => isSame(await bench().device.get(address), value));
      if (before !== undefined) await bench().device.set(address, before);
      const outcome = await writing;
      assert.notEqual(outcome.kind, 'notConnected', 'that would say that nothing was sent');
      if (world.writesAreAnswered !== false) assert.notEqual(outcome.kind, 'accepted', 'nobody has accepted it');
      await bench().way.repair();
      await bench().untilRight(hosted);
      await bench().later();
      if (before !== undefined) assert.ok(isSame(await bench().device.get(address), before), 'it was sent twice');
    }));
}
