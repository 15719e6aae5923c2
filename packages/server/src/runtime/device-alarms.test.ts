import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Alarm, Connector, Provider } from '@telltale/schema';
import { problemText } from '../../test/runtime-bench.ts';
import { command, setUp } from '../../test/runtime-plant.ts';

const bells: Connector = { name: 'bells', stackName: 'bell' };
const door: Alarm = { name: 'door', severity: 1, connectorName: 'bells', address: 'door', archMode: 'change' };
const deaf: Alarm = { name: 'deaf', severity: 1, connectorName: 'bells', address: 'deaf' };
const commands = ['ring door', 'hush door', 'panel door', 'ring deaf', 'ring gate', 'exit'].map((address) =>
  command(address.replace(' ', '_'), 'bells', address),
);

async function running() {
  const { bench } = await setUp();
  const render = (...alarms: Alarm[]) => bench.render({ connectors: [bells], commands, alarms });
  const stateOf = (name: string) => {
    const handle = bench.alarms.find(name);
    if (handle < 0) return 'none';
    const { state, authority } = bench.alarms.stateOf(handle);
    return `${state} ${authority}`;
  };
  const press = (name: string) => bench.commands.write(name, 'd1');
  const becomes = (name: string, state: string) => bench.until(() => stateOf(name) === state);
  await render(door, deaf);
  await bench.until(() => bench.host.statusOf('connector', 'bells')?.state === 'up');
  return { bench, render, stateOf, press, becomes };
}

describe('alarms of devices', () => {
  test('follow their device, and are acknowledged at its panel and here', async () => {
    const { bench, stateOf, press, becomes } = await running();
    await press('ring_door');
    await becomes('door', 'ACT_UNACK connector/bells');
    await press('panel_door');
    await becomes('door', 'ACT_ACK panel');
    await press('hush_door');
    await becomes('door', 'INACT_ACK connector/bells');
    await press('ring_door');
    await becomes('door', 'ACT_UNACK connector/bells');
    await bench.alarms.operate('door', 'acknowledge', 'anna');
    assert.equal(stateOf('door'), 'ACT_ACK anna');
    assert.equal(bench.alarmsOnDisk.get('door')?.authority, 'anna');
    assert.equal(bench.alarms.descriptionOf(bench.alarms.find('door')), 'door rings');
    assert.match(await problemText(bench.alarms.operate('door', 'deactivate', 'anna')), /^device-alarm: /);
    await press('ring_deaf');
    await becomes('deaf', 'ACT_UNACK connector/bells');
    const refused = await problemText(bench.alarms.operate('deaf', 'acknowledge', 'anna'));
    assert.equal(refused, 'acknowledge-refused: Connector bells did not get it accepted: it does not listen.');
    assert.equal(stateOf('deaf'), 'ACT_UNACK connector/bells');
  });

  test('are served with the measurement that they are about, and acknowledged through its provider', async () => {
    const { bench, press, becomes } = await running();
    const level = { name: 'level', datatype: 'd', providerAddresses: { out: 'good' } } as const;
    const frail: Alarm = { ...deaf, name: 'frail', address: 'frail' };
    const about = [door, deaf, frail].map((alarm) => ({ ...alarm, trgMeasurement: 'level' }));
    const out: Provider = { name: 'out', stackName: 'trial', vars: { mode: 'acknowledge' } };
    const rings = ['ring frail', 'ring gate'].map((address) => command(address.replace(' ', '_'), 'bells', address));
    await bench.render({
      connectors: [bells],
      providers: [out],
      measurements: [level],
      commands: [...commands.filter(({ name }) => name !== 'ring_gate'), ...rings],
      alarms: [...about, { ...door, name: 'gate', address: 'gate' }],
    });
    const heard = (text: string) =>
      bench.until(() => bench.lines.some(({ provider, msg }) => provider === 'out' && msg === text));
    await heard('alarms door ,deaf ,frail ');
    await bench.measurements.simulate('level', { value: 'd6', quality: undefined, validForS: undefined, by: 'x' });
    await press('ring_door');
    await heard('alarm door true false connector/bells: door rings');
    await becomes('door', 'ACT_ACK a client');
    await heard('alarm door true true a client: door rings');
    await press('ring_deaf');
    await heard('refused Connector bells did not get it accepted: it does not listen.');
    await press('ring_frail');
    await heard(
      'unknown Connector bells has no clear answer: it broke meanwhile. The device may have taken it: its state says so then.',
    );
    await press('ring_gate');
    await becomes('gate', 'ACT_UNACK connector/bells');
    assert.ok(!bench.lines.some(({ provider, msg }) => provider === 'out' && msg.startsWith('alarm gate')));
  });

  test('keep their states while the connector is away, and cannot be acknowledged then', async () => {
    const { bench, stateOf, press, becomes } = await running();
    await press('ring_door');
    await becomes('door', 'ACT_UNACK connector/bells');
    await bench.runtime.links.disable('connector', 'bells', 'anna', undefined);
    assert.match(await problemText(bench.alarms.operate('door', 'acknowledge', 'anna')), /^connector-down: .*disabled/);
    assert.equal(stateOf('door'), 'ACT_UNACK connector/bells');
    await bench.runtime.links.enable('connector', 'bells');
    await bench.until(() => bench.host.statusOf('connector', 'bells')?.state === 'up');
    await bench.alarms.operate('door', 'acknowledge', 'anna');
    assert.match(stateOf('door'), /^\w+_ACK anna$/);
  });

  test('are given to their connector anew when they change, and when its thread was replaced', async () => {
    const { bench, render, press, becomes } = await running();
    const given = () => bench.lines.flatMap(({ msg }) => (msg.startsWith('alarms ') ? [msg] : []));
    await bench.until(() => given().length === 1);
    assert.deepEqual(given(), ['alarms door=door,deaf=deaf']);
    await render({ ...door, severity: 3 }, deaf);
    await render({ ...door, severity: 3, address: 'gate' }, { ...deaf, enabled: false });
    await bench.until(() => given().length === 2);
    assert.equal(given()[1], 'alarms door=gate');
    await press('ring_door');
    await press('ring_gate');
    await becomes('door', 'ACT_UNACK connector/bells');
    const exit = problemText(press('exit'));
    await bench.until(() => given().length === 3);
    await exit;
    await bench.until(() => bench.host.statusOf('connector', 'bells')?.state === 'up');
    assert.equal(given()[2], 'alarms door=gate');
    await bench.alarms.operate('door', 'acknowledge', 'anna');
    await render();
    await bench.until(() => given().length === 4);
    assert.equal(given()[3], 'alarms ');
  });

  test('that are not configured, or of another connector, are passed over', async () => {
    const { bench, stateOf } = await running();
    const state = { id: 1, isActive: true, isAcknowledged: false, timeUs: 5 };
    bench.runtime.deviceAlarms('others', [state]);
    bench.runtime.deviceAlarms('bells', [{ ...state, id: 99 }]);
    assert.equal(stateOf('door'), 'INACT_ACK ');
    bench.runtime.deviceAlarms('bells', [state]);
    assert.equal(stateOf('door'), 'ACT_UNACK connector/bells');
  });
});
