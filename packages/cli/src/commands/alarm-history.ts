// `telltale alarms history`: what alarms did, the newest first.
import { type AlarmState, type AlarmTransition, alarmStates, simulatedFilters } from '@telltale/schema';
import { intervalOf, readCount, refuseUnknown, simulatedOf, sinceOption, untilOption } from '../archive-options.ts';
import type { CommandDeclaration } from '../declaration.ts';
import { criteriaIn, plainNames, selectorOptions } from '../selector-options.ts';
import type { Cell } from '../terminal.ts';
import { stateCell, timeText } from '../words.ts';
import { namesIn } from './read.ts';

const usualCount = 100;
/** As many as the service gives at once. */
const pageRows = 10_000;

export const alarmHistory: CommandDeclaration = {
  path: ['alarms', 'history'],
  summary: 'List the transitions of all alarms, newest first; default: of the last day',
  arguments: [{ name: 'NAME', optional: true, names: 'alarms' }],
  repeatsFrom: 0,
  options: [
    sinceOption,
    untilOption,
    ...selectorOptions.alarms,
    { name: 'severity', value: 'N', summary: 'Only alarms of this severity' },
    { name: 'into', value: 'STATE,…', summary: `Only transitions to ${alarmStates.join(', ')}` },
    {
      name: 'simulated',
      value: 'WORD',
      values: simulatedFilters,
      summary: 'Transitions that simulated values caused: include (default), exclude or only',
    },
    { name: 'limit', value: 'N', summary: `How many at most; default: ${usualCount}` },
  ],
  examples: [
    'telltale alarms history',
    'telltale alarms history --area works --since 7d --into ACT_UNACK',
    'telltale alarms history tank1_overflowing --since yesterday --until today',
  ],
  run: async (call) => {
    const { client, terminal, args, options } = call;
    await refuseUnknown(call, 'alarms', plainNames(call));
    const limit = readCount(options, 'limit') ?? usualCount;
    const wanted = {
      ...intervalOf(call, { since: -86_400 }),
      ...criteriaIn(call),
      names: namesIn(args),
      states: options.get('into')?.split(',') as AlarmState[] | undefined,
      severity: readCount(options, 'severity'),
      simulated: simulatedOf(call).simulated,
    };
    const found: AlarmTransition[] = [];
    let before: string | undefined;
    do {
      const page = await client.archive.transitions({
        ...wanted,
        before,
        limit: Math.min(pageRows, limit - found.length),
      });
      found.push(...page.transitions);
      before = page.next;
    } while (before !== undefined && found.length < limit);
    if (terminal.isJson) await terminal.json(found);
    else if (found.length === 0) await terminal.line('No alarm that is selected has changed in this time.');
    else await terminal.table(['TIME', 'NAME', 'STATE', 'BY', 'DESCRIPTION'], found.map(rowOf));
    if (before !== undefined) terminal.note(`There are older ones: --limit ${limit * 10}, or a shorter interval.`);
  },
};

function rowOf({ t, name, state, authority, description }: AlarmTransition): Cell[] {
  return [timeText(t), name, stateCell(state), authority, description];
}
