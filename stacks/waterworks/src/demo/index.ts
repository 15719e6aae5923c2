// The demonstration plant, a waterworks of two tanks, three pumps, valves and a dosing loop, as the operations of one
// transaction. Its points are those of the model, with a control room beside it that sees it through a bus.
import type { Connector, Provider, Put } from '@telltale/schema';
import { alarms } from './alarms.ts';
import { commands } from './commands.ts';
import { measurements } from './measurements.ts';
import { pictures, trends } from './pictures.ts';

const connectors: Connector[] = [
  {
    name: 'waterworks',
    stackName: 'waterworks',
    wdtMeasurement: 'waterworks_link',
    vars: { scanPeriodMs: '500', speed: '1' },
  },
  {
    name: 'control_room',
    stackName: 'simulator',
    wdtMeasurement: 'control_room_link',
    vars: { scanPeriodMs: '1000', bus: 'telecontrol' },
  },
];

const providers: Provider[] = [
  { name: 'telecontrol', stackName: 'simulator', wdtMeasurement: 'telecontrol_link', vars: { bus: 'telecontrol' } },
];

export const waterworks: readonly Put[] = [
  ...connectors.map((object): Put => ({ operation: 'put', family: 'connectors', name: object.name, object })),
  ...providers.map((object): Put => ({ operation: 'put', family: 'providers', name: object.name, object })),
  ...measurements.map((object): Put => ({ operation: 'put', family: 'measurements', name: object.name, object })),
  ...commands.map((object): Put => ({ operation: 'put', family: 'commands', name: object.name, object })),
  ...alarms.map((object): Put => ({ operation: 'put', family: 'alarms', name: object.name, object })),
  ...pictures.map((object): Put => ({ operation: 'put', family: 'pictures', name: object.name, object })),
  ...trends.map((object): Put => ({ operation: 'put', family: 'trends', name: object.name, object })),
];
