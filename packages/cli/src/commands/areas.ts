// `telltale areas`: the tree of areas, and what is in each.
import type { AreaCounts } from '@telltale/schema';
import type { CommandDeclaration } from '../declaration.ts';
import type { Cell } from '../terminal.ts';

const headings = ['AREA', 'GOOD', 'UNCERTAIN', 'BAD', 'SIMULATED', 'COMMANDS', 'ALARMS', 'ACTIVE', 'UNACKNOWLEDGED'];

export const areas: CommandDeclaration = {
  path: ['areas'],
  summary: 'List areas with counts by quality and by alarm state',
  arguments: [],
  options: [],
  details: 'Each row counts what is in the area and below it; the first one is the whole plant.',
  examples: ['telltale areas'],
  run: async ({ client, terminal, signal }) => {
    const tree = await client.areas({ signal });
    if (terminal.isJson) await terminal.json(tree);
    else await terminal.table(headings, Object.values(tree).map(rowOf));
  },
};

function rowOf({ area, measurements, commands, alarms }: AreaCounts): Cell[] {
  const { good, uncertain, bad, simulated } = measurements;
  const { INACT_ACK, ACT_UNACK, ACT_ACK, INACT_UNACK } = alarms;
  const active = ACT_UNACK + ACT_ACK;
  const counts = [
    good,
    uncertain,
    bad,
    simulated,
    commands,
    INACT_ACK + INACT_UNACK + active,
    active,
    ACT_UNACK + INACT_UNACK,
  ];
  return [area === '' ? 'all' : area, ...counts.map(String)];
}
