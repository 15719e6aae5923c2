// The tags of the model: what can be read of it and what can be written to it. Water runs from
// the intake through tank 1, three pumps and the rising main into tank 2, and from there into the network.
import type { Datatype } from '@telltale/schema';

export interface WaterworksTag {
  readonly name: string;
  readonly datatype: Datatype;
  /** An output is only read; an input is written, and reads back as what it was set to. */
  readonly direction: 'output' | 'input';
  readonly unit: string;
  readonly meaning: string;
  /** Of an input: its value when the plant starts. */
  readonly start?: number;
}

const output = (name: string, datatype: Datatype, unit: string, meaning: string): WaterworksTag => ({
  name,
  datatype,
  direction: 'output',
  unit,
  meaning,
});

const input = (name: string, datatype: Datatype, unit: string, start: number, meaning: string): WaterworksTag => ({
  name,
  datatype,
  direction: 'input',
  unit,
  meaning,
  start,
});

const pump = (number: number, auto: 0 | 1): WaterworksTag[] => [
  output(`pump${number}_running`, 'b', '', '1 while the pump turns'),
  output(`pump${number}_tripped`, 'b', '', '1 from a trip (overload, dry running, hot bearing) until the reset'),
  output(`pump${number}_state`, 's', '', 'stopped, starting, running, stopping or tripped'),
  output(`pump${number}_speed`, 'd', '%', 'Speed of the drive'),
  output(`pump${number}_current`, 'd', 'A', 'Motor current'),
  output(`pump${number}_bearing_temperature`, 'd', '°C', 'Temperature of the drive-end bearing'),
  output(`pump${number}_hours`, 'd', 'h', 'Running hours'),
  input(`pump${number}_auto`, 'b', '', auto, '1: the level control of tank 2 runs the pump; 0: pump start does'),
  input(`pump${number}_start`, 'b', '', 0, '1 runs the pump and 0 stops it, in manual'),
  input(
    `pump${number}_speed_setpoint`,
    'i',
    '0.01 %',
    8000,
    'Speed asked of the drive, as its register has it: 0 to 10000',
  ),
  input(`pump${number}_reset`, 'b', '', 0, '1 resets a trip whose cause is gone; falls back to 0 by itself'),
];

const valve = (name: string, start: 0 | 1, meaning: string): WaterworksTag[] => [
  input(name, 'b', '', start, `1 opens and 0 closes ${meaning}`),
  output(
    `${name}_state`,
    'q',
    '',
    `Limit switches of ${meaning}: 0 moving, 1 closed, 2 open, 3 both at once (a fault)`,
  ),
];

export const waterworksTags: readonly WaterworksTag[] = [
  output('inlet_flow', 'd', 'm³/h', 'Raw water into tank 1'),
  output('inlet_total', 'l', 'm³', 'Raw water taken in, counted'),
  output('inlet_turbidity', 'd', 'NTU', 'Turbidity of the raw water'),
  output('inlet_temperature', 'd', '°C', 'Temperature of the raw water'),
  output('inlet_valve_position', 'd', '%', 'Position of the inlet valve'),
  input(
    'inlet_valve_auto',
    'b',
    '',
    1,
    '1: the level control of tank 1 positions the inlet valve; 0: its setpoint does',
  ),
  input('inlet_valve_setpoint', 'd', '%', 50, 'Position asked of the inlet valve, in manual'),

  output('tank1_level', 'd', 'm', 'Level of tank 1, which is 5 m high'),
  output('tank1_volume', 'd', 'm³', 'Water in tank 1, which holds 300 m³'),
  output('tank1_low', 'b', '', 'Low-level switch of tank 1 (0.6 m): 1 trips the pumps, against dry running'),
  output('tank1_high', 'b', '', 'High-level switch of tank 1 (4.7 m): 1 closes the inlet valve that is in automatic'),
  output('tank1_overflow', 'b', '', '1 while tank 1 runs over'),
  input('tank1_level_setpoint', 'd', 'm', 3.5, 'Level that the inlet valve holds, in automatic'),
  ...valve('tank1_drain_valve', 0, 'the drain valve of tank 1'),

  ...pump(1, 1),
  ...pump(2, 1),
  ...pump(3, 0),

  output('main_flow', 'd', 'm³/h', 'Flow in the rising main, of all pumps together'),
  output('main_pressure', 'd', 'mA', 'Pressure transmitter of the rising main: 4 to 20 mA are 0 to 10 bar'),
  output('main_total', 'l', 'm³', 'Water pumped, counted'),

  output('tank2_level', 'd', 'm', 'Level of tank 2, which is 8 m high'),
  output('tank2_volume', 'd', 'm³', 'Water in tank 2, which holds 400 m³'),
  output('tank2_low', 'b', '', 'Low-level switch of tank 2 (1 m)'),
  output('tank2_high', 'b', '', 'High-level switch of tank 2 (7.7 m): 1 stops the pumps that are in automatic'),
  input('tank2_level_setpoint', 'd', 'm', 6, 'Level that the pumps hold, in automatic'),
  ...valve('tank2_outlet_valve', 1, 'the valve from tank 2 to the network'),

  output('network_flow', 'd', 'm³/h', 'Consumption of the town'),
  output('network_pressure', 'd', 'mA', 'Pressure transmitter of the network: 4 to 20 mA are 0 to 6 bar'),
  output('network_total', 'l', 'm³', 'Water delivered, counted'),
  input('network_demand', 'd', '%', 100, 'What the town wants, of its ordinary day: 0 to 300'),

  output('chlorine_residual', 'd', 'mg/L', 'Free chlorine in tank 2, as the analyser has it, a minute late'),
  output('dosing_rate', 'd', '%', 'Stroke rate of the dosing pump'),
  output('dosing_running', 'b', '', '1 while the dosing pump doses'),
  output('dosing_tank_level', 'd', '%', 'Hypochlorite left in the day tank, which somebody fills when 5 % are left'),
  output('treated_ph', 'd', 'pH', 'pH of the treated water'),
  output('treated_turbidity', 'd', 'NTU', 'Turbidity of the treated water'),
  input('chlorine_setpoint', 'd', 'mg/L', 0.4, 'Free chlorine that the dosing holds, in automatic'),
  input('dosing_auto', 'b', '', 1, '1: the chlorine control sets the dosing pump; 0: its setpoint does'),
  input('dosing_rate_setpoint', 'd', '%', 30, 'Stroke rate asked of the dosing pump, in manual'),
  input('dosing_tank_refill', 'b', '', 0, '1 fills the day tank; falls back to 0 by itself'),

  output('site_power', 'd', 'kW', 'Electrical power of the site'),
];
