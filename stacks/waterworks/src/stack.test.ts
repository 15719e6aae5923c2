import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, datatypes, isIdentifier } from '@telltale/schema';
import type { PointKind } from '@telltale/stack-kit';
import { declaredWell } from '@telltale/stack-kit/testing';
import waterworks from './stack.ts';
import { waterworksTags } from './tags.ts';

const connector = waterworks.connector ?? assert.fail();

const check = (kind: PointKind, address: string, datatype: Datatype, rawDatatype?: Datatype) =>
  connector.checkAddress(kind, address, { datatype, rawDatatype });

describe('the waterworks', () => {
  declaredWell(waterworks, new URL('../README.md', import.meta.url));
});

describe('an address suits its point', () => {
  const served = (kind: PointKind, address: string) =>
    datatypes.filter((datatype) => check(kind, address, datatype) === undefined).join('');
  const cases: [string, string, string][] = [
    ['model(pump1_start)', 'b', 'b'],
    ['model(tank1_drain_valve_state)', 'qil', ''],
    ['model(pump1_speed_setpoint)', 'ild', 'ild'],
    ['model(inlet_total)', 'l', ''],
    ['model(tank1_level)', 'fd', ''],
    ['model(pump1_state)', 's', ''],
    ['sine()', 'ilfd', ''],
    ['freeze(of=x)', 'b', 'bilfd'],
  ];
  for (const [address, measurement, command] of cases) {
    test(`${address}: measurements ${measurement || 'none'}, commands ${command || 'none'}`, () => {
      assert.equal(served('measurement', address), measurement);
      assert.equal(served('command', address), command);
    });
  }

  test('by its raw datatype, where it has one', () => {
    assert.equal(check('command', 'model(pump1_speed_setpoint)', 'f', 'i'), undefined);
  });

  test('or the message says what would', () => {
    assert.match(check('command', 'sine()', 'd') ?? '', /sine is not for commands: one of echo, model, bus, drop_link/);
    assert.match(
      check('measurement', 'model(tank1_levl)', 'd') ?? '',
      /no tag tank1_levl; the nearest is tank1_level;/,
    );
    assert.match(check('measurement', 'model(__proto__)', 'd') ?? '', /there is no tag __proto__/);
    assert.match(
      check('command', 'model(tank2_level)', 'd') ?? '',
      /only be read.*tank2_level_setpoint, tank2_outlet_valve/,
    );
    assert.match(check('command', 'model(main_flow)', 'd') ?? '', /only be read.*none/);
  });
});

test('the tags are distinct names, and every input has a start that fits its datatype', () => {
  assert.equal(new Set(waterworksTags.map(({ name }) => name)).size, waterworksTags.length);
  for (const { name, direction, datatype, start } of waterworksTags) {
    assert.ok(isIdentifier(name), name);
    assert.equal(start !== undefined, direction === 'input', name);
    if (start === undefined) continue;
    assert.ok(datatype === 'd' || (datatype === 'b' ? start === 0 || start === 1 : Number.isInteger(start)), name);
  }
});
