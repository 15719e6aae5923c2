// Format 2: measurements, commands and alarms have an area.
import { addColumn, type Step } from '../step.ts';

export const area: Step = {
  format: 2,
  summary: 'measurements, commands and alarms have an area',
  configuration: (sqlite) => {
    for (const table of ['measurements', 'commands', 'alarms']) addColumn(sqlite, table, 'area', 'TEXT');
  },
};
