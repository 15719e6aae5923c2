import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Batch, parseText, type Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { connectorOptions } from '@telltale/stack-kit/testing';
import stack from '../stack.ts';
import { alarms } from './alarms.ts';
import { commands } from './commands.ts';
import { measurements } from './measurements.ts';

const speed = 100;
const days = 2;

/** Raised at the first scan beyond, and cleared when it has come back by the hysteresis; delays are left out. */
function isActive(alarm: (typeof alarms)[number], was: boolean, value: number): boolean {
  const [reference, slack] = [Number(alarm.trgRefValue), was ? Number(alarm.trgHysteresis ?? 0) : 0];
  switch (alarm.trgOperator) {
    case 'gt':
      return value > reference - slack;
    case 'ge':
      return value >= reference - slack;
    case 'lt':
      return value < reference + slack;
    case 'le':
      return value <= reference + slack;
    case 'eq':
      return value === reference;
    default:
      return value !== reference;
  }
}

/** In the raw range of the device, as its connector gets it. */
function rawValue({
  datatype,
  rawDatatype = datatype,
  initialValue,
  ...point
}: (typeof commands)[number]): Value | undefined {
  if (initialValue === undefined) return undefined;
  if (point.rawRangeHi === undefined) return parseText(rawDatatype, initialValue);
  const share = Number(initialValue) / Number(point.euRangeHi);
  return parseText(rawDatatype, String(share * Number(point.rawRangeHi)));
}

test('a plant that is left to itself raises few alarms in two days, none of them grave, none again and again', async () => {
  const { createConnector } = (await stack.connector?.load()) ?? assert.fail();
  const shown = measurements.filter(({ connectorName }) => connectorName === 'waterworks');
  const values = new Map<string, number>();
  const raised = new Map<string, number>();
  const active = new Set<string>();
  const clock = new ManualClock();

  const look = () => {
    for (const alarm of alarms) {
      const value = values.get(alarm.trgMeasurement ?? '');
      if (value === undefined) continue;
      const was = active.has(alarm.name);
      const is = isActive(alarm, was, value);
      if (is && !was) raised.set(alarm.name, (raised.get(alarm.name) ?? 0) + 1);
      if (is) active.add(alarm.name);
      else active.delete(alarm.name);
    }
  };
  const publish = (batch: Batch) => {
    for (let at = 0; at < batch.count; at++) {
      const { name, rawRangeLo, rawRangeHi, euRangeHi } = shown[batch.points[at] ?? -1] ?? assert.fail();
      assert.equal(batch.qualities[at], 192, name);
      const value = Number(batch.valueAt(at));
      const span = Number(rawRangeHi) - Number(rawRangeLo);
      values.set(name, rawRangeLo === undefined ? value : ((value - Number(rawRangeLo)) / span) * Number(euRangeHi));
    }
    batch.clear();
    look();
  };

  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: assert.fail, error: assert.fail };
  const { values: variables } = stack.connector?.readVariables({ speed: String(speed) }) ?? assert.fail();
  const connector = createConnector(
    connectorOptions({ name: 'waterworks', variables: variables ?? assert.fail(), clock, log, publish }),
  );
  connector.setPoints({
    measurements: shown.map(({ name, address = '', datatype, rawDatatype = datatype }, id) => {
      return { id, name, address, datatype: rawDatatype, properties: {} };
    }),
    commands: commands
      .filter(({ connectorName }) => connectorName === 'waterworks')
      .map((command, index) => {
        const { name, address = '', datatype, rawDatatype = datatype } = command;
        return { id: 1000 + index, name, address, datatype: rawDatatype, properties: {}, last: rawValue(command) };
      }),
  });
  const controller = new AbortController();
  await connector.connect(controller.signal);
  const ended = connector.run(controller.signal);
  clock.advance((days * 86_400_000) / speed);
  controller.abort();
  await ended;
  await connector.close();

  assert.equal(values.size, shown.length);
  assert.ok([...raised.values()].reduce((sum, count) => sum + count, 0) <= days, JSON.stringify([...raised]));
  for (const [name, times] of raised) {
    assert.ok(times <= 1, `${name} came ${times} times`);
    assert.ok((alarms.find((alarm) => alarm.name === name)?.severity ?? 0) >= 2, `${name} is grave`);
  }
  for (const { name, datatype, euRangeLo, euRangeHi } of shown) {
    if (datatype !== 'd' && datatype !== 'f') continue;
    const value = values.get(name) ?? Number.NaN;
    assert.ok(value >= Number(euRangeLo) && value <= Number(euRangeHi), `${name} ${value}`);
  }
});
