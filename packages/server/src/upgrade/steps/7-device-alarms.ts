// Format 7: an alarm may come from a device, by its connector and address.
import { addColumn, type Step } from '../step.ts';

export const deviceAlarms: Step = {
  format: 7,
  summary: 'alarms can come from devices',
  configuration: (sqlite) => {
    for (const column of ['connectorName', 'address']) addColumn(sqlite, 'alarms', column, 'TEXT');
  },
};
