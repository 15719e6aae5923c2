import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, datatypes } from '@telltale/schema';
import type { PointKind } from '@telltale/stack-kit';
import { declaredWell } from '@telltale/stack-kit/testing';
import simulator from './stack.ts';

const connector = simulator.connector ?? assert.fail();
const provider = simulator.provider ?? assert.fail();

const check = (kind: PointKind, address: string, datatype: Datatype, rawDatatype?: Datatype) =>
  connector.checkAddress(kind, address, { datatype, rawDatatype });

describe('the simulator', () => {
  declaredWell(simulator, new URL('../README.md', import.meta.url));

  test('is a stack whose settings have defaults, all of them', () => {
    const host = { reconnectMaxMs: 5000 };
    const own = { scanPeriodMs: 500, speed: 1, seed: 1, bus: 'loopback' };
    assert.deepEqual(connector.readVariables({}).values, { ...own, ...host });
    assert.deepEqual(provider.readVariables({}).values, { bus: 'loopback', gatherMs: 100, ...host });
  });

  test('has tags for its provider, and calls for its connector', () => {
    for (const kind of ['measurement', 'command'] as const) {
      assert.equal(provider.checkAddress(kind, 'tank1.level', { datatype: 's' }), undefined);
      assert.match(provider.checkAddress(kind, 'tank 1', { datatype: 'd' }) ?? '', /as in \w+\.\w+/);
      assert.equal(check(kind, 'bus(tank1.level)', 'd'), undefined);
    }
  });
});

describe('an address suits its point', () => {
  const served = (kind: PointKind, address: string) =>
    datatypes.filter((datatype) => check(kind, address, datatype) === undefined).join('');
  const cases: [string, string, string][] = [
    ['sine()', 'ilfd', ''],
    ['ramp()', 'ilfd', ''],
    ['walk()', 'ilfd', ''],
    ['square()', 'bqilfd', ''],
    ['counter()', 'bqilfd', ''],
    ['text(words="a|b")', 's', ''],
    ['echo(x)', 'bqilfds', 'bqilfds'],
    ['bus(x)', 'bqilfds', 'bqilfds'],
    ['drop_link()', '', 'ilfd'],
    ['bad_quality()', 'b', 'bilfd'],
    ['freeze(of=x)', 'b', 'bilfd'],
    ['slow_write()', 'b', 'bilfd'],
    ['refuse_write()', 'b', 'bilfd'],
  ];
  for (const [address, measurement, command] of cases) {
    test(`${address}: measurements ${measurement || 'none'}, commands ${command || 'none'}`, () => {
      assert.equal(served('measurement', address), measurement);
      assert.equal(served('command', address), command);
    });
  }

  test('by its raw datatype, where it has one', () => {
    assert.equal(check('measurement', 'sine()', 'b', 'i'), undefined);
    assert.match(check('measurement', 'sine()', 'd', 'b') ?? '', /raw datatype i, l, f, d, not b/);
  });

  test('in the values that it names', () => {
    assert.match(
      check('measurement', 'square(high=4)', 'q') ?? '',
      /^square: high=4 does not fit raw datatype q, 0 to 3/,
    );
    assert.match(check('measurement', 'walk(high=3000000000, start=2500000000)', 'i') ?? '', /high=3000000000/);
    assert.match(check('measurement', 'sine(low=-1)', 'b') ?? '', /not b/);
    assert.equal(check('measurement', 'walk(high=3000000000)', 'l'), undefined);
  });

  test('or the message says what would', () => {
    assert.match(check('command', 'sine()', 'd') ?? '', /sine is not for commands: one of echo, bus, drop_link/);
    assert.match(check('command', 'echo(x, delay=1)', 'd') ?? '', /delay belongs to a measurement, not to a command/);
    assert.match(check('command', 'drop_link()', 'b') ?? '', /while the link is down/);
    assert.match(check('measurement', 'model(x)', 'd') ?? '', /unknown function model: one of sine, .*, echo, bus, /);
  });
});
