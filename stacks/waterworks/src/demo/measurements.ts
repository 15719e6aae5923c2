// The measurements of the demonstration plant.
import type { Measurement } from '@telltale/schema';

type More = Partial<Measurement>;

const minuteMs = 60_000;

/** A tag of the plant: archived when it changes, and once in ten minutes if it does not; or with its leader. */
const tag = (name: string, datatype: Measurement['datatype'], description: string, more: More): Measurement => ({
  name,
  address: `model(${name})`,
  description,
  datatype,
  connectorName: 'waterworks',
  ...(more.leader === undefined && { archMode: 'change', archPeriod: 10 * minuteMs }),
  ...more,
});

/** A transmitter; `step` is the smallest move that is worth a record. */
const analog = (
  name: string,
  eu: string,
  low: number,
  high: number,
  step: number,
  description: string,
  more: More = {},
) =>
  tag(name, 'd', description, {
    euRangeLo: String(low),
    euRangeHi: String(high),
    eu,
    deadband: '0.02%',
    archValueDeadband: String(step),
    archTimeDeadband: 1000,
    // People read as many decimals as the step has.
    properties: { precision: String(Math.max(0, Math.ceil(-Math.log10(step)))) },
    ...more,
  });

const contact = (name: string, description: string, more: More = {}) => tag(name, 'b', description, more);

const valveState = (name: string, description: string) =>
  tag(name, 'q', `${description}: 0 moving, 1 closed, 2 open, 3 fault`, {});

const counter = (name: string, description: string) =>
  tag(name, 'l', description, { eu: 'm³', archTimeDeadband: minuteMs });

/** Of a 4 to 20 mA loop. */
const milliamperes: More = { rawRangeLo: '4', rawRangeHi: '20' };

/** Archived with another point and not by itself. */
const following = (leader: string): More => ({ leader });

const served = (address: string): More => ({ providerAddresses: { telecontrol: address } });

const inArea = (area: string, measurements: Measurement[]): Measurement[] =>
  measurements.map((measurement) => ({ ...measurement, area }));

const pump = (number: number) =>
  inArea(`works.pumps.pump${number}`, [
    contact(`pump${number}_running`, `Pump ${number} runs`, served(`pump${number}.running`)),
    contact(`pump${number}_tripped`, `Pump ${number} has tripped`),
    tag(`pump${number}_state`, 's', `Pump ${number}, in words`, {}),
    analog(`pump${number}_speed`, '%', 0, 100, 0.5, `Pump ${number}, speed`),
    analog(`pump${number}_current`, 'A', 0, 80, 0.5, `Pump ${number}, motor current`, following(`pump${number}_speed`)),
    analog(`pump${number}_bearing_temperature`, '°C', 0, 120, 0.5, `Pump ${number}, bearing temperature`, {
      datatype: 'f',
    }),
    analog(`pump${number}_hours`, 'h', 0, 200_000, 1, `Pump ${number}, running hours`, {
      archTimeDeadband: 10 * minuteMs,
    }),
  ]);

/** Without an address: the service drives it. */
const link = (name: string, description: string): Measurement => ({
  name,
  description,
  datatype: 'b',
  archMode: 'change',
  area: 'works.site',
});

const controlRoom = (name: string, address: string, eu: string, high: number, description: string): Measurement => ({
  name,
  address,
  description,
  datatype: 'd',
  connectorName: 'control_room',
  euRangeLo: '0',
  euRangeHi: String(high),
  eu,
  properties: { precision: '2' },
  area: 'control_room',
});

export const measurements: readonly Measurement[] = [
  ...inArea('works.intake', [
    analog('inlet_flow', 'm³/h', 0, 400, 1, 'Raw water into tank 1'),
    counter('inlet_total', 'Raw water taken in'),
    analog('inlet_turbidity', 'NTU', 0, 20, 0.05, 'Raw water, turbidity'),
    analog('inlet_temperature', '°C', 0, 40, 0.1, 'Raw water, temperature', { datatype: 'f' }),
    analog('inlet_valve_position', '%', 0, 100, 0.5, 'Inlet valve, position'),
  ]),
  ...inArea('works.tank1', [
    analog('tank1_level', 'm', 0, 5, 0.01, 'Tank 1, level', served('tank1.level')),
    analog('tank1_volume', 'm³', 0, 300, 1, 'Tank 1, volume', following('tank1_level')),
    contact('tank1_low', 'Tank 1, low-level switch'),
    contact('tank1_high', 'Tank 1, high-level switch'),
    contact('tank1_overflow', 'Tank 1 runs over'),
    valveState('tank1_drain_valve_state', 'Tank 1, drain valve'),
  ]),
  ...pump(1),
  ...pump(2),
  ...pump(3),
  ...inArea('works.pumps', [
    analog('main_flow', 'm³/h', 0, 400, 1, 'Rising main, flow'),
    analog('main_pressure', 'bar', 0, 10, 0.02, 'Rising main, pressure', milliamperes),
    counter('main_total', 'Water pumped'),
  ]),
  ...inArea('works.tank2', [
    analog('tank2_level', 'm', 0, 8, 0.01, 'Tank 2, level', served('tank2.level')),
    analog('tank2_volume', 'm³', 0, 400, 1, 'Tank 2, volume', following('tank2_level')),
    contact('tank2_low', 'Tank 2, low-level switch'),
    contact('tank2_high', 'Tank 2, high-level switch'),
    valveState('tank2_outlet_valve_state', 'Tank 2, outlet valve'),
  ]),
  ...inArea('network', [
    analog('network_flow', 'm³/h', 0, 400, 1, 'Network, flow', served('network.flow')),
    analog('network_pressure', 'bar', 0, 6, 0.02, 'Network, pressure', {
      ...milliamperes,
      ...served('network.pressure'),
    }),
    counter('network_total', 'Water delivered'),
  ]),
  ...inArea('works.dosing', [
    analog('chlorine_residual', 'mg/L', 0, 2, 0.01, 'Free chlorine', served('chlorine.residual')),
    analog('dosing_rate', '%', 0, 100, 0.5, 'Dosing pump, stroke rate'),
    contact('dosing_running', 'Dosing pump runs'),
    analog('dosing_tank_level', '%', 0, 100, 0.5, 'Hypochlorite day tank, level'),
    analog('treated_ph', 'pH', 0, 14, 0.02, 'Treated water, pH'),
    analog('treated_turbidity', 'NTU', 0, 5, 0.02, 'Treated water, turbidity'),
  ]),
  ...inArea('works.site', [
    analog('site_power', 'kW', 0, 150, 1, 'Electrical power'),
    {
      name: 'gate_panel_display',
      address: 'echo(gate_panel, delay=2)',
      description: 'What the panel at the gate shows',
      datatype: 's',
      connectorName: 'waterworks',
      archMode: 'change',
    },
  ]),
  link('waterworks_link', 'The link to the waterworks is up'),
  link('control_room_link', 'The link to the control room is up'),
  link('telecontrol_link', 'The telecontrol service is up'),
  controlRoom('control_room_tank2_level', 'bus(tank2.level)', 'm', 8, 'Tank 2, level, as the control room sees it'),
  controlRoom(
    'control_room_chlorine',
    'bus(chlorine.residual)',
    'mg/L',
    2,
    'Free chlorine, as the control room sees it',
  ),
];
