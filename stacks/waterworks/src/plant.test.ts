import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { dailyCurve, maxStepsAScan, stepSeconds, tank1, tank2, Waterworks } from './plant.ts';
import { waterworksPoints } from './plant-points.ts';
import { waterworksTags } from './tags.ts';

const minute = 60;
const hour = 60 * minute;
/** Midnight. */
const start = 19_000 * 24 * hour;

class Plant {
  readonly model: Waterworks;
  readonly #points;

  constructor(seed = 1, seconds = start) {
    this.model = new Waterworks(seed, seconds);
    this.#points = waterworksPoints(this.model);
  }

  set(tag: string, value: number | boolean): this {
    this.#points.write(tag, value);
    return this;
  }

  /** No more at a time than one scan may take. */
  run(seconds: number): this {
    for (let left = seconds; left > 0; left -= 600) assert.equal(this.model.advance(Math.min(600, left)), 0);
    return this;
  }

  read(tag: string): number | string {
    return (this.#points.reader(tag) ?? assert.fail(tag))();
  }

  number(tag: string): number {
    return Number(this.read(tag));
  }

  all(): Map<string, number | string> {
    return new Map(waterworksTags.map(({ name }) => [name, this.read(name)]));
  }
}

const inputs = waterworksTags.filter(({ direction }) => direction === 'input');
const buttons = inputs.filter(({ name }) => /_(?:reset|refill)$/.test(name)).map(({ name }) => name);
const highest = (name: string, datatype: string) => {
  if (datatype === 'b') return 1;
  if (datatype === 'i') return 10_000;
  return /tank1/.test(name) ? 5 : /tank2/.test(name) ? 8 : /demand/.test(name) ? 300 : /chlorine/.test(name) ? 2 : 100;
};
const anyInput = fc.constantFrom(...inputs).chain(({ name, datatype }) => {
  const high = highest(name, datatype);
  const value = datatype === 'd' ? fc.double({ min: 0, max: high, noNaN: true }) : fc.integer({ min: 0, max: high });
  return fc.record({ name: fc.constant(name), value, seconds: fc.integer({ min: 0, max: 1200 }) });
});

describe('the waterworks', () => {
  test('loses and makes no water, whatever is done to it: what came in went out or is there', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(anyInput, { maxLength: 12 }), (seed, writes) => {
        const plant = new Plant(seed, start + seed);
        const { model } = plant;
        const before = { ...model.totals, volume1: model.volume1, volume2: model.volume2 };
        for (const { name, value, seconds } of writes) {
          plant.set(name, value).run(seconds);
          const { totals } = model;
          const since = (key: keyof typeof totals) => totals[key] - before[key];
          const in1 = since('inlet') - since('drained') - since('spilled1') - since('main');
          const in2 = since('main') - since('town') - since('spilled2');
          assert.ok(Math.abs(model.volume1 - before.volume1 - in1) < 1e-6);
          assert.ok(Math.abs(model.volume2 - before.volume2 - in2) < 1e-6);
          assert.ok(model.volume1 >= 0 && model.volume1 <= tank1.capacity);
          assert.ok(model.volume2 >= 0 && model.volume2 <= tank2.capacity);
          for (const total of Object.values(totals)) assert.ok(total >= 0);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('shows finite numbers that its transmitters can show, whatever is done to it', () => {
    const ranges: Record<string, [number, number]> = {
      d: [0, 1e6],
      b: [0, 1],
      q: [0, 3],
      i: [0, 10_000],
      l: [0, 1e9],
    };
    fc.assert(
      fc.property(fc.array(anyInput, { maxLength: 12 }), (writes) => {
        const plant = new Plant();
        for (const { name, value, seconds } of writes) {
          plant.set(name, value).run(seconds);
          for (const { name, datatype, unit } of waterworksTags) {
            if (datatype === 's') continue;
            const shown = plant.number(name);
            const [low, high] = unit === 'mA' ? [3.8, 20.5] : (ranges[datatype] ?? assert.fail());
            assert.ok(shown >= low && shown <= high, `${name} ${shown}`);
            if (datatype !== 'd') assert.ok(Number.isInteger(shown), name);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  test('is the same for the same seed and writes, in whichever portions its time passes; another for another', () => {
    const run = (seed: number, portion: number) => {
      const plant = new Plant(seed).set('tank1_drain_valve', 1);
      for (let at = 0; at < 3600; at += portion) plant.model.advance(portion);
      return plant.all();
    };
    assert.deepEqual(run(1, 0.5), run(1, 400));
    assert.notDeepEqual(run(1, 400), run(2, 400));
  });

  test('takes a bounded number of steps at a time, and says by how much it is late', () => {
    const { model } = new Plant();
    const most = maxStepsAScan * stepSeconds;
    const late = model.advance(most + 500);
    assert.ok(Math.abs(late - 500) < 1e-6);
    assert.equal(model.advance(most / 2), 0);
  });

  test('holds its levels and its chlorine by itself for days', () => {
    const plant = new Plant();
    for (let at = 0; at < 48 * hour; at += 5 * minute) {
      plant.run(5 * minute);
      assert.ok(Math.abs(plant.number('tank1_level') - 3.5) < 0.8);
      assert.ok(Math.abs(plant.number('tank2_level') - 6) < 1);
      assert.ok(Math.abs(plant.number('chlorine_residual') - 0.4) < 0.1);
      for (const pump of [1, 2, 3]) assert.equal(plant.number(`pump${pump}_tripped`), 0);
    }
    assert.ok(plant.number('pump1_hours') > 5 && plant.number('pump2_hours') > 5);
    assert.ok(Math.abs(plant.number('pump1_hours') - plant.number('pump2_hours')) < 5);
    assert.equal(plant.number('pump3_hours'), 0);
  });

  test('has a town that drinks most in the morning and the evening, and about its mean over the day', () => {
    const hours = Array.from({ length: 240 }, (_, tenth) => tenth / 10);
    const mean = hours.reduce((sum, each) => sum + dailyCurve(each), 0) / hours.length;
    assert.ok(Math.abs(mean - 1) < 0.02);
    assert.ok(dailyCurve(7.5) > 1.4 && dailyCurve(19) > 1.3 && dailyCurve(3) < 0.7);
    assert.ok(Math.abs(dailyCurve(23.99) - dailyCurve(0)) < 0.01);
  });
});

describe('each input has its effect', () => {
  /** What has changed against a plant to which it was not done. */
  const compared = (prepare: (plant: Plant) => Plant, act: (plant: Plant) => Plant, seconds: number, tag: string) => {
    const [without, done] = [prepare(new Plant()), prepare(new Plant())];
    act(done).run(seconds);
    return done.number(tag) - without.run(seconds).number(tag);
  };
  const asItIs = (plant: Plant) => plant;
  const manualPump3 = (plant: Plant) => plant.set('pump3_start', 1).run(minute);
  const cases: [string, (plant: Plant) => Plant, number, number, string, number][] = [
    ['inlet_valve_auto', (plant) => plant.set('inlet_valve_setpoint', 100), 0, 2 * minute, 'inlet_valve_position', 20],
    [
      'inlet_valve_setpoint',
      (plant) => plant.set('inlet_valve_auto', 0).run(minute),
      90,
      2 * minute,
      'inlet_flow',
      100,
    ],
    ['tank1_level_setpoint', asItIs, 2, hour, 'tank1_level', -0.5],
    ['tank1_drain_valve', asItIs, 1, minute, 'tank1_volume', -1],
    ['pump1_auto', asItIs, 0, 30, 'pump1_running', -1],
    ['pump1_start', (plant) => plant.set('pump1_auto', 0).run(minute), 1, minute, 'main_flow', 40],
    ['pump1_speed_setpoint', asItIs, 9000, minute, 'pump1_speed', 9],
    ['pump2_auto', (plant) => plant.set('pump1_auto', 0).run(minute), 0, minute, 'pump2_running', -1],
    ['pump2_start', (plant) => plant.set('pump2_auto', 0), 1, minute, 'pump2_speed', 79],
    ['pump2_speed_setpoint', (plant) => plant.set('pump1_auto', 0).run(minute), 9000, minute, 'main_flow', 20],
    ['pump3_auto', (plant) => plant.set('pump1_auto', 0).set('pump2_auto', 0), 1, 2 * minute, 'pump3_running', 1],
    ['pump3_start', asItIs, 1, minute, 'pump3_current', 20],
    ['pump3_speed_setpoint', manualPump3, 9000, minute, 'main_pressure', 0.2],
    ['tank2_level_setpoint', asItIs, 2, 2 * hour, 'tank2_level', -1],
    ['tank2_outlet_valve', asItIs, 0, minute, 'network_pressure', -9],
    ['network_demand', asItIs, 300, minute, 'network_flow', 100],
    ['chlorine_setpoint', asItIs, 1, hour, 'chlorine_residual', 0.1],
    ['dosing_auto', (plant) => plant.set('dosing_rate_setpoint', 100).run(minute), 0, minute, 'dosing_rate', 50],
    ['dosing_rate_setpoint', (plant) => plant.set('dosing_auto', 0).run(minute), 90, minute, 'dosing_rate', 59],
    ['dosing_tank_refill', asItIs, 1, 1, 'dosing_tank_level', 19],
  ];
  for (const [tag, prepare, value, seconds, observed, change] of cases) {
    test(`${tag} on ${observed}`, () => {
      const changed = compared(prepare, (plant) => plant.set(tag, value), seconds, observed);
      assert.ok(change > 0 ? changed >= change : changed <= change, `${changed}`);
    });
  }

  test('and reads back as what it was set to; a button comes up again by itself', () => {
    const plant = new Plant();
    for (const { name, datatype, start: first } of inputs) {
      assert.equal(plant.read(name), first, name);
      plant.set(name, highest(name, datatype));
      assert.equal(plant.read(name), highest(name, datatype), name);
    }
    plant.run(5);
    for (const { name, datatype } of inputs) {
      assert.equal(plant.read(name), buttons.includes(name) ? 0 : highest(name, datatype), name);
    }
    const resets = ['pump1_reset', 'pump2_reset', 'pump3_reset'];
    const tested = [...cases.map(([tag]) => tag), ...resets];
    assert.deepEqual(tested.sort(), inputs.map(({ name }) => name).sort());
  });
});

describe('a pump', () => {
  const states = (plant: Plant, pump: string, seconds: number) => {
    const seen: (number | string)[] = [];
    for (let at = 0; at < seconds; at++) {
      const state = plant.run(1).read(`${pump}_state`);
      if (state !== seen.at(-1)) seen.push(state);
    }
    return seen;
  };

  test('starts and stops in its own time', () => {
    const plant = new Plant();
    assert.deepEqual(states(plant.set('pump3_start', 1), 'pump3', 20), ['starting', 'running']);
    assert.deepEqual(states(plant.set('pump3_start', 0), 'pump3', 20), ['stopping', 'stopped']);
    assert.deepEqual([plant.number('pump3_speed'), plant.number('pump3_current')], [0, 0]);
  });

  /** Whether a reset works, now and later. */
  function tripped(plant: Plant, pump: string, heal: (plant: Plant) => Plant, healSeconds: number): void {
    assert.deepEqual([plant.read(`${pump}_state`), plant.number(`${pump}_tripped`)], ['tripped', 1]);
    plant.set(`${pump}_reset`, 1);
    assert.equal(plant.number(`${pump}_tripped`), 1, 'it was reset though the cause is there');
    heal(plant).run(healSeconds);
    assert.equal(plant.number(`${pump}_tripped`), 1, 'it came back without a reset');
    assert.equal(plant.set(`${pump}_reset`, 1).run(1).number(`${pump}_tripped`), 0);
  }

  test('alone at full speed moves too much water: overload; the reset works once the motor has cooled', () => {
    const plant = new Plant().set('pump1_speed_setpoint', 10_000).run(3 * minute);
    tripped(plant, 'pump1', (each) => each.set('pump1_auto', 0), 5 * minute);
    assert.equal(plant.run(minute).read('pump1_state'), 'stopped');
  });

  test('that turns without moving water gets a hot bearing', () => {
    const plant = new Plant()
      .set('pump3_speed_setpoint', 6500)
      .set('pump3_start', 1)
      .run(14 * minute);
    assert.ok(plant.number('pump3_bearing_temperature') > 75);
    tripped(plant, 'pump3', (each) => each.set('pump3_start', 0), 40 * minute);
  });

  test('does not run dry: an empty tank 1 trips it, and the next in line takes over no more', () => {
    const plant = new Plant().set('inlet_valve_auto', 0).set('inlet_valve_setpoint', 0).set('tank1_drain_valve', 1);
    plant.set('tank2_level_setpoint', 8).run(3 * hour);
    assert.equal(plant.number('tank1_low'), 1);
    assert.equal(plant.number('main_flow'), 0);
    const heal = (each: Plant) => each.set('tank1_drain_valve', 0).set('inlet_valve_auto', 1);
    tripped(plant, 'pump1', heal, hour);
  });

  test('that trips in automatic is replaced by another', () => {
    const plant = new Plant().set('pump1_speed_setpoint', 10_000).run(10 * minute);
    assert.deepEqual([plant.read('pump1_state'), plant.read('pump2_state')], ['tripped', 'running']);
  });
});

describe('what goes wrong shows', () => {
  test('a tank 1 that is filled by hand runs over; in automatic its switch closes the valve', () => {
    const plant = new Plant().set('pump1_auto', 0).set('pump2_auto', 0);
    plant.set('inlet_valve_auto', 0).set('inlet_valve_setpoint', 100).run(hour);
    assert.deepEqual([plant.number('tank1_high'), plant.number('tank1_overflow')], [1, 1]);
    plant.set('inlet_valve_auto', 1).run(2 * minute);
    assert.deepEqual([plant.number('tank1_overflow'), plant.number('inlet_flow')], [0, 0]);
    const setTooHigh = new Plant().set('tank1_level_setpoint', 5).set('pump1_auto', 0).set('pump2_auto', 0);
    assert.equal(setTooHigh.run(2 * hour).number('tank1_high'), 1);
    assert.ok(setTooHigh.number('tank1_level') < 4.8);
  });

  test('a full tank 2 stops the pumps that are in automatic, not those in manual', () => {
    const plant = new Plant().set('tank2_outlet_valve', 0).set('tank2_level_setpoint', 8).set('pump3_start', 1);
    plant.run(2 * hour);
    assert.equal(plant.number('tank2_high'), 1);
    assert.deepEqual(
      [1, 2, 3].map((pump) => plant.number(`pump${pump}_running`)),
      [0, 0, 1],
    );
  });

  test('three pumps at full speed raise the pressure of the main above 8 bar', () => {
    const plant = new Plant();
    for (const pump of [1, 2, 3]) {
      plant.set(`pump${pump}_auto`, 0).set(`pump${pump}_start`, 1).set(`pump${pump}_speed_setpoint`, 10_000);
    }
    const bar = ((plant.run(minute).number('main_pressure') - 4) / 16) * 10;
    assert.ok(bar > 8 && bar < 10, `${bar}`);
  });

  test('the analyser reports too much chlorine a minute late', () => {
    const plant = new Plant()
      .run(10 * minute)
      .set('dosing_auto', 0)
      .set('dosing_rate_setpoint', 100);
    const before = plant.number('chlorine_residual');
    assert.ok(Math.abs(plant.run(50).number('chlorine_residual') - before) < 0.005);
    assert.ok(plant.run(10 * minute).number('chlorine_residual') > before + 0.05);
  });

  test('a valve takes its time, and its switches say so', () => {
    const plant = new Plant().set('tank1_drain_valve', 1);
    const states = [1, 14, 1].map((seconds) => plant.run(seconds).number('tank1_drain_valve_state'));
    assert.deepEqual(states, [0, 2, 2]);
    assert.equal(plant.set('tank1_drain_valve', 0).run(5).number('tank1_drain_valve_state'), 0);
  });
});

test('what cannot be written is refused, and says what can', () => {
  const points = waterworksPoints(new Waterworks(1, 0));
  const refused = (tag: string, value: number | string, message: RegExp) =>
    assert.throws(() => points.write(tag, value), { name: 'Refused', message });
  refused('tank1_level', 1, /tank1_level cannot be written/);
  refused('__proto__', 1, /cannot be written/);
  refused('network_demand', 301, /takes 0 to 300, not 301/);
  refused('pump1_start', 2, /takes 0 to 1, not 2/);
  refused('pump1_start', 'on', /takes 0 to 1, not on/);
  assert.equal(points.reader('constructor'), undefined);
});
