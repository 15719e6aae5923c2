import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { SimulatedLink } from '../../simulator/test/simulated-link.ts';
import { createConnector } from './connector.ts';

const waterworksLink = (variables = {}) => new SimulatedLink(variables, new ManualClock(), createConnector);

test('the model begins with what its commands show; buttons are not pressed', async () => {
  const link = waterworksLink();
  const command = (name: string, last: number | boolean, datatype: 'd' | 'b' = 'd') => {
    return { name, address: `model(${name})`, datatype, last };
  };
  const commands = [
    command('tank1_level_setpoint', 2),
    command('network_demand', 1000),
    command('dosing_tank_refill', true, 'b'),
  ];
  const measurements = [
    ...commands.map(({ last, ...each }) => ({ ...each, name: `${each.name}_shown` })),
    { name: 'day_tank', address: 'model(dosing_tank_level)' },
  ];
  link.setPoints(measurements, commands);
  await link.start();
  assert.deepEqual(
    ['tank1_level_setpoint_shown', 'network_demand_shown', 'dosing_tank_refill_shown'].map((name) => link.value(name)),
    [2, 100, 0],
  );
  assert.ok(Number(link.value('day_tank')) < 81);
  assert.match(link.warnings.join(), /^network_demand .*takes 0 to 300, not 1000$/);
  await link.write('tank1_level_setpoint', 3);
  const another = { name: 'another', address: 'model(tank1_level_setpoint)', last: 4 };
  link.setPoints(measurements, [...commands, another]);
  link.clock.advance(500);
  assert.equal(link.value('tank1_level_setpoint_shown'), 3);
  await link.stop();
});

test('it takes commands and refuses what does not fit', async () => {
  const link = waterworksLink();
  link.setPoints(
    [
      { name: 'state', address: 'model(pump3_state)', datatype: 's' },
      { name: 'speed', address: 'model(pump3_speed)', datatype: 'f' },
      { name: 'asked', address: 'model(pump3_speed_setpoint)', datatype: 'i' },
      { name: 'total', address: 'model(inlet_total)', datatype: 'l' },
    ],
    [
      { name: 'start', address: 'model(pump3_start)', datatype: 'b' },
      { name: 'register', address: 'model(pump3_speed_setpoint)', datatype: 'i' },
      { name: 'exact', address: 'model(pump3_speed_setpoint)' },
    ],
  );
  await link.start();
  await link.write('register', 9000);
  await link.write('start', true);
  link.clock.advance(5000);
  assert.deepEqual([link.value('state'), link.value('asked')], ['starting', 9000]);
  link.clock.advance(10_000);
  assert.deepEqual([link.value('state'), link.value('speed')], ['running', 90]);
  assert.equal(typeof link.value('total'), 'bigint');
  await assert.rejects(link.write('register', 10_001), { name: 'refused', message: /0 to 10000, not 10001/ });
  await assert.rejects(link.write('exact', 99.5), { name: 'refused', message: /a whole number/ });
  assert.equal(link.value('asked'), 9000);
  await link.stop();
});

test('faults strike tags as they do functions, and a tag that there is not is bad, configuration error', async () => {
  const link = waterworksLink();
  link.setPoints(
    [
      { name: 'level', address: 'model(tank1_level)' },
      { name: 'wave', address: 'sine()' },
      { name: 'none', address: 'model(no_such_tag)' },
    ],
    [{ name: 'spoil', address: 'bad_quality(of=level)', datatype: 'b' }],
  );
  await link.start();
  assert.deepEqual(
    ['level', 'wave', 'none'].map((name) => link.quality(name)),
    [quality.good, quality.good, quality.bad.configurationError],
  );
  await link.write('spoil', true);
  link.clock.advance(500);
  assert.deepEqual([link.quality('level'), link.quality('wave')], [quality.bad.sensorFailure, quality.good]);
  await link.stop();
});

test('a speed that the model cannot keep is logged once', async () => {
  const link = waterworksLink({ speed: 1000, scanPeriodMs: 2000 });
  link.setPoints([{ name: 'level', address: 'model(tank1_level)' }]);
  await link.start();
  link.clock.advance(4000);
  assert.deepEqual(link.warnings, ['the model cannot keep up with the variable speed: 1000 s behind']);
  await link.stop();
});

test('its tags can be browsed through the connector', async () => {
  const { connector } = waterworksLink();
  const answer = await connector.browse?.({ path: 'tank1', cursor: undefined, limit: 2 }, new AbortController().signal);
  assert.deepEqual(answer?.items[0]?.measurement?.address, 'model(tank1_level)');
});
