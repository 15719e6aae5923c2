// The commands of the demonstration plant. Their initial values are what the plant starts with.
import type { Command } from '@telltale/schema';

type More = Partial<Command>;

const plant = (
  name: string,
  address: string,
  datatype: Command['datatype'],
  description: string,
  more: More,
): Command => ({
  name,
  address,
  description,
  datatype,
  connectorName: 'waterworks',
  archMode: 'change',
  ...more,
});

const setpoint = (
  name: string,
  eu: string,
  low: number,
  high: number,
  initial: number,
  description: string,
  more: More = {},
) =>
  plant(name, `model(${name})`, 'd', description, {
    euRangeLo: String(low),
    euRangeHi: String(high),
    eu,
    initialValue: String(initial),
    properties: { precision: high - low > 10 ? '0' : '2' },
    ...more,
  });

const onOff = (name: string, initial: 0 | 1, description: string) =>
  plant(name, `model(${name})`, 'b', description, { initialValue: String(initial) });

/** A fault to inject, for training. */
const fault = (name: string, address: string, description: string) => plant(name, address, 'b', description, {});

const served = (address: string): More => ({ providerAddresses: { telecontrol: address } });

const inArea = (area: string, commands: Command[]): Command[] => commands.map((command) => ({ ...command, area }));

/** The register of the drive counts hundredths of a percent. */
const driveRegister: More = { rawDatatype: 'i', rawRangeLo: '0', rawRangeHi: '10000' };

const pump = (number: number, auto: 0 | 1) =>
  inArea(`works.pumps.pump${number}`, [
    onOff(`pump${number}_auto`, auto, `Pump ${number}: 1 automatic, 0 manual`),
    onOff(`pump${number}_start`, 0, `Pump ${number}, in manual: 1 run, 0 stop`),
    setpoint(`pump${number}_speed_setpoint`, '%', 0, 100, 80, `Pump ${number}, speed setpoint`, driveRegister),
    onOff(`pump${number}_reset`, 0, `Pump ${number}: 1 resets a trip`),
  ]);

export const commands: readonly Command[] = [
  ...inArea('works.intake', [
    onOff('inlet_valve_auto', 1, 'Inlet valve: 1 automatic, 0 manual'),
    setpoint('inlet_valve_setpoint', '%', 0, 100, 50, 'Inlet valve, position setpoint in manual'),
  ]),
  ...inArea('works.tank1', [
    setpoint('tank1_level_setpoint', 'm', 1, 4.5, 3.5, 'Tank 1, level setpoint'),
    onOff('tank1_drain_valve', 0, 'Tank 1, drain valve: 1 open, 0 close'),
  ]),
  ...pump(1, 1),
  ...pump(2, 1),
  ...pump(3, 0),
  ...inArea('works.tank2', [
    setpoint('tank2_level_setpoint', 'm', 2, 7.5, 6, 'Tank 2, level setpoint'),
    onOff('tank2_outlet_valve', 1, 'Tank 2, outlet valve: 1 open, 0 close'),
  ]),
  ...inArea('network', [
    setpoint('network_demand', '%', 0, 300, 100, 'What the town wants, of its ordinary day', served('network.demand')),
  ]),
  ...inArea('works.dosing', [
    setpoint('chlorine_setpoint', 'mg/L', 0.1, 1, 0.4, 'Free chlorine, setpoint', served('chlorine.setpoint')),
    onOff('dosing_auto', 1, 'Dosing pump: 1 automatic, 0 manual'),
    setpoint('dosing_rate_setpoint', '%', 0, 100, 30, 'Dosing pump, stroke rate in manual'),
    onOff('dosing_tank_refill', 0, 'Hypochlorite day tank: 1 fills it'),
  ]),
  ...inArea('works.site', [plant('gate_panel_text', 'echo(gate_panel)', 's', 'Text for the panel at the gate', {})]),
  ...inArea('training', [
    plant('training_drop_link', 'drop_link()', 'd', 'Loses the link to the plant for so many seconds', {
      euRangeLo: '0',
      euRangeHi: '60',
      eu: 's',
    }),
    fault('training_freeze_tank1_level', 'freeze(of=tank1_level)', 'Tank 1, level stands still while 1'),
    fault('training_bad_chlorine', 'bad_quality(of=chlorine_residual)', 'Free chlorine has bad quality while 1'),
    fault(
      'training_refuse_pump1_start',
      'refuse_write(of=pump1_start, reason="local switch is off")',
      'Pump 1 refuses to start while 1',
    ),
  ]),
  ...inArea('control_room', [
    {
      name: 'control_room_chlorine_setpoint',
      address: 'bus(chlorine.setpoint)',
      description: 'Free chlorine, setpoint, as the control room writes it',
      datatype: 'd',
      connectorName: 'control_room',
      euRangeLo: '0.1',
      euRangeHi: '1',
      eu: 'mg/L',
    },
  ]),
];
