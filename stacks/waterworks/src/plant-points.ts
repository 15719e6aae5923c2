// What can be read of the process model and written to it, by tag.

import { fitValue, traitsOf, type Value } from '@telltale/schema';
import { Refused } from '@telltale/stack-kit';
import type { Model } from '@telltale/stack-simulator/model';
import { metresABar, type Waterworks } from './plant.ts';
import type { Pump } from './pump.ts';
import { waterworksTags } from './tags.ts';

type ReadTag = () => number | string;

interface Input {
  readonly low: number;
  readonly high: number;
  get(): number;
  set(value: number): void;
  /** A button: falls back by itself, and is not pressed again by a restart. */
  readonly momentary?: true;
}

export function waterworksPoints(plant: Waterworks): Pick<Model, 'reader' | 'write' | 'begin'> {
  const inputs = inputsOf(plant);
  const outputs = outputsOf(plant);
  const datatypes = new Map(waterworksTags.map(({ name, datatype }) => [name, datatype]));

  function check(tag: string, value: Value): { input: Input; number: number } {
    const [input, datatype] = [inputs.get(tag), datatypes.get(tag)];
    if (input === undefined || datatype === undefined) throw new Refused(`model: ${tag} cannot be written`);
    const number = Number(fitValue(datatype, value));
    if (!(number >= input.low && number <= input.high)) {
      const { precision, isQuantity } = traitsOf(datatype);
      const whole = precision === 'whole' && isQuantity ? 'a whole number, ' : '';
      throw new Refused(`model: ${tag} takes ${whole}${input.low} to ${input.high}, not ${value}`);
    }
    return { input, number };
  }

  return {
    reader: (tag) => inputs.get(tag)?.get ?? outputs.get(tag),
    write(tag, value) {
      const { input, number } = check(tag, value);
      input.set(number);
    },
    begin(tag, value) {
      if (inputs.get(tag)?.momentary) return;
      const { input, number } = check(tag, value);
      input.set(number);
    },
  };
}

type NumberKey<T> = { [K in keyof T]: T[K] extends number ? K : never }[keyof T];

function setting<T extends object>(part: T, key: NumberKey<T>, low: number, high: number): Input {
  const settings = part as Record<NumberKey<T>, number>;
  return {
    low,
    high,
    get: () => settings[key],
    set: (value) => {
      settings[key] = value;
    },
  };
}

function button(press: () => void, pressed: () => boolean): Input {
  const set = (value: number) => {
    if (value === 1) press();
  };
  return { low: 0, high: 1, get: () => Number(pressed()), set, momentary: true };
}

function inputsOf(plant: Waterworks): Map<string, Input> {
  const { dosing } = plant;
  return new Map([
    ['inlet_valve_auto', setting(plant, 'inletAuto', 0, 1)],
    ['inlet_valve_setpoint', setting(plant, 'inletSetpoint', 0, 100)],
    ['tank1_level_setpoint', setting(plant, 'tank1Setpoint', 0, 5)],
    ['tank1_drain_valve', setting(plant, 'drainWanted', 0, 1)],
    ...plant.pumps.flatMap((pump, index) => pumpInputs(plant, pump, `pump${index + 1}`)),
    ['tank2_level_setpoint', setting(plant, 'tank2Setpoint', 0, 8)],
    ['tank2_outlet_valve', setting(plant, 'outletWanted', 0, 1)],
    ['network_demand', setting(plant, 'demand', 0, 300)],
    ['chlorine_setpoint', setting(dosing, 'setpoint', 0, 2)],
    ['dosing_auto', setting(dosing, 'auto', 0, 1)],
    ['dosing_rate_setpoint', setting(dosing, 'rateSetpoint', 0, 100)],
    [
      'dosing_tank_refill',
      button(
        () => plant.press('refill'),
        () => plant.pressed('refill'),
      ),
    ],
  ]);
}

function pumpInputs(plant: Waterworks, pump: Pump, name: string): [string, Input][] {
  return [
    [`${name}_auto`, setting(pump, 'auto', 0, 1)],
    [`${name}_start`, setting(pump, 'start', 0, 1)],
    [`${name}_speed_setpoint`, setting(pump, 'speedSetpoint', 0, 10_000)],
    [
      `${name}_reset`,
      button(
        () => plant.press(pump),
        () => plant.pressed(pump),
      ),
    ],
  ];
}

/** 4 to 20 mA; below and above, as a transmitter does, a little more. */
function milliamperes(share: number): number {
  return Math.min(20.5, Math.max(3.8, 4 + 16 * share));
}

function outputsOf(plant: Waterworks): Map<string, ReadTag> {
  const { dosing, noise, totals } = plant;
  /** A still pipe makes no noise. */
  const flow = (value: number) => Math.max(0, value * (1 + 0.004 * noise.flow));
  const level = (value: number, height: number) =>
    Math.min(height, Math.max(0, value + (value > 0 ? 0.002 * noise.level : 0)));
  const pressure = (bar: number, range: number) => milliamperes((bar + 0.005 * noise.pressure) / range);
  return new Map<string, ReadTag>([
    ['inlet_flow', () => flow(plant.inletFlow)],
    ['inlet_total', () => Math.floor(totals.inlet)],
    ['inlet_turbidity', () => plant.turbidity.value],
    ['inlet_temperature', () => plant.temperature.value],
    ['inlet_valve_position', () => 100 * plant.inlet.position],
    ['tank1_level', () => level(plant.level1, 5)],
    ['tank1_volume', () => plant.volume1],
    ['tank1_low', () => Number(plant.low1)],
    ['tank1_high', () => Number(plant.high1)],
    ['tank1_overflow', () => Number(plant.overflowing)],
    ['tank1_drain_valve_state', () => plant.drain.state],
    ...plant.pumps.flatMap((pump, index) => pumpOutputs(plant, pump, `pump${index + 1}`)),
    ['main_flow', () => flow(plant.mainFlow)],
    ['main_pressure', () => pressure(plant.mainHead / metresABar, 10)],
    ['main_total', () => Math.floor(totals.main)],
    ['tank2_level', () => level(plant.level2, 8)],
    ['tank2_volume', () => plant.volume2],
    ['tank2_low', () => Number(plant.low2)],
    ['tank2_high', () => Number(plant.high2)],
    ['tank2_outlet_valve_state', () => plant.outlet.state],
    ['network_flow', () => flow(plant.townFlow)],
    ['network_pressure', () => pressure(plant.townBar, 6)],
    ['network_total', () => Math.floor(totals.town)],
    ['chlorine_residual', () => Math.max(0, dosing.analysed + 0.002 * noise.level)],
    ['dosing_rate', () => dosing.rate],
    ['dosing_running', () => Number(dosing.running)],
    ['dosing_tank_level', () => dosing.tankLevel],
    ['treated_ph', () => plant.ph.value],
    ['treated_turbidity', () => plant.treatedTurbidity],
    ['site_power', () => plant.power],
  ]);
}

function pumpOutputs({ noise }: Waterworks, pump: Pump, name: string): [string, ReadTag][] {
  return [
    [`${name}_running`, () => Number(pump.running)],
    [`${name}_tripped`, () => Number(pump.trip !== undefined)],
    [`${name}_state`, () => pump.state],
    [`${name}_speed`, () => 100 * pump.speed],
    [`${name}_current`, () => pump.amperes * (1 + 0.006 * noise.current)],
    [`${name}_bearing_temperature`, () => pump.bearingCelsius],
    [`${name}_hours`, () => pump.hours],
  ];
}
