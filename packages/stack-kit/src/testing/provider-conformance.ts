// What is asked of every provider: that its clients see the truth, may write, and cannot harm it or each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quality, systemClock, zeroOf } from '@telltale/schema';
import { written } from '../write-result.ts';
import { testAddresses } from './address-conformance.ts';
import type { Seen, TestClient } from './conformance-world.ts';
import { isSame } from './hosted-connector.ts';
import type { HostedProvider } from './hosted-provider.ts';
import { providerOptions } from './instance-options.ts';
import { accepts } from './peer-process.ts';
import { type ProviderBench, valueAt } from './provider-bench.ts';
import { until } from './until.ts';

export type Serving = (run: (hosted: HostedProvider, client: TestClient) => Promise<void>) => Promise<void>;

export function testProvider(world: ProviderBench['world'], bench: () => ProviderBench, serving: Serving): void {
  const listens = world.transport === 'tcp' && world.startServed === undefined;
  const isTouched = async () => (listens ? accepts(bench().endpoint.port) : (bench().way?.touched ?? 0) > 0);

  // First of all: nobody has touched the way yet.
  test('it neither listens nor connects before it is reported to', async () => {
    const { values } = bench().role.readVariables(bench().vars);
    assert.notEqual(values, undefined, 'the variables of the world have faults');
    const { createProvider } = await bench().role.load();
    const provider = createProvider(providerOptions({ variables: values, folder: bench().folder }));
    provider.setPoints({ measurements: [], commands: [] });
    assert.equal(await isTouched(), false);
    await provider.close();
  });

  for (const bad of world.badVariables) {
    test(`${JSON.stringify(bad)} is refused before it listens or connects`, async () => {
      const { role, vars, folder } = bench();
      const { values, faults } = role.readVariables({ ...vars, ...bad });
      if (values !== undefined) {
        await assert.rejects(
          async () => {
            const { createProvider } = await role.load();
            const provider = createProvider(providerOptions({ variables: values, folder }));
            provider.setPoints({ measurements: [], commands: [] });
            await provider.connect(new AbortController().signal).finally(() => provider.close());
          },
          (error: Error) => error.name === 'Fatal' && error.message !== '',
          'neither the variables nor the provider refuse it for good',
        );
      } else assert.ok(faults.every(({ field, message }) => field !== '' && message !== ''));
      assert.equal(await isTouched(), false);
    });
  }

  testAddresses(world, () => bench().role);

  test('what has no value yet is not good', () =>
    serving(async (_, client) => {
      for (const { address } of world.measurements) assert.equal((await client.read(address)).isGood, false, address);
    }));

  test('a client sees every value as it was published, with its time where the protocol has one', () =>
    serving(async (hosted, client) => {
      const longest = Math.max(...world.measurements.map(({ values }) => values.length));
      for (let turn = 0; turn < longest; turn++) {
        bench().publishAll(hosted, turn);
        await bench().untilAllSeen(client, turn);
      }
      const timeUs = Math.floor(systemClock.now() / 1000) * 1000 - 5_000_000;
      for (const sample of world.measurements) {
        const value = valueAt(sample, longest);
        hosted.publish(sample.address, value, quality.good, timeUs);
        await bench().untilSeen(client, sample.address, (seen) => isSame(seen.value, value), `${value}`);
        await bench().untilSeen(
          client,
          sample.address,
          (seen) => seen.timeUs === undefined || Math.abs(seen.timeUs - timeUs) <= 1000,
          `of ${timeUs}`,
        );
      }
    }));

  test('a value that turns bad is not seen as good, and one that is good again is', () =>
    serving(async (hosted, client) => {
      bench().publishAll(hosted, 0);
      await bench().untilAllSeen(client, 0);
      for (const { address } of world.measurements) {
        hosted.publish(address, undefined, quality.bad.communicationFailure, systemClock.now());
        await bench().untilSeen(client, address, (seen) => !seen.isGood, 'bad');
      }
      bench().publishAll(hosted, 1);
      await bench().untilAllSeen(client, 1);
    }));

  test('when the points change, clients see the new ones', () =>
    serving(async (hosted, client) => {
      const [first, ...others] = world.measurements;
      assert.ok(first !== undefined);
      hosted.setPoints(others, world.commands);
      hosted.setPoints(world.measurements, world.commands);
      bench().publishAll(hosted, 1);
      await bench().untilAllSeen(client, 1);
      assert.equal(hosted.state, 'up');
    }));

  testWrites(world, bench, serving);
}

function testWrites(world: ProviderBench['world'], bench: () => ProviderBench, serving: Serving): void {
  const [command] = world.commands;
  if (command === undefined) return;

  test('what a client writes reaches the server once, and is seen when it was accepted', () =>
    serving(async (hosted, client) => {
      bench().publishAll(hosted, 0);
      await bench().untilAllSeen(client, 0);
      for (const { address, values } of world.commands) {
        for (const value of [...values.slice(1), values[0]]) {
          hosted.writes.length = 0;
          await client.write(address, value);
          await until(`${address} was written`, () => hosted.writes.length > 0);
          const [first, ...more] = hosted.writes;
          assert.equal(first?.address, address);
          assert.ok(isSame(first.value, value), `${first.value} instead of ${value}`);
          assert.deepEqual(more, []);
        }
      }
    }));

  test('a command that was never written is not good, though it was before', () =>
    serving(async (hosted, client) => {
      for (const { address } of world.commands) assert.equal((await client.read(address)).isGood, false, address);
      bench().publishAll(hosted, 0);
      for (const sample of world.commands) {
        const isIt = (seen: Seen) => seen.isGood && isSame(seen.value, valueAt(sample, 0));
        await bench().untilSeen(client, sample.address, isIt, 'good');
      }
      for (const { address, datatype } of world.commands) {
        hosted.publish(address, zeroOf(datatype), quality.bad.notConnected, 0);
        await bench().untilSeen(client, address, (seen) => !seen.isGood, 'never written');
      }
    }));

  for (const kind of ['refused', 'notSent', 'unknown'] as const) {
    test(`a write that ends as ${kind} is answered so, was handed on once, and leaves the value as it is`, () =>
      serving(async (hosted, client) => {
        bench().publishAll(hosted, 0);
        await bench().untilAllSeen(client, 0);
        hosted.writesEnd = written[kind]('the plant is in manual');
        await assert.rejects(client.write(command.address, valueAt(command, 1)), world.writesFail?.[kind] ?? /./);
        assert.deepEqual(
          hosted.writes.map(({ address }) => address),
          [command.address],
        );
        const isAsBefore = (seen: Seen) => seen.isGood && isSame(seen.value, valueAt(command, 0));
        await bench().untilSeen(client, command.address, isAsBefore, 'as it was');
        hosted.writesEnd = written.accepted;
        await client.write(command.address, valueAt(command, 2));
        await bench().untilSeen(client, command.address, (seen) => isSame(seen.value, valueAt(command, 2)), 'written');
        assert.equal(hosted.writes.length, 2);
      }));
  }

  test('a measurement cannot be written', () =>
    serving(async (hosted, client) => {
      bench().publishAll(hosted, 0);
      await bench().untilAllSeen(client, 0);
      const [measurement] = world.measurements;
      assert.ok(measurement !== undefined);
      await client.write(measurement.address, valueAt(measurement, 1)).catch(() => {});
      assert.deepEqual(hosted.writes, []);
      const seen = await client.read(measurement.address);
      assert.ok(!seen.isGood || isSame(seen.value, valueAt(measurement, 0)), `it is seen as ${seen.value}`);
    }));
}
