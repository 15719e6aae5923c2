// The alarms of the demonstration plant. Severity: 0 danger, 1 the plant fails soon, 2 look after it, 3 to know.
import type { Alarm } from '@telltale/schema';
import { measurements } from './measurements.ts';

type Operator = NonNullable<Alarm['trgOperator']>;
type More = Partial<Alarm>;

/** An alarm is where its measurement is. */
const areas = new Map(measurements.map(({ name, area = '' }) => [name, area]));

/** A number that crosses a limit, and comes back by the hysteresis. */
const limit = (
  name: string,
  groupName: string,
  severity: number,
  trigger: string,
  hysteresis: number,
  description: string,
  more: More = {},
): Alarm => ({
  ...state(name, groupName, severity, trigger, description),
  trgHysteresis: String(hysteresis),
  ...more,
});

/** A contact or a state. The trigger is measurement, operator and reference. */
const state = (
  name: string,
  groupName: string,
  severity: number,
  trigger: string,
  description: string,
  more: More = {},
): Alarm => {
  const [trgMeasurement, trgOperator, trgRefValue] = trigger.split(' ') as [string, Operator, string];
  return {
    name,
    description,
    severity,
    archMode: 'change',
    ackMode: severity === 3 ? 'auto' : 'manual',
    trgMeasurement,
    trgOperator,
    trgRefValue,
    groupName,
    area: areas.get(trgMeasurement) ?? '',
    ...more,
  };
};

const after = (seconds: number): More => ({ properties: { onDelay: String(seconds * 1000) } });

const pump = (number: number) => [
  state(`pump${number}_trip`, 'pumps', 1, `pump${number}_tripped eq 1`, `Pump ${number} has tripped`),
  limit(
    `pump${number}_bearing_hot`,
    'pumps',
    2,
    `pump${number}_bearing_temperature gt 75`,
    5,
    `Pump ${number}: the bearing is hot`,
    after(10),
  ),
];

export const alarms: readonly Alarm[] = [
  limit('inlet_turbidity_high', 'intake', 3, 'inlet_turbidity gt 8', 0.5, 'The raw water is turbid', after(30)),
  limit('tank1_level_high', 'tanks', 2, 'tank1_level gt 4.5', 0.1, 'Tank 1 is nearly full'),
  limit('tank1_level_low', 'tanks', 1, 'tank1_level lt 1', 0.1, 'Tank 1 is nearly empty: the pumps will trip'),
  state('tank1_overflowing', 'tanks', 0, 'tank1_overflow eq 1', 'Tank 1 runs over'),
  state('tank1_drain_open', 'tanks', 3, 'tank1_drain_valve_state ne 1', 'The drain of tank 1 is not closed', after(30)),
  state('tank1_drain_fault', 'tanks', 2, 'tank1_drain_valve_state eq 3', 'The drain valve of tank 1 is at fault'),
  ...pump(1),
  ...pump(2),
  ...pump(3),
  limit('main_pressure_high', 'pumps', 1, 'main_pressure gt 8', 0.3, 'Rising main: the pressure is high', after(3)),
  limit('tank2_level_high', 'tanks', 2, 'tank2_level gt 7.5', 0.1, 'Tank 2 is nearly full'),
  limit('tank2_level_low', 'tanks', 1, 'tank2_level lt 2', 0.2, 'Tank 2 is nearly empty: the town will go dry'),
  state('tank2_outlet_fault', 'tanks', 1, 'tank2_outlet_valve_state eq 3', 'The outlet valve of tank 2 is at fault'),
  limit('network_pressure_low', 'network', 0, 'network_pressure lt 2.5', 0.2, 'Network: the pressure is low', after(5)),
  limit('chlorine_low', 'dosing', 0, 'chlorine_residual lt 0.2', 0.05, 'Too little chlorine: germs', after(60)),
  limit('chlorine_high', 'dosing', 1, 'chlorine_residual gt 0.8', 0.05, 'Too much chlorine', after(60)),
  limit('dosing_tank_low', 'dosing', 2, 'dosing_tank_level le 15', 2, 'Fill the hypochlorite day tank'),
  limit('treated_ph_low', 'dosing', 2, 'treated_ph le 6.5', 0.1, 'Treated water: the pH is low'),
  limit('treated_ph_high', 'dosing', 2, 'treated_ph ge 8.5', 0.1, 'Treated water: the pH is high'),
  limit('treated_turbidity_high', 'dosing', 1, 'treated_turbidity gt 1', 0.1, 'The treated water is turbid', after(30)),
  state('waterworks_link_lost', 'site', 0, 'waterworks_link eq 0', 'The link to the waterworks is lost'),
  state('control_room_link_lost', 'site', 2, 'control_room_link eq 0', 'The link to the control room is lost'),
  {
    name: 'visitor_on_site',
    description: 'Somebody is on site: raised and cleared by hand',
    severity: 3,
    archMode: 'change',
    ackMode: 'manual',
    groupName: 'site',
    area: 'works.site',
  },
];
