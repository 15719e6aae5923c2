// What is asked of every connector while its device and the way there are sound.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGood, quality } from '@telltale/schema';
import { NotConnected } from '../connector.ts';
import { testAddresses } from './address-conformance.ts';
import type { ConnectorBench } from './connector-bench.ts';
import { type HostedConnector, isSame } from './hosted-connector.ts';
import { connectorOptions } from './instance-options.ts';
import { until } from './until.ts';

export type Hosting = (run: (hosted: HostedConnector) => Promise<void>) => Promise<void>;

/** `bench` is there when the tests run. */
export function testConnector(world: ConnectorBench['world'], bench: () => ConnectorBench, hosting: Hosting): void {
  const [command] = world.commands;

  test('nothing is sent before it is reported to connect', async () => {
    const { role, vars, way, folder, later } = bench();
    const { values } = role.readVariables(vars);
    assert.notEqual(values, undefined, 'the variables of the world have faults');
    const touched = way.touched;
    const { createConnector } = await role.load();
    const connector = createConnector(connectorOptions({ variables: values, folder }));
    connector.setPoints({ measurements: [], commands: [] });
    await later();
    await connector.close();
    assert.equal(way.touched, touched);
  });

  for (const bad of world.badVariables) {
    test(`${JSON.stringify(bad)} is refused before anything is sent`, async () => {
      const { role, vars, way, folder } = bench();
      const touched = way.touched;
      const { values, faults } = role.readVariables({ ...vars, ...bad });
      if (values !== undefined) {
        await assert.rejects(
          async () => {
            const { createConnector } = await role.load();
            const connector = createConnector(connectorOptions({ variables: values, folder }));
            connector.setPoints({ measurements: [], commands: [] });
            await connector.connect(new AbortController().signal).finally(() => connector.close());
          },
          (error: Error) => error.name !== NotConnected.name && error.message !== '',
          'neither the variables nor the connector refuse it for good',
        );
      } else assert.ok(faults.every(({ field, message }) => field !== '' && message !== ''));
      assert.equal(way.touched, touched);
    });
  }

  test('a variable that it does not know is refused', () => {
    const { faults } = bench().role.readVariables({ ...bench().vars, noSuchVariable: '1' });
    assert.deepEqual(
      faults.map(({ field }) => field),
      ['noSuchVariable'],
    );
  });

  testAddresses(world, () => bench().role);

  test('it brings what the device has, and every change', () =>
    hosting(async (hosted) => {
      const longest = Math.max(...world.measurements.map(({ values }) => values.length));
      for (let turn = 0; turn < longest; turn++) {
        await bench().untilRight(hosted);
        await bench().change();
      }
      await bench().untilRight(hosted);
      assert.equal(hosted.state, 'up');
    }));

  test('when the points change, the link stays and every value comes again', () =>
    hosting(async (hosted) => {
      await bench().untilRight(hosted);
      const { connects } = hosted.connection.status().counters;
      hosted.setPoints();
      await bench().untilRight(hosted);
      assert.equal(hosted.connection.status().counters.connects, connects);
    }));

  const { unknown } = world;
  test('an address that the device does not have turns bad, and the others stay good', {
    skip: typeof unknown === 'string' && unknown,
  }, async () => {
    if (typeof unknown === 'string') return;
    await bench().begin();
    const hosted = bench().host({ measurements: [unknown] });
    try {
      hosted.setPoints();
      const shown = () => hosted.points.get(unknown.address);
      await until('it has a quality that says so', () => shown()?.quality === quality.bad.configurationError);
      await bench().untilRight(hosted);
      await bench().change();
      await bench().untilRight(hosted);
      assert.equal(isGood(shown()?.quality ?? 0), false);
      assert.equal(shown()?.good, 0);
    } finally {
      await hosted.stop();
    }
    assert.deepEqual(hosted.wrong, []);
  });

  test('what is written is what the device then has', { skip: command === undefined && 'no commands' }, () =>
    hosting(async (hosted) => {
      await bench().untilRight(hosted);
      for (const { address, values } of world.commands) {
        for (const value of [...values, values[0]]) {
          assert.deepEqual(await hosted.write(address, value), { kind: 'accepted' });
          await until(`${address} has ${value}`, async () => isSame(await bench().device.get(address), value));
        }
      }
    }),
  );

  const { refused } = world;
  test('a write that the device refuses is refused with its reason, and the link stays', {
    skip: typeof refused === 'string' && refused,
  }, async () => {
    if (typeof refused === 'string') return;
    await bench().begin();
    const hosted = bench().host({ commands: [refused] });
    try {
      hosted.setPoints();
      await bench().untilRight(hosted);
      const { connects } = hosted.connection.status().counters;
      const outcome = await hosted.write(refused.address, refused.value);
      assert.equal(outcome.kind, 'refused', JSON.stringify(outcome));
      assert.doesNotMatch(outcome.kind === 'refused' ? outcome.reason : '', /^$|the stack failed/);
      await bench().change();
      await bench().untilRight(hosted);
      assert.equal(hosted.connection.status().counters.connects, connects);
    } finally {
      await hosted.stop();
    }
    assert.deepEqual(hosted.wrong, []);
  });
}
